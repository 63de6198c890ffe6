import { getOrAdd } from '../base/maps.js';
import type { AbsenceReason, AbsentNodeView } from '../node/node-view.js';
import { type ApiServerState, hintFor, isOfApiServer } from './absence-hints.js';
import {
  AffectedWorkloads,
  type AffectedWorkloadsReport,
  exampleCount,
  type IncompleteWorkloads,
} from './affected-workloads.js';
import type { LastKnown, NodeFailure } from './node-report.js';

/** The nodes without data for one reason, and what they cost. */
export interface AbsenceReport extends AffectedWorkloadsReport {
  readonly reason: AbsenceReason;
  /** The API server is away, and that is why. */
  readonly isOfApiServer: boolean;
  /** What to do about it. */
  readonly hint: string;
  readonly nodeCount: number;
  /** Of them, those whose last request failed. */
  readonly failedNodeCount: number;
  /** The first of them by name. */
  readonly exampleNodes: readonly string[];
  /** Of the oldest of their last summaries; absent when none of them had any. */
  readonly dataAgeMs?: number | undefined;
  /** Pods on them that should have data. */
  readonly expectedPodCount: number;
}

interface AbsenceGroup {
  nodeCount: number;
  failedNodeCount: number;
  readonly exampleNodes: string[];
  dataAgeMs: number | undefined;
  expectedPodCount: number;
  readonly workloads: AffectedWorkloads;
}

/** Nodes without data by reason. Nodes are added one by one, in the order of their names; skipped ones are left out. */
export class Absences {
  readonly #options;
  readonly #groups = new Map<AbsenceReason, AbsenceGroup>();

  constructor(options: { readonly incomplete: IncompleteWorkloads; readonly apiServer: ApiServerState }) {
    this.#options = options;
  }

  add(state: AbsentNodeView, lastKnown: LastKnown | undefined, failure: NodeFailure | undefined): void {
    if (state.reason === 'skipped') return;
    const group = getOrAdd(this.#groups, state.reason, () => newGroup(this.#options.incomplete));
    group.nodeCount += 1;
    if (failure !== undefined) group.failedNodeCount += 1;
    if (group.exampleNodes.length < exampleCount) group.exampleNodes.push(state.nodeName);
    if (lastKnown !== undefined) group.dataAgeMs = Math.max(group.dataAgeMs ?? 0, Math.round(lastKnown.ageMs));
    group.expectedPodCount += state.expectedPods;
    for (const { workloads } of state.unmeasured) group.workloads.add(workloads);
  }

  /** The keys of incomplete workloads with pods on any of the nodes. */
  get workloadKeys(): ReadonlySet<string> {
    return new Set(Array.from(this.#groups.values(), ({ workloads }) => [...workloads.keys]).flat());
  }

  /** Those that cost most pods first. */
  reports(): readonly AbsenceReport[] {
    return Array.from(this.#groups, ([reason, { workloads, ...group }]) => ({
      reason,
      isOfApiServer: isOfApiServer(reason, this.#options.apiServer),
      hint: hintFor(reason, this.#options.apiServer),
      ...group,
      ...workloads.report(),
    })).sort((a, b) => b.expectedPodCount - a.expectedPodCount || b.nodeCount - a.nodeCount);
  }
}

function newGroup(incomplete: IncompleteWorkloads): AbsenceGroup {
  return {
    nodeCount: 0,
    failedNodeCount: 0,
    exampleNodes: [],
    dataAgeMs: undefined,
    expectedPodCount: 0,
    workloads: new AffectedWorkloads(incomplete),
  };
}
