import type { AbsenceReason, MeasuredNodeView } from '../../facts/node/node-view.js';
import { groupBy } from '../../lib/base/maps.js';
import { type ApiServerState, isAwaitedNode, isOfApiServer, nodeHint } from './absence-hints.js';
import type { ListedNode } from './node-report.js';
import type { PodPlace } from './pod-report.js';
import { absenceCommands } from './verdict-commands.js';
import {
  affectedReport,
  type AffectedWorkloadsReport,
  exampleCount,
  incompleteOf,
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
  affectedBy: ReadonlyMap<string, IncompleteWorkloads>,
  apiServer: ApiServerState,
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

/**
 * `missing`: the summary of the node lacks a pod that runs there. `no_total`: it lists a pod without its usage.
 * `volumes_pending`: the kubelet has not measured the volumes of a pod that is not new. `other`: incomplete workloads for
 * none of these causes, and not because of a node without data.
 */
const podGapKinds = ['missing', 'no_total', 'volumes_pending'] as const;

/** What lacks values for one cause although its nodes have data. */
export interface GapReport extends AffectedWorkloadsReport {
  readonly kind: (typeof podGapKinds)[number] | 'other';
  /** 0 for `other`. */
  readonly podCount: number;
  /** The first of them by node. */
  readonly examplePods: readonly PodPlace[];
}

/** Kubelets measure volumes once a minute, up to two minutes apart. Those of a new pod are no gap until then. */
const volumesDueMs = 120_000;

/** A pod that lacks values; `young`: of a new one, whose volumes are no gap. */
export interface PodGap {
  readonly kind: (typeof podGapKinds)[number] | 'young';
  readonly place: PodPlace;
  readonly affected: IncompleteWorkloads;
}

/** Returns the pods of a node that lack values. `nowMs`: time since the Unix epoch that never jumps. */
export function podGaps(
  { nodeName: node, snapshot, unmeasured, ageMs }: MeasuredNodeView,
  nowMs: number,
  incomplete: IncompleteWorkloads,
): PodGap[] {
  const unlisted = unmeasured.map(({ pod: { uid, namespace, name }, workloads }): PodGap => {
    const kind = snapshot.listedPodUids.has(uid) ? 'no_total' : 'missing';
    return { kind, place: { namespace, pod: name, node }, affected: incompleteOf(workloads, incomplete) };
  });
  const pending = snapshot.pods.flatMap((pod): readonly PodGap[] => {
    if (!pod.isPending) return [];
    const { namespace, name } = pod.summary;
    const { runningSinceMs = Infinity } = pod.bound?.pod ?? {};
    const kind = nowMs - ageMs - runningSinceMs < volumesDueMs ? 'young' : 'volumes_pending';
    return [{ kind, place: { namespace, pod: name, node }, affected: incompleteOf(pod.workloads, incomplete) }];
  });
  return [...unlisted, ...pending];
}

/**
 * Returns the gaps that there are. `pods`: in the order of the names of their nodes; `explained`: workloads that are incomplete for
 * other causes, which are known.
 */
export function gapReports(
  pods: readonly PodGap[],
  incomplete: IncompleteWorkloads,
  explained: readonly IncompleteWorkloads[],
): readonly GapReport[] {
  const others = new Map(incomplete);
  for (const affected of [...explained, ...pods.map((pod) => pod.affected)])
    for (const key of affected.keys()) others.delete(key);
  const gaps = podGapKinds.map((kind): GapReport => {
    const found = pods.filter((pod) => pod.kind === kind);
    const examplePods = found.slice(0, exampleCount).map(({ place }) => place);
    return { kind, podCount: found.length, examplePods, ...affectedReport(found.map((pod) => pod.affected)) };
  });
  return [...gaps, { kind: 'other' as const, podCount: 0, examplePods: [], ...affectedReport([others]) }].filter(
    ({ podCount, incompleteWorkloadCount }) => podCount + incompleteWorkloadCount > 0,
  );
}
