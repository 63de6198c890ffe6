import { formatBytes, formatCount } from '../base/units.js';
import type { DiskPartKind, DiskReport } from './disk-report.js';
import type { SignalReport } from './signal-report.js';
import type { PartOwner, PartOwnerKind } from './unattributed-report.js';

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
export function partDerivation(kind: DiskPartKind, { filesystem }: DiskReport, node: string): Derivation {
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
  return { text: partTexts[kind], query: queries[kind] };
}

const ownerTexts: Readonly<Record<PartOwnerKind, string>> = {
  image_copies: 'du of the content store of containerd.',
  orphaned_pods:
    'du of the directories below /var/lib/kubelet/pods of which neither the API server nor the kubelet knows a pod.',
  orphaned_snapshots: 'du of all snapshots of containerd, less what the kubelet counts for images and containers.',
  logs: 'du of /var/log, without the logs of pods in the summary of the kubelet.',
  runtime_volumes: 'du of the volumes that containerd keeps for containers.',
  other: 'The rest of the unattributed bytes: below 0 where more was measured than is there now.',
  unmeasured: 'The rest of the unattributed bytes: some owners are not measured, or not as a whole.',
};

/** Of one owner of the unattributed bytes, of these on the filesystem. */
export function ownerDerivation(
  owner: PartOwnerKind,
  { filesystem, owners }: { readonly filesystem: string; readonly owners: readonly PartOwner[] },
  node: string,
): Derivation {
  const isRest = (kind: PartOwnerKind): boolean => kind === 'other' || kind === 'unmeasured';
  const series = 'ephemeral_storage_node_unattributed_owner_bytes';
  const text = ownerTexts[owner];
  if (!isRest(owner)) return { text, query: `${series}{node=${label(node)}, owner="${owner}"}` };
  const measured = owners.flatMap((of) => (isRest(of.owner) ? [] : [of.owner])).join('|');
  const all = `ephemeral_storage_node_unattributed_bytes{node=${label(node)}, filesystem="${filesystem}"}`;
  return { text, query: `${all} - on (node) sum by (node) (${series}{node=${label(node)}, owner=~"${measured}"})` };
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
export function headroomDerivation(signal: SignalReport, node: string): Derivation {
  const [filesystem = ''] = signal.signal.split('.');
  const isOfInodes = signal.thresholdInodes !== undefined;
  const unit = isOfInodes ? 'inodes' : 'bytes';
  const threshold = signal.thresholdBytes ?? signal.thresholdInodes;
  const of = `{node=${label(node)}, filesystem="${filesystem}"}`;
  const available = `ephemeral_storage_node_${isOfInodes ? 'inodes_free' : 'available_bytes'}${of}`;
  const text = `${exact(signal.available, unit)} available - ${exact(threshold, unit)} of threshold.`;
  if (signal.isAssumed !== true && filesystem !== 'containerfs')
    return { text, query: `ephemeral_storage_node_eviction_headroom_${unit}${of}` };
  return { text, query: `${available} - ${threshold ?? 0}` };
}

/** Of the time until a threshold is crossed. */
export function countdownDerivation(signal: string, node: string): Derivation {
  return {
    text: 'Headroom ÷ growth, by the measurements of the last ten minutes; growth that slows down is taken to go on slowing down.',
    query: `ephemeral_storage_node_time_to_eviction_seconds{node=${label(node)}, signal="${signal}"}`,
  };
}

/** Of the part of the inodes that is not free. */
export function inodesDerivation(filesystem: string, node: string): Derivation {
  const of = `{node=${label(node)}, filesystem="${filesystem}"}`;
  return {
    text: '1 - free inodes ÷ inodes, as the kubelet reports them.',
    query: `1 - ephemeral_storage_node_inodes_free${of} / ephemeral_storage_node_inodes${of}`,
  };
}

function exact(amount: number | undefined, unit: 'bytes' | 'inodes' = 'bytes'): string {
  if (amount === undefined) return 'unknown';
  return unit === 'inodes' ? `${formatCount(amount)} inodes` : `${formatBytes(amount)} (${formatCount(amount)})`;
}

/** A string of PromQL. */
function label(value: string): string {
  return JSON.stringify(value);
}
