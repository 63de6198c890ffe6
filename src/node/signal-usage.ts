import { finderByName } from '../base/maps.js';
import type { Pod, Volume } from '../kube/objects.js';
import { othersName } from '../kube/pod-bounds.js';
import { measuredVolumes } from '../kube/pod-rest.js';
import { countsInodes, type EvictionSignal, filesystemOf, type SignalFilesystem } from '../kubelet/eviction-signals.js';
import type { FsStats, PodSummary } from '../kubelet/summary.js';
import type { StorageLayout } from './node-layout.js';
import { countedComponent } from './volume-usage.js';

/** Where a pod writes. */
type Part = 'rootfs' | 'logs' | 'volumes';

const allParts: readonly Part[] = ['rootfs', 'logs', 'volumes'];

/**
 * Which of a pod's files are on the filesystem of a signal.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/eviction/helpers.go (buildSignalToRankFunc)
 */
const partsOn: Readonly<Record<StorageLayout, Readonly<Record<SignalFilesystem, readonly Part[]>>>> = {
  shared: { nodefs: allParts, imagefs: allParts, containerfs: allParts },
  dedicated: { nodefs: ['logs', 'volumes'], imagefs: ['rootfs'], containerfs: ['rootfs'] },
  split: { nodefs: allParts, imagefs: [], containerfs: allParts },
};

export interface SignalUsageInput {
  readonly summary: PodSummary;
  readonly pod: Pod;
  readonly signal: EvictionSignal;
  readonly layout: StorageLayout;
}

/**
 * The bytes or inodes of a pod that its kubelet counts for a signal: of all containers in the summary, whatever their kind,
 * and of local volumes. A figure that the summary lacks counts as 0, as it does for the kubelet.
 */
export function signalUsage(input: SignalUsageInput): number {
  return usageOf(input, isLocal);
}

/** The part of {@link signalUsage} that ends with the pod: what a hostPath has stays on the node. */
export function freedByEviction(input: SignalUsageInput): number {
  return usageOf(input, (volume) => isLocal(volume) && volume.type !== 'hostpath');
}

function usageOf({ summary, pod, signal, layout }: SignalUsageInput, isCounted: (volume: Volume) => boolean): number {
  const parts = partsOn[layout][filesystemOf(signal)];
  const amountOf = (stats: Figures | undefined): number =>
    (countsInodes(signal) ? stats?.inodesUsed : stats?.usedBytes) ?? 0;
  let usage = 0;
  for (const { rootfs, logs } of summary.containers) {
    if (parts.includes('rootfs')) usage += amountOf(rootfs);
    if (parts.includes('logs')) usage += amountOf(logs);
  }
  if (!parts.includes('volumes')) return usage;
  const findVolume = finderByName(summary.volumes ?? []);
  for (const volume of measuredVolumes(pod)) if (isCounted(volume)) usage += amountOf(findVolume(volume.name));
  return pod.rest === undefined ? usage : usage + unknownUsage({ summary, pod }, signal);
}

/**
 * Of the volumes that a summary has as one entry, whose types are not known: what they hold, but no more than the pod's total
 * has beside all that is known. Those that are local are part of the total, except hostPaths.
 */
function unknownUsage({ summary, pod }: Pick<SignalUsageInput, 'summary' | 'pod'>, signal: EvictionSignal): number {
  const ofInodes = countsInodes(signal);
  const figureOf = ({ inodesUsed, usedBytes }: Figures): number | undefined => (ofInodes ? inodesUsed : usedBytes);
  const sumOf = (stats: readonly (Figures | undefined)[]): number =>
    stats.reduce((sum, each) => sum + ((each && figureOf(each)) ?? 0), 0);
  const findSpec = finderByName(measuredVolumes(pod));
  const { containers, volumes = [] } = summary;
  const unknown = sumOf(volumes.filter(({ name }) => name === othersName));
  const counted = volumes.filter(({ name }) => {
    const spec = findSpec(name);
    return spec !== undefined && countedComponent(spec) !== undefined;
  });
  const known = sumOf(containers.flatMap(({ rootfs, logs }) => [rootfs, logs])) + sumOf(counted);
  return Math.min(unknown, Math.max(0, (figureOf(summary) ?? Infinity) - known));
}

type Figures = Pick<FsStats, 'usedBytes' | 'inodesUsed'>;

function isLocal({ type, medium }: Volume): boolean {
  return type === 'hostpath' || type === 'configmap' || (type === 'emptydir' && medium === '');
}
