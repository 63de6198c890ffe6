/** Series of one pod, its containers and volumes. */
import { type Attribution, enforcedLimits, type Enforcement, type PodFigures } from './pods.js';
import { nanosPerByte } from './quantity.js';
import type { RawPod, RawPodStats } from './raw.js';
import type { Labels, Prediction } from './series.js';
import { timeMs, toSeconds } from './times.js';
import { type NodeSight, predictPodLimits } from './unenforced.js';

export interface PodSemantics extends Enforcement {
  readonly attribution: Attribution;
  readonly node: string;
  readonly sight: NodeSight;
  /** Of the node's own disk. */
  readonly nodeCapacity: number | undefined;
}

export function predictPod(prediction: Prediction, figures: PodFigures, semantics: PodSemantics): void {
  const { stats, used } = figures;
  const { namespace, name } = stats.podRef;
  const labels = { namespace, pod: name, node: semantics.node };
  prediction.add('pod_used_bytes', labels, used);
  prediction.add('pod_volume_stats_pending', labels, figures.arePending ? 1 : undefined);
  for (const component of figures.componentNames()) {
    prediction.add('pod_component_used_bytes', { ...labels, component }, figures.component(component));
  }
  predictParts(prediction, figures, semantics, true);
}

/** What is known of it all the same. */
export function predictPodWithoutTotal(prediction: Prediction, figures: PodFigures, semantics: PodSemantics): void {
  predictParts(prediction, figures, semantics, false);
}

function predictParts(
  prediction: Prediction,
  figures: PodFigures,
  { node, attribution, nodeCapacity }: PodSemantics,
  hasTotal: boolean,
): void {
  const { stats } = figures;
  const { namespace, name } = stats.podRef;
  const labels = { namespace, pod: name, node };
  prediction.add('pod_inodes_used', labels, stats['ephemeral-storage']?.inodesUsed);
  prediction.add('pod_start_time_seconds', labels, toSeconds(timeMs(stats.startTime)));
  const measuredAt = (stats.volume ?? []).flatMap(({ time }) => timeMs(time) ?? []);
  const oldestMs = measuredAt.length === 0 ? undefined : Math.min(...measuredAt);
  prediction.add('pod_volume_stats_timestamp_seconds', labels, toSeconds(oldestMs));
  predictContainers(prediction, figures, { labels, attribution, hasTotal });
  predictVolumes(prediction, figures, { labels, nodeCapacity });
}

function predictContainers(
  prediction: Prediction,
  figures: PodFigures,
  {
    labels,
    attribution,
    hasTotal,
  }: { readonly labels: Labels; readonly attribution: Attribution; readonly hasTotal: boolean },
): void {
  for (const { name, share, reported } of figures.servedContainers(attribution)) {
    const own = { ...labels, container: name };
    prediction.add('container_used_bytes', own, hasTotal ? share : undefined);
    prediction.add('container_rootfs_used_bytes', own, reported('rootfs', 'usedBytes'));
    prediction.add('container_logs_used_bytes', own, reported('logs', 'usedBytes'));
    prediction.add('container_rootfs_inodes_used', own, reported('rootfs', 'inodesUsed'));
    prediction.add('container_logs_inodes_used', own, reported('logs', 'inodesUsed'));
  }
}

const reportedOf = (figure: number | undefined): number | undefined =>
  figure === undefined || figure < 0 ? undefined : figure;

const apartTypes = /^(?:pvc|ephemeral|csi|nfs|hostpath|unknown|emptydir (?:Memory|HugePages.*))$/;

function predictVolumes(
  prediction: Prediction,
  figures: PodFigures,
  { labels, nodeCapacity }: { readonly labels: Labels; readonly nodeCapacity: number | undefined },
): void {
  for (const volume of figures.servedVolumes()) {
    const kind = figures.kindOf(volume.name);
    const { type, medium } = kind;
    const counted = String(figures.isCounted(kind));
    const own = { ...labels, volume: volume.name, type, medium, counted };
    prediction.add('volume_used_bytes', own, reportedOf(volume.usedBytes));
    const sizes = [volume.capacityBytes, nodeCapacity];
    if (sizes.includes(undefined) || sizes[0] === sizes[1]) continue;
    if (!apartTypes.test(`${type} ${medium}`.trim())) continue;
    prediction.add('volume_capacity_bytes', own, volume.capacityBytes);
    prediction.add('volume_available_bytes', own, volume.availableBytes);
    prediction.add('volume_inodes_used', own, reportedOf(volume.inodesUsed));
  }
}

/** Also of a pod without a total. */
export function predictLimits(prediction: Prediction, stats: RawPodStats, pod: RawPod, semantics: PodSemantics): void {
  const labels = { namespace: pod.metadata.namespace, pod: pod.metadata.name, node: semantics.node };
  const limits = enforcedLimits(stats, pod, semantics);
  predictPodLimits(prediction, { stats, pod }, { ...semantics, labels });
  for (const { rule, container = '', volume = '', used, limit } of limits) {
    const ratio = used === 0n ? 0 : Number(used) / bytesOf(limit);
    prediction.add('limit_ratio', { ...labels, rule, container, volume }, ratio);
  }
}

/** Whole bytes are exact: rounded twice, the last digit of a ratio to a petabyte would be another one. */
function bytesOf(nanos: bigint): number {
  return nanos % nanosPerByte === 0n ? Number(nanos / nanosPerByte) : Number(nanos) / Number(nanosPerByte);
}
