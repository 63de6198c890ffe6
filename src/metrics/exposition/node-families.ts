/** What is measured of nodes: the series, and their families. */
import {
  countsInodes,
  filesystemOf,
  type SignalFilesystem,
  signalFilesystems,
} from '../../cluster/kubelet/eviction-signals.js';
import { filesystemOwners } from '../../facts/node/filesystem-owners.js';
import { sameFilesystem } from '../../facts/node/node-layout.js';
import { firstThresholds } from '../../facts/node/node-thresholds.js';
import type { NodeSnapshot } from '../../facts/node/node-view.js';
import {
  type FamilyGroup,
  familyGroup,
  microsecondsToSeconds,
  seriesOf,
  type SeriesSource,
  toSeconds,
} from './family.js';

function perNode<T>(itemsOf: (snapshot: NodeSnapshot) => readonly T[]): SeriesSource<NodeSnapshot, T> {
  return seriesOf(['node'], itemsOf, (_, { nodeName }) => [nodeName]);
}

function perFilesystem<T extends { readonly filesystem: SignalFilesystem }>(
  itemsOf: (snapshot: NodeSnapshot) => readonly T[],
): SeriesSource<NodeSnapshot, T> {
  return seriesOf(['node', 'filesystem'], itemsOf, ({ filesystem }, { nodeName }) => [nodeName, filesystem]);
}

/** Each filesystem once: the kubelet reports one that serves two purposes under two names. */
export const filesystems = perFilesystem(({ summary, layout }) =>
  signalFilesystems.flatMap((filesystem) => {
    const stats = summary[filesystem];
    const isOwn = sameFilesystem(filesystem, summary, layout) === undefined;
    return stats !== undefined && isOwn ? [{ filesystem, stats }] : [];
  }),
);

const owners = perFilesystem(filesystemOwners);

const images = perNode(({ images: known }) => (known === undefined ? [] : [known]));

const evictionThresholds = (areInodes: boolean) =>
  seriesOf(
    ['node', 'filesystem', 'threshold'],
    ({ thresholds }: NodeSnapshot) =>
      firstThresholds(thresholds).filter(({ signal }) => countsInodes(signal) === areInodes),
    ({ signal, isAssumed }, { nodeName }) => [nodeName, filesystemOf(signal), thresholdLabel(isAssumed)],
  );

const unsetThresholds = seriesOf(
  ['node', 'signal'],
  ({ unsetSignals }: NodeSnapshot) => unsetSignals,
  (signal, { nodeName }) => [nodeName, signal],
);

const summaries = perNode(({ summary }) => [summary]);

const layouts = perNode(({ layout }) => [layout]);

