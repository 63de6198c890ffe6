import { formatCount } from '../base/text.js';
import { formatBytes, formatForecast } from '../base/units.js';
import { filesystemOf, type SignalFilesystem } from '../kubelet/eviction-signals.js';
import type { DiskPart, DiskPartKind, DiskReport } from './disk-report.js';
import type { FilesystemReport } from './filesystem-report.js';
import type { NodePressureReport } from './pressure-report.js';
import { promqlString as label } from './promql.js';
import type { SignalReport } from './signal-report.js';

/** How a number comes about, and the PromQL that gives it. */
export interface Derivation {
  readonly text: string;
  /** Absent where no series has it. */
  readonly query?: string | undefined;
}

const ofPods =
  'Sum over all pods in the summary of the kubelet. A pod that the settings leave out counts as other but for its writable layers.';
const ofImages =
  'imageFs.usedBytes of the kubelet, less the writable layers of running containers on the same filesystem.';

const partTexts: Readonly<Record<DiskPartKind, string>> = {
  rootfs: ofPods,
  logs: ofPods,
  emptydir: ofPods,
  configmap: ofPods,
  other: ofPods,
  images: `${ofImages} Images, used or not, ended containers and sandboxes. The list of images has other sizes, on containerd compressed ones: how many of these bytes are unused is not known.`,
  unattributed:
    'Used bytes less those of pods and of images, as they are: below 0 where layers are counted several times.',
  reserved: 'Capacity less used less free bytes, as the kubelet reports them.',
  free: 'availableBytes of the kubelet.',
};

/** Of one part of a filesystem. */
export function partDerivation(kind: DiskPartKind, disk: DiskReport, node: string): Derivation {
  const { filesystem } = disk;
  const of = `{node=${label(node)}, filesystem="${filesystem}"}`;
  const queries: Readonly<Record<DiskPartKind, string>> = {
    rootfs: componentQuery('rootfs', node),
    logs: componentQuery('logs', node),
    emptydir: componentQuery('emptydir', node),
    configmap: componentQuery('configmap', node),
    other: componentQuery('other', node),
    images: `ephemeral_storage_node_images_used_bytes${of}`,
    unattributed: `ephemeral_storage_node_unattributed_bytes${of}`,
    reserved: `ephemeral_storage_node_capacity_bytes${of} - ephemeral_storage_node_used_bytes${of} - ephemeral_storage_node_available_bytes${of}`,
    free: `ephemeral_storage_node_available_bytes${of}`,
  };
  const arithmetic = arithmeticOf[kind]?.(disk);
  return {
    text: arithmetic === undefined ? partTexts[kind] : `${partTexts[kind]} ${arithmetic}`,
    query: queries[kind],
  };
}

/** What a part is the rest of, in numbers; undefined where one of them is not known. */
const arithmeticOf: Partial<Record<DiskPartKind, (disk: DiskReport) => string | undefined>> = {
  images: ({ parts }) => {
    const [images, layers = 0] = [bytesOf(parts, 'images'), bytesOf(parts, 'rootfs')];
    if (images === undefined) return undefined;
    return `${exact(images + layers)} - ${exact(layers)} = ${exact(images)}.`;
  },
  unattributed: (disk) => {
    const { parts } = disk;
    const pods = sumOf(parts, ['rootfs', 'logs', 'emptydir', 'configmap', 'other']);
    const [used, images] = [usedOf(disk), sumOf(parts, ['images'])];
    if (used === undefined || pods === undefined || images === undefined) return undefined;
    return `${exact(used)} used - ${exact(pods)} of pods - ${exact(images)} of images = ${exact(used - pods - images)}.`;
  },
  reserved: (disk) => {
    const [used, free] = [usedOf(disk), bytesOf(disk.parts, 'free')];
    const { capacityBytes } = disk;
    if (used === undefined || free === undefined || capacityBytes === undefined) return undefined;
    return `${exact(capacityBytes)} - ${exact(used)} - ${exact(free)} = ${exact(capacityBytes - used - free)}.`;
  },
};

function bytesOf(parts: readonly DiskPart[], kind: DiskPartKind): number | undefined {
  return parts.find((part) => part.kind === kind)?.bytes;
}

/** A part that is left out has no bytes. */
function sumOf(parts: readonly DiskPart[], kinds: readonly DiskPartKind[]): number | undefined {
  const found = parts.filter(({ kind }) => kinds.includes(kind));
  return found.every(({ bytes }) => bytes !== undefined)
    ? found.reduce((sum, { bytes = 0 }) => sum + bytes, 0)
    : undefined;
}

