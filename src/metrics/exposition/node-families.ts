/** What is measured of nodes: the series, and their families. */
import { type SignalFilesystem, signalFilesystems } from '../../cluster/kubelet/eviction-signals.js';
import { filesystemOwners } from '../../facts/node/filesystem-owners.js';
import { sameFilesystem } from '../../facts/node/node-layout.js';
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

const evictionHeadrooms = perFilesystem(({ headrooms }) => headrooms);

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
      help: 'Bytes in the filesystem that pods use, with the series for images and the rest all that is used.',
      value: ({ podsUsedBytes }) => podsUsedBytes,
    },
    node_images_used_bytes: {
      profile: 'standard',
      help: 'Bytes in the filesystem that the container runtime uses, without the writable layers of running containers: images, and on containerd also ended containers and sandboxes.',
      value: ({ imagesUsedBytes }) => imagesUsedBytes,
    },
    node_unattributed_bytes: {
      profile: 'standard',
      help: 'Bytes used in the filesystem by neither pods nor images: on containerd most of all compressed copies of images; logs of the system, hostPath data and what the kubelet does not report.',
      value: ({ unattributedBytes }) => unattributedBytes,
    },
  }),
  familyGroup('node', images, {
    node_images_unused_bytes: {
      profile: 'standard',
      help: 'Size of the images in the status of the Node that no container of its pods uses, as the kubelet counts it: compressed on containerd, unpacked on CRI-O, shared layers in each image. No series unless all pods of the node are read.',
      value: ({ unusedBytes }) => unusedBytes,
    },
    node_image_content_bytes: {
      profile: 'standard',
      help: 'Compressed size of all images on a node with containerd: no more of node_unattributed_bytes are compressed copies of images. No series where the status of the Node does not list all images.',
      value: ({ maxCopiesBytes }) => maxCopiesBytes,
    },
  }),
  familyGroup('node', evictionHeadrooms, {
    node_eviction_threshold_bytes: {
      profile: 'standard',
      help: 'Hard eviction threshold: with fewer bytes available in the filesystem, the kubelet evicts pods immediately. Needs kubelet.readConfig.',
      value: ({ thresholdBytes }) => thresholdBytes,
    },
    node_eviction_headroom_bytes: {
      profile: 'standard',
      help: 'Bytes available in the filesystem above the hard eviction threshold. Below 0 the kubelet evicts pods.',
      value: ({ headroomBytes }) => headroomBytes,
    },
    node_eviction_threshold_inodes: {
      profile: 'standard',
      help: 'Hard eviction threshold: with fewer free inodes in the filesystem, the kubelet evicts pods immediately. Needs kubelet.readConfig.',
      value: ({ thresholdInodes }) => thresholdInodes,
    },
    node_eviction_headroom_inodes: {
      profile: 'standard',
      help: 'Free inodes of the filesystem above the hard eviction threshold. Below 0 the kubelet evicts pods.',
      value: ({ headroomInodes }) => headroomInodes,
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

function flag(isSet: boolean | undefined): number | undefined {
  return isSet === undefined ? undefined : Number(isSet);
}
