import type { Volume, VolumeType } from '../../cluster/kube/objects.js';
import { roundUp } from '../../cluster/kube/quantity.js';
import { known } from '../../cluster/kubelet/summary.js';
import type { LimitRatio } from '../../facts/node/limit-ratios.js';
import type { VolumeUsage } from '../../facts/node/usage.js';
import { countedComponent, mountedVolumeNames } from '../../facts/node/volume-usage.js';
import { type LimitReport, limitReport } from './limit-report.js';
import { type FoundPod, type PodPlace, podPlace } from './pod-report.js';

export interface VolumeReport extends PodPlace {
  readonly volume: string;
  readonly type: VolumeType;
  readonly medium: string;
  /** Absent until the kubelet has measured it. */
  readonly usedBytes?: number | undefined;
  /** Whether a volume of this type and medium is part of the pod's total. */
  readonly isCounted: boolean;
  /** Why it is part of the total, or why not. */
  readonly countedReason: string;
  readonly limitBytes?: number | undefined;
  readonly nearestLimit?: LimitReport | undefined;
  readonly capacityBytes?: number | undefined;
  readonly availableBytes?: number | undefined;
  readonly inodesUsed?: number | undefined;
  /** Wall time of the kubelet's measurement, since the epoch. */
  readonly measuredAtMs?: number | undefined;
}

/** The volumes that the kubelet lists for a pod. */
export function volumeReports(found: FoundPod): readonly VolumeReport[] {
  const ratios = new Map<string, LimitRatio>();
  for (const ratio of found.pod.ratios) if (ratio.rule === 'emptydir') ratios.set(ratio.volume, ratio);
  return found.pod.usage.volumes.map((volume) => listedReport(found, volume, ratios.get(volume.name)));
}

/** The volumes of the pod's spec that the kubelet does not list. */
export function unlistedVolumeReports(found: FoundPod): readonly VolumeReport[] {
  const { bound, usage } = found.pod;
  const pod = bound?.pod;
  const listed = new Set(usage.volumes.map(({ name }) => name));
  const unlisted = pod?.volumes.filter(({ name }) => !listed.has(name)) ?? [];
  const mounted = pod === undefined ? new Set() : mountedVolumeNames(pod);
  return unlisted.map((volume) => {
    const report = { ...podPlace(found), ...specOf(volume) };
    // The kubelet mounts and lists only what a container mounts.
    const isUnmounted = report.isCounted && !mounted.has(volume.name);
    return isUnmounted ? { ...report, isCounted: false, countedReason: 'mounted by no container' } : report;
  });
}

function listedReport(found: FoundPod, volume: VolumeUsage, ratio: LimitRatio | undefined): VolumeReport {
  const { usedBytes, capacityBytes, availableBytes, inodesUsed, measuredAtMs } = volume;
  return {
    ...podPlace(found),
    ...specOf(volume),
    usedBytes: known(usedBytes),
    nearestLimit: ratio && limitReport(ratio),
    capacityBytes,
    availableBytes,
    inodesUsed: known(inodesUsed),
    measuredAtMs,
  };
}

function specOf({ name, type, medium, sizeLimitBytes }: Omit<Volume, 'isRawBlock'>) {
  return {
    volume: name,
    type,
    medium,
    isCounted: countedComponent({ type, medium }) !== undefined,
    countedReason: medium === '' ? reasons[type] : inMemory,
    limitBytes: sizeLimitBytes && roundUp(sizeLimitBytes),
  };
}

const inMemory = 'in memory';
const ownStorage = 'separate storage';

const reasons: Readonly<Record<VolumeType, string>> = {
  emptydir: 'component emptydir',
  configmap: 'component configmap',
  gitrepo: 'not measured by kubelets',
  secret: inMemory,
  projected: inMemory,
  downwardapi: inMemory,
  hostpath: 'files of the node',
  pvc: ownStorage,
  ephemeral: ownStorage,
  csi: ownStorage,
  nfs: ownStorage,
  image: 'image of the node',
  unknown: 'unknown type',
};
