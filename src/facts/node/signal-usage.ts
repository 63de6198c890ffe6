import type { Pod, Volume } from '../../cluster/kube/objects.js';
import { othersName } from '../../cluster/kube/pod-bounds.js';
import { measuredVolumes } from '../../cluster/kube/pod-rest.js';
import {
  countsInodes,
  type EvictionSignal,
  filesystemOf,
  type SignalFilesystem,
} from '../../cluster/kubelet/eviction-signals.js';
import type { PartFigures, PodSummary } from '../../cluster/kubelet/summary.js';
import { addFigures, type Figure, known, sumOfFigures } from '../../cluster/kubelet/summary.js';
import { finderByName } from '../../lib/base/maps.js';
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
  /** Without it, of containers alone: the types of volumes are not known. */
  readonly pod: Pod | undefined;
  readonly signal: EvictionSignal;
  readonly layout: StorageLayout;
}

/**
 * The bytes or inodes of a pod that its kubelet counts for a signal: of all containers in the summary, whatever their kind,
 * and of local volumes. A figure that the summary lacks counts as 0, as it does for the kubelet. Undefined with an impossible one.
 */
export function signalUsage(input: SignalUsageInput): number | undefined {
  return known(usageOf(input, isLocal));
}

/** The part of {@link signalUsage} that ends with the pod: what a hostPath has stays on the node. */
export function freedByEviction(input: SignalUsageInput): number | undefined {
  return known(usageOf(input, (volume) => isLocal(volume) && volume.type !== 'hostpath'));
}

function usageOf({ summary, pod, signal, layout }: SignalUsageInput, isCounted: (volume: Volume) => boolean): Figure {
  const parts = partsOn[layout][filesystemOf(signal)];
  const stats: (PartFigures | undefined)[] = [];
  for (const { rootfs, logs } of summary.containers) {
    if (parts.includes('rootfs')) stats.push(rootfs);
    if (parts.includes('logs')) stats.push(logs);
  }
  if (pod === undefined || !parts.includes('volumes')) return sumOf(stats, signal);
  const findVolume = finderByName(summary.volumes ?? []);
  for (const volume of measuredVolumes(pod)) if (isCounted(volume)) stats.push(findVolume(volume.name));
  const usage = sumOf(stats, signal);
  return pod.rest === undefined ? usage : addFigures(usage, unknownUsage({ summary, pod }, signal));
}

function sumOf(stats: readonly (PartFigures | undefined)[], signal: EvictionSignal): Figure {
  const ofInodes = countsInodes(signal);
  return sumOfFigures(stats, (of) => (ofInodes ? of?.inodesUsed : of?.usedBytes), 0);
}

/**
 * Of the volumes that a summary has as one entry, whose types are not known: what they hold, but no more than the pod's total
 * has beside all that is known. Those that are local are part of the total, except hostPaths.
 */
function unknownUsage(
  { summary, pod }: Record<'summary', PodSummary> & Record<'pod', Pod>,
  signal: EvictionSignal,
): Figure {
  const findSpec = finderByName(measuredVolumes(pod));
  const { containers, volumes = [] } = summary;
  const unknown = sumOf(
    volumes.filter(({ name }) => name === othersName),
    signal,
  );
  const counted = volumes.filter(({ name }) => {
    const spec = findSpec(name);
    return spec !== undefined && countedComponent(spec) !== undefined;
  });
  const others = sumOf([...containers.flatMap(({ rootfs, logs }) => [rootfs, logs]), ...counted], signal);
  const total = countsInodes(signal) ? summary.inodesUsed : summary.usedBytes;
  if (total === undefined || unknown === 0) return unknown;
  if (typeof unknown !== 'number' || typeof others !== 'number') return 'impossible';
  return Math.min(unknown, Math.max(0, total - others));
}

function isLocal({ type, medium }: Volume): boolean {
  return type === 'hostpath' || type === 'configmap' || (type === 'emptydir' && medium === '');
}
