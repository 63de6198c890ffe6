/** Series about limits that do not do what they seem to do. */
import { enforcedLimits, type Enforcement } from './pods.js';
import type { RawContainerStatus, RawNode, RawPod, RawPodStats, RawSummary } from './raw.js';
import type { Labels, Prediction } from './series.js';
import { timeMs } from './times.js';
import { isMirror } from './workloads.js';

interface KnownPod {
  readonly stats: RawPodStats;
  readonly pod: RawPod;
}

/** What the kubelets of a node cannot see, from its summary and the pods of the API server in it. */
export interface NodeSight {
  /** Of no container on the node is the writable layer measured. */
  readonly isBlind: boolean;
  readonly measuredAtMs: number;
}

export function sightOf({ node, pods }: RawSummary): NodeSight {
  const isMeasured = pods.some(({ containers }) =>
    (containers ?? []).some(({ rootfs }) => rootfs?.usedBytes !== undefined),
  );
  return { isBlind: !isMeasured, measuredAtMs: timeMs(node.fs?.time) ?? Infinity };
}

/** The minor version of the node's kubelet; 0 when it is unknown. */
export function kubeletMinor(nodeName: string, nodes: readonly RawNode[]): number {
  const version = nodes.find(({ metadata }) => metadata.name === nodeName)?.status?.nodeInfo?.kubeletVersion ?? '';
  return Number(/^v1\.(\d+)/.exec(version)?.[1] ?? 0);
}

export function predictNodeLimits(
  prediction: Prediction,
  { node }: { readonly node: string },
  {
    pods,
    sight,
    hasDedicatedImagefs,
  }: {
    readonly pods: readonly KnownPod[];
    readonly sight: NodeSight;
    readonly hasDedicatedImagefs: boolean;
  },
): void {
  const isUnmeasured = sight.isBlind && pods.some((known) => isUnseen(known, sight));
  const rules = isUnmeasured ? ['pod', 'container'] : hasDedicatedImagefs ? ['container'] : [];
  const reason = isUnmeasured ? 'rootfs_not_measured' : 'dedicated_imagefs';
  for (const rule of rules) prediction.add('node_limits_unenforced_info', { node, rule, reason }, 1);
}

export function predictPodLimits(
  prediction: Prediction,
  known: KnownPod,
  { labels, sight, ...enforcement }: Enforcement & { readonly labels: Labels; readonly sight: NodeSight },
): void {
  const { stats, pod } = known;
  const limits = enforcedLimits(stats, pod, enforcement);
  if (limits.length === 0) return;
  const say = (rule: string, reason: string): void => {
    prediction.add('limit_unenforced_info', { ...labels, rule, reason }, 1);
  };
  const concernsContainers = limits.some(({ rule, container }) => {
    const listed = stats.containers?.find(({ name }) => name === container);
    return rule === 'pod' || (rule === 'container' && !enforcement.hasDedicatedImagefs && lacks(listed));
  });
  if (isMirror(pod) || (pod.spec.priority ?? 0) >= 2e9) say('all', 'exempt');
  else if (concernsContainers && !sight.isBlind && isUnseen(known, sight)) say('pod', 'rootfs_not_measured');
  else if (limits.some(({ isBounded }) => isBounded === true)) say('emptydir', 'memory_medium');
}

const lacks = (container: { readonly rootfs?: { readonly usedBytes?: number } } | undefined): boolean =>
  container?.rootfs?.usedBytes === undefined;

/** A container without a figure, and none of the pod that has started within a minute. */
function isUnseen({ stats, pod }: KnownPod, { measuredAtMs }: NodeSight): boolean {
  const starts = startsOf(pod);
  if (starts.length === 0 || !(stats.containers ?? []).some(lacks)) return false;
  return measuredAtMs - Math.max(...starts) > 60_000;
}

function startsOf({ status }: RawPod): readonly number[] {
  if (status.phase !== 'Running' && status.phase !== 'Pending') return [];
  const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = status;
  const all: readonly RawContainerStatus[] = [
    ...initContainerStatuses,
    ...containerStatuses,
    ...ephemeralContainerStatuses,
  ];
  if (all.length === 0) return status.phase === 'Running' ? [timeMs(status.startTime) ?? Infinity] : [];
  return all.flatMap(({ state }) => timeMs(state?.running?.startedAt) ?? []);
}
