import type { MeasuredNodeView } from '../../facts/node/node-view.js';
import type { PodRecord } from '../../facts/node/pod-record.js';
import type { PodPlace } from './pod-report.js';
import {
  affectedReport,
  type AffectedWorkloadsReport,
  exampleCount,
  incompleteOf,
  type IncompleteWorkloads,
} from './workload-report.js';

/**
 * `missing`: the summary of the node lacks a pod that runs there. `no_total`: it lists a pod without its usage.
 * `volumes_pending`: the kubelet has not measured the volumes of a pod that is not new. `other`: incomplete workloads for
 * none of these causes, and not because of a node without data.
 */
const podGapKinds = ['missing', 'no_total', 'volumes_pending'] as const;
type PodGapKind = (typeof podGapKinds)[number];

/** What lacks values for one cause although its nodes have data. */
export interface GapReport extends AffectedWorkloadsReport {
  readonly kind: PodGapKind | 'other';
  /** 0 for `other`. */
  readonly podCount: number;
  /** The first of them by node. */
  readonly examplePods: readonly PodPlace[];
}

/** Kubelets measure volumes once a minute, up to two minutes apart. Those of a new pod are no gap until then. */
const volumesDueMs = 120_000;

/** A pod that lacks values; `young`: of a new one, whose volumes are no gap. */
export interface PodGap {
  readonly kind: PodGapKind | 'young';
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
    const kind = isNew(pod, nowMs - ageMs) ? 'young' : 'volumes_pending';
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
  {
    incomplete,
    explained,
  }: { readonly incomplete: IncompleteWorkloads; readonly explained: readonly IncompleteWorkloads[] },
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

function isNew({ bound }: PodRecord, measuredAtMs: number): boolean {
  return measuredAtMs - (bound?.pod.runningSinceMs ?? measuredAtMs) < volumesDueMs;
}
