import type { Fault } from '../simulated-faults.js';
import type { ClusterModel } from './cluster-model.js';
import type { Random } from './random.js';
import type { Schedule } from './schedule.js';
import type { NodeSpec } from './specs.js';

/** A kubelet that fails now and then: for `lastsMs` at the end of each `everyMs`, whatever fault it had before. */
export interface FaultSchedule {
  readonly nodeName: string;
  readonly fault: Fault;
  readonly everyMs: number;
  readonly lastsMs: number;
}

export interface ScenarioContext {
  readonly model: ClusterModel;
  readonly schedule: Schedule;
  readonly random: Random;
}

/** What a simulated cluster begins with, and what happens in it. */
export interface Scenario {
  readonly nodes: readonly NodeSpec[];
  /** Adds the pods, and schedules what becomes of them. The nodes are there. */
  readonly populate: (context: ScenarioContext) => void;
  /** Faults from the start, by node. */
  readonly faults?: Readonly<Record<string, Fault>>;
  readonly faultSchedules?: readonly FaultSchedule[];
}

/** Nodes without pods; for tests that add their own. */
export function emptyScenario(...nodeNames: readonly string[]): Scenario {
  return { nodes: nodeNames.map((name) => ({ name })), populate: () => undefined };
}
