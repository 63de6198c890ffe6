import type { AbsenceReason } from '../../facts/node/node-view.js';
import { groupBy } from '../../lib/base/maps.js';
import { type ApiServerState, isAwaitedNode, isOfApiServer, nodeHint } from './absence-hints.js';
import type { ListedNode } from './node-report.js';
import { absenceCommands } from './verdict-commands.js';
import {
  affectedReport,
  type AffectedWorkloadsReport,
  exampleCount,
  type IncompleteWorkloads,
} from './workload-report.js';

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
  /** Of the first node: what to run next. */
  readonly commands: readonly string[];
  readonly nodeCount: number;
  /** The first of them by name. */
  readonly exampleNodes: readonly string[];
  /** Of the oldest of their last summaries; absent when none of them had any. */
  readonly dataAgeMs?: number | undefined;
  /** Pods on them that should have data. */
  readonly expectedPodCount: number;
}

/**
 * Returns those that cost most pods first. `nodes`: in the order of their names; those that are skipped or have data are left out.
 * `affectedBy`: by the names of nodes without data, the workloads that lack their pods.
 */
export function absenceReports(
  nodes: readonly ListedNode[],
  {
    affectedBy,
    apiServer,
  }: { readonly affectedBy: ReadonlyMap<string, IncompleteWorkloads>; readonly apiServer: ApiServerState },
): readonly AbsenceReport[] {
  const found = nodes.flatMap(({ view, failure, source }) => {
    if (view.state !== 'absent' || view.reason === 'skipped') return [];
    const isAwaited = isAwaitedNode(view.reason, failure);
    return [{ view, failure, source, isAwaited, hint: nodeHint(view.reason, failure, apiServer) }];
  });
  const groups = groupBy(found, ({ view, isAwaited, hint }) => (isAwaited ? '' : `${view.reason} ${hint}`));
  return Array.from(groups.values(), (group): AbsenceReport => {
    const [{ view, failure, isAwaited, hint }] = group;
    const ages = group.flatMap(({ source }) => (source === undefined ? [] : [Math.round(source.ageMs)]));
    return {
      reason: view.reason,
      isAwaited,
      isOfApiServer: isOfApiServer(view.reason, apiServer),
      hint,
      commands: absenceCommands(view.reason, view.nodeName, failure),
      nodeCount: group.length,
      exampleNodes: group.slice(0, exampleCount).map((of) => of.view.nodeName),
      dataAgeMs: ages.length === 0 ? undefined : Math.max(...ages),
      expectedPodCount: group.reduce((sum, of) => sum + of.view.expectedPods, 0),
      ...affectedReport(group.flatMap((of) => affectedBy.get(of.view.nodeName) ?? [])),
    };
  }).sort((a, b) => b.expectedPodCount - a.expectedPodCount || b.nodeCount - a.nodeCount);
}
