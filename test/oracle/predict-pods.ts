/** Series of one pod, its containers and volumes. */
import {
  aggregated,
  type Attribution,
  enforcedLimits,
  type Enforcement,
  lastingSpecs,
  type PodFigures,
} from './pods.js';
import { nanosPerByte, storageOf, toBytes } from './quantity.js';
import type { RawPod, RawPodStats } from './raw.js';
import type { Labels, Prediction } from './series.js';
import { timeMs, toSeconds } from './times.js';
import { isMirror, workloadOf } from './workloads.js';

export interface PodSemantics extends Enforcement {
  readonly attribution: Attribution;
  readonly controllers: boolean;
  readonly node: string;
  /** Of the node's own disk. */
  readonly nodeCapacity: number | undefined;
}

export function predictPod(prediction: Prediction, figures: PodFigures, semantics: PodSemantics): void {
  const { stats, pod, used } = figures;
  const { namespace, name } = stats.podRef;
  const labels = { namespace, pod: name, node: semantics.node };
  prediction.add('pod_used_bytes', labels, used);
  prediction.add('pod_inodes_used', labels, stats['ephemeral-storage']?.inodesUsed);
  prediction.add('pod_start_time_seconds', labels, toSeconds(timeMs(stats.startTime)));
  prediction.add('pod_volume_stats_pending', labels, figures.arePending ? 1 : undefined);
  const measuredAt = (stats.volume ?? []).flatMap(({ time }) => timeMs(time) ?? []);
  const oldestMs = measuredAt.length === 0 ? undefined : Math.min(...measuredAt);
  prediction.add('pod_volume_stats_timestamp_seconds', labels, toSeconds(oldestMs));
  for (const component of figures.componentNames()) {
    prediction.add('pod_component_used_bytes', { ...labels, component }, figures.component(component));
  }
  predictContainers(prediction, figures, { labels, attribution: semantics.attribution });
  predictVolumes(prediction, figures, { labels, nodeCapacity: semantics.nodeCapacity });
  if (pod !== undefined) predictFromSpec(prediction, { figures, pod, labels }, semantics);
}

function predictContainers(
  prediction: Prediction,
  figures: PodFigures,
  { labels, attribution }: { readonly labels: Labels; readonly attribution: Attribution },
): void {
  const shares = figures.shares(attribution);
  for (const [place, { name, rootfs, logs }] of figures.containers.entries()) {
    const own = { ...labels, container: name };
    prediction.add('container_used_bytes', own, shares[place]);
    prediction.add('container_rootfs_used_bytes', own, rootfs?.usedBytes);
    prediction.add('container_logs_used_bytes', own, logs?.usedBytes);
    prediction.add('container_rootfs_inodes_used', own, rootfs?.inodesUsed);
    prediction.add('container_logs_inodes_used', own, logs?.inodesUsed);
  }
}

const apartTypes = /^(?:pvc|ephemeral|csi|nfs|hostpath|unknown|emptydir (?:Memory|HugePages.*))$/;

function predictVolumes(
  prediction: Prediction,
  figures: PodFigures,
  { labels, nodeCapacity }: { readonly labels: Labels; readonly nodeCapacity: number | undefined },
): void {
  for (const volume of figures.stats.volume ?? []) {
    const kind = figures.kindOf(volume.name);
    const { type, medium, limit } = kind;
    const counted = String(figures.isCounted(kind));
    const own = { ...labels, volume: volume.name, type, medium, counted };
    prediction.add('volume_used_bytes', own, volume.usedBytes);
    prediction.add('volume_limit_bytes', own, limit === undefined ? undefined : toBytes(limit));
    const sizes = [volume.capacityBytes, nodeCapacity];
    if (sizes.includes(undefined) || sizes[0] === sizes[1]) continue;
    if (!apartTypes.test(`${type} ${medium}`.trim())) continue;
    prediction.add('volume_capacity_bytes', own, volume.capacityBytes);
    prediction.add('volume_available_bytes', own, volume.availableBytes);
    prediction.add('volume_inodes_used', own, volume.inodesUsed);
  }
}

interface KnownPod {
  readonly figures: PodFigures;
  readonly pod: RawPod;
  readonly labels: Labels;
}

function predictFromSpec(prediction: Prediction, known: KnownPod, semantics: PodSemantics): void {
  const { pod, labels } = known;
  predictInfo(prediction, known);
  prediction.add('pod_limit_bytes', labels, aggregated(pod, 'limits'));
  prediction.add('pod_request_bytes', labels, aggregated(pod, 'requests'));
  for (const { name, resources } of lastingSpecs(pod)) {
    prediction.add('container_limit_bytes', { ...labels, container: name }, storageOf(resources?.limits));
    prediction.add('container_request_bytes', { ...labels, container: name }, storageOf(resources?.requests));
  }
  if (semantics.controllers) {
    const { namespace, name } = pod.metadata;
    const { namespace: workload_namespace, ...workload } = workloadOf(pod);
    prediction.add('pod_workload_info', { namespace, pod: name, ...workload, workload_namespace }, 1);
  }
}

/** Also of a pod without a total. */
export function predictLimits(prediction: Prediction, stats: RawPodStats, pod: RawPod, semantics: PodSemantics): void {
  const labels = { namespace: pod.metadata.namespace, pod: pod.metadata.name, node: semantics.node };
  const limits = enforcedLimits(stats, pod, semantics);
  const isCritical = (pod.spec.priority ?? 0) >= 2e9;
  if (limits.length > 0 && (isMirror(pod) || isCritical)) {
    prediction.add('pod_eviction_exempt_info', { ...labels, reason: isMirror(pod) ? 'static' : 'critical' }, 1);
  }
  for (const { rule, container = '', volume = '', used, limit } of limits) {
    const ratio = used === 0n ? 0 : Number(used) / (Number(limit) / Number(nanosPerByte));
    prediction.add('limit_ratio', { ...labels, rule, container, volume }, ratio);
  }
}

function predictInfo(prediction: Prediction, { pod, labels }: KnownPod): void {
  const { metadata, spec, status } = pod;
  const about = {
    uid: metadata.uid,
    qos_class: status.qosClass ?? '',
    phase: status.phase,
    host_ip: status.hostIP ?? '',
    static: String(isMirror(pod)),
    priority_class: spec.priorityClassName ?? '',
  };
  prediction.add('pod_info', { ...labels, ...about }, 1);
}