/** As the kubelet reports it: the rest of the capacity. */
function usedOf({ parts, capacityBytes }: DiskReport): number | undefined {
  const [free, reserved] = [sumOf(parts, ['free']), sumOf(parts, ['reserved'])];
  return capacityBytes === undefined || free === undefined || reserved === undefined
    ? undefined
    : capacityBytes - free - reserved;
}

function componentQuery(component: string, node: string): string {
  return `sum(ephemeral_storage_pod_component_used_bytes{node=${label(node)}, component="${component}"})`;
}

/** Of the part of a filesystem that is not free. */
export function fullDerivation({ filesystem, capacityBytes, parts }: DiskReport, node: string): Derivation {
  const free = parts.find(({ kind }) => kind === 'free')?.bytes;
  const of = `{node=${label(node)}, filesystem="${filesystem}"}`;
  return {
    text: `1 - ${exact(free)} free ÷ ${exact(capacityBytes)} of capacity.`,
    query: `1 - ephemeral_storage_node_available_bytes${of} / ephemeral_storage_node_capacity_bytes${of}`,
  };
}

/** Of what is available above a threshold. An assumed threshold is no series: the query has its value. */
export function headroomDerivation(
  signal: SignalReport,
  { node, filesystems }: { readonly node: string; readonly filesystems: readonly FilesystemReport[] },
): Derivation {
  const filesystem = filesystemOf(signal.signal);
  const isOfInodes = signal.thresholdInodes !== undefined;
  const unit = isOfInodes ? 'inodes' : 'bytes';
  const threshold = signal.thresholdBytes ?? signal.thresholdInodes;
  const of = `{node=${label(node)}, filesystem="${filesystem}"}`;
  const exposed = `{node=${label(node)}, filesystem="${exposedFilesystem(filesystem, filesystems)}"}`;
  const available = `ephemeral_storage_node_${isOfInodes ? 'inodes_free' : 'available_bytes'}${exposed}`;
  const text = `${exact(signal.available, unit)} available - ${exact(threshold, unit)} of threshold.`;
  if (signal.isAssumed !== true && filesystem !== 'containerfs')
    return { text, query: `ephemeral_storage_node_eviction_headroom_${unit}${of}` };
  return { text, query: `${available} - ${threshold ?? 0}` };
}

/** A filesystem with several purposes has the series of the first one. */
function exposedFilesystem(name: SignalFilesystem, filesystems: readonly FilesystemReport[]): SignalFilesystem {
  const { sameAs } = filesystems.find(({ filesystem }) => filesystem === name) ?? {};
  return sameAs === undefined ? name : exposedFilesystem(sameAs, filesystems);
}

/** Of the time until a threshold is crossed. */
export function countdownDerivation(
  { signal, headroom, timeToEvictionMs: timeMs }: CountedDown,
  node: string,
): Derivation {
  const unit = signal.endsWith('.inodesFree') ? 'inodes' : 'bytes';
  const rate = timeMs === undefined || timeMs === 0 ? undefined : Math.round((headroom * 60_000) / timeMs);
  const numbers =
    rate === undefined
      ? `${exact(headroom, unit)} of headroom; no growth is forecast to use it up within a day.`
      : `${exact(headroom, unit)} of headroom ÷ ${exact(rate, unit)} a minute on average = ${formatForecast(timeMs ?? 0)}.`;
  return {
    text: `${headroom < 0 ? `${exact(-headroom, unit)} missing: it is below the threshold.` : numbers} Growth is that of the measurements of the last ten minutes; growth that slows down is taken to go on slowing down.`,
    query: `ephemeral_storage_node_time_to_eviction_seconds{node=${label(node)}, signal="${signal}"}`,
  };
}

type CountedDown = Pick<NodePressureReport, 'signal' | 'headroom' | 'timeToEvictionMs'>;

/** Of the part of the inodes that is not free. */
export function inodesDerivation(
  { filesystem, inodes, inodesFree }: Pick<FilesystemReport, 'filesystem' | 'inodes' | 'inodesFree'>,
  node: string,
): Derivation {
  const of = `{node=${label(node)}, filesystem="${filesystem}"}`;
  return {
    text: `1 - ${exact(inodesFree, 'inodes')} free ÷ ${exact(inodes, 'inodes')}, as the kubelet reports them.`,
    query: `1 - ephemeral_storage_node_inodes_free${of} / ephemeral_storage_node_inodes${of}`,
  };
}

function exact(amount: number | undefined, unit: 'bytes' | 'inodes' = 'bytes'): string {
  if (amount === undefined) return 'unknown';
  return unit === 'inodes' ? `${formatCount(amount)} inodes` : `${formatBytes(amount)} (${formatCount(amount)})`;
}
