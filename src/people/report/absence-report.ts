import type { AbsenceReason, AbsentNodeView } from '../../facts/node/node-view.js';
import { getOrAdd } from '../../lib/base/maps.js';
import { type ApiServerState, isAwaitedNode, isOfApiServer, nodeHint } from './absence-hints.js';
import {
  AffectedWorkloads,
  type AffectedWorkloadsReport,
  exampleCount,
  type IncompleteWorkloads,
} from './affected-workloads.js';
import type { LastKnown, NodeFailure } from './node-report.js';

/** The nodes without data for one cause, or all that are awaited, and what they cost. */
export interface AbsenceReport extends AffectedWorkloadsReport {
  /** Of nodes that are awaited, that of the first. */
  readonly reason: AbsenceReason;
  /** See {@link isAwaitedNode}. */
  readonly isAwaited: boolean;
  /** The API server is away, and that is why. */
  readonly isOfApiServer: boolean;
  /** What to do about it. */
  readonly hint: string;
  readonly nodeCount: number;
  /** The first of them by name. */
  readonly exampleNodes: readonly string[];
  /** Of the oldest of their last summaries; absent when none of them had any. */
  readonly dataAgeMs?: number | undefined;
  /** Pods on them that should have data. */
  readonly expectedPodCount: number;
}

interface AbsenceGroup extends Pick<AbsenceReport, 'reason' | 'isAwaited' | 'isOfApiServer' | 'hint'> {
  nodeCount: number;
  readonly exampleNodes: string[];
  dataAgeMs: number | undefined;
  expectedPodCount: number;
  readonly workloads: AffectedWorkloads;
}

/** Nodes without data by cause. Nodes are added one by one, in the order of their names; skipped ones are left out. */
export class Absences {
  readonly #options;
  /** Those that are awaited together, the others by reason and what to do. */
  readonly #groups = new Map<string, AbsenceGroup>();

  constructor(options: { readonly incomplete: IncompleteWorkloads; readonly apiServer: ApiServerState }) {
    this.#options = options;
  }

  add(state: AbsentNodeView, lastKnown: LastKnown | undefined, failure: NodeFailure | undefined): void {
    const { reason } = state;
    if (reason === 'skipped') return;
    const isAwaited = isAwaitedNode(reason, failure);
    const hint = nodeHint(reason, failure, this.#options.apiServer);
    const key = isAwaited ? 'awaited' : `${reason} ${hint}`;
    const group = getOrAdd(this.#groups, key, () => this.#newGroup({ reason, isAwaited, hint }));
    group.nodeCount += 1;
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
    return Array.from(this.#groups.values(), ({ workloads, ...group }) => ({
      ...group,
      ...workloads.report(),
    })).sort((a, b) => b.expectedPodCount - a.expectedPodCount || b.nodeCount - a.nodeCount);
  }

  #newGroup(of: Pick<AbsenceGroup, 'reason' | 'isAwaited' | 'hint'>): AbsenceGroup {
    const { incomplete, apiServer } = this.#options;
    return {
      ...of,
      isOfApiServer: isOfApiServer(of.reason, apiServer),
      nodeCount: 0,
      exampleNodes: [],
      dataAgeMs: undefined,
      expectedPodCount: 0,
      workloads: new AffectedWorkloads(incomplete),
    };
  }
}
