import type { Fault } from '../simulated-faults.js';
import type { ClusterModel } from './cluster-model.js';
import type { Random } from './random.js';
import type { Schedule } from './schedule.js';
import type { NodeSpec } from './specs.js';

/** A kubelet that fails periodically: for `lastsMs` at the end of each `everyMs`. */
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

/** What is worth a look in a scenario. */
export interface ScenarioHighlights {
  readonly nodeName: string;
  /** The Deployment whose pods show what happens. They exist from the start, and its name is the value of their label `app`. */
  readonly namespace: string;
  readonly deployment: string;
}

/** The initial state of a simulated cluster, and its events. */
export interface Scenario {
  readonly nodes: readonly NodeSpec[];
  /** Adds the pods to the existing nodes, and schedules their changes. */
  readonly populate: (context: ScenarioContext) => void;
  /** Default: true. If false, usage can stay above limits and nodes under pressure, as long as a test wants. */
  readonly kubeletsEvict?: boolean;
  /** Initial faults, by node. */
  readonly faults?: Readonly<Record<string, Fault>>;
  readonly faultSchedules?: readonly FaultSchedule[];
  readonly highlights?: ScenarioHighlights;
}

/** Nodes without pods; for tests that add their own. */
export function emptyScenario(...nodeNames: readonly string[]): Scenario {
  return { nodes: nodeNames.map((name) => ({ name })), populate: () => undefined };
}