/** Per node, from its summary. */
export const nodeGroups: readonly FamilyGroup<NodeSnapshot>[] = [
  familyGroup('node', filesystems, {
    node_used_bytes: {
      profile: 'minimal',
      help: 'Bytes used in the filesystem; in imagefs and containerfs, by images and writable layers only. A filesystem with several purposes appears once.',
      value: ({ stats }) => stats.usedBytes,
    },
    node_available_bytes: {
      profile: 'minimal',
      help: 'Bytes available in the filesystem.',
      value: ({ stats }) => stats.availableBytes,
    },
    node_capacity_bytes: {
      profile: 'minimal',
      help: 'Size of the filesystem in bytes.',
      value: ({ stats }) => stats.capacityBytes,
    },
    node_inodes: {
      profile: 'standard',
      help: 'Inodes of the filesystem.',
      value: ({ stats }) => stats.inodes,
    },
    node_inodes_free: {
      profile: 'standard',
      help: 'Free inodes of the filesystem.',
      value: ({ stats }) => stats.inodesFree,
    },
    node_inodes_used: {
      profile: 'standard',
      help: 'Inodes used in the filesystem; in imagefs and containerfs, by images and writable layers only.',
      value: ({ stats }) => stats.inodesUsed,
    },
    node_stats_timestamp_seconds: {
      profile: 'standard',
      help: "Unix time, by the node's clock, at which the kubelet measured the filesystem. While it does not move, the values are frozen.",
      value: ({ stats }) => toSeconds(stats.timeMs),
    },
  }),
  familyGroup('node', owners, {
    node_pods_used_bytes: {
      profile: 'standard',
      help: 'Bytes of the filesystem that pods use. Pods, images and unattributed bytes add up to all that is used.',
      value: ({ podsUsedBytes }) => podsUsedBytes,
    },
    node_images_used_bytes: {
      profile: 'standard',
      help: 'Bytes of the filesystem that images use; on containerd also ended containers and pod sandboxes. Without the writable layers of running containers.',
      value: ({ imagesUsedBytes }) => imagesUsedBytes,
    },
    node_unattributed_bytes: {
      profile: 'standard',
      help: 'Bytes of the filesystem that neither pods nor images use: on containerd mostly compressed copies of images; also system logs, hostPath data and what the kubelet does not report.',
      value: ({ unattributedBytes }) => unattributedBytes,
    },
  }),
  familyGroup('node', images, {
    node_images_unused_bytes: {
      profile: 'standard',
      help: 'Size of the images that no container on the node uses, from the status of the Node: compressed on containerd, unpacked on CRI-O, layers that images share counted in each. No series unless all pods of the node are read.',
      value: ({ unusedBytes }) => unusedBytes,
    },
    node_image_content_bytes: {
      profile: 'standard',
      help: 'Compressed size of all images on a node with containerd: at most so much of node_unattributed_bytes is compressed copies of images. No series where the status of the Node does not list all images.',
      value: ({ maxCopiesBytes }) => maxCopiesBytes,
    },
  }),
  familyGroup('node', evictionThresholds(false), {
    node_eviction_threshold_bytes: {
      profile: 'standard',
      help: 'Hard eviction threshold: with fewer bytes available in the filesystem, the kubelet evicts pods immediately. threshold="assumed": the default of Kubernetes, while the configuration of the kubelet is not read (kubelet.readConfig); no series once the node shows that it has another one.',
      value: ({ threshold }) => threshold,
    },
    node_eviction_headroom_bytes: {
      profile: 'minimal',
      help: 'Bytes available in the filesystem above the hard eviction threshold. Below 0 the kubelet evicts pods.',
      value: ({ headroom }) => headroom,
    },
  }),
  familyGroup('node', evictionThresholds(true), {
    node_eviction_threshold_inodes: {
      profile: 'standard',
      help: 'Hard eviction threshold: with fewer free inodes in the filesystem, the kubelet evicts pods immediately.',
      value: ({ threshold }) => threshold,
    },
    node_eviction_headroom_inodes: {
      profile: 'standard',
      help: 'Free inodes of the filesystem above the hard eviction threshold. Below 0 the kubelet evicts pods.',
      value: ({ headroom }) => headroom,
    },
  }),
  familyGroup('node', unsetThresholds, {
    node_threshold_unset_info: {
      profile: 'standard',
      help: '1 while the kubelet has no eviction threshold for the signal, nor another one for the same disk: it fills up to the last byte. Needs kubelet.readConfig.',
      value: () => 1,
    },
  }),
  familyGroup('node', layouts, {
    node_dedicated_imagefs: {
      profile: 'standard',
      help: '1 if images are on a separate filesystem. Only the logs of a container then count towards its limit.',
      value: ({ hasDedicatedImagefs }) => flag(hasDedicatedImagefs),
    },
    node_split_imagefs: {
      profile: 'standard',
      help: '1 if writable layers are on another filesystem than images.',
      value: ({ hasSplitImagefs }) => flag(hasSplitImagefs),
    },
  }),
  familyGroup('node', summaries, {
    node_io_pressure_waiting_seconds_total: {
      profile: 'standard',
      help: 'Time in which at least one task on the node waited for input or output, from the pressure stall information of its kernel. Needs a kubelet of 1.34 or later and cgroups of version 2.',
      value: ({ ioPressure }) => microsecondsToSeconds(ioPressure?.waitingUs),
    },
    node_io_pressure_stalled_seconds_total: {
      profile: 'standard',
      help: 'Time in which all tasks on the node that could run waited for input or output at once.',
      value: ({ ioPressure }) => microsecondsToSeconds(ioPressure?.stalledUs),
    },
  }),
];

/** Returns the value of the label `threshold`. */
export function thresholdLabel(isAssumed: boolean): string {
  return isAssumed ? 'assumed' : 'configured';
}

function flag(isSet: boolean | undefined): number | undefined {
  return isSet === undefined ? undefined : Number(isSet);
}
