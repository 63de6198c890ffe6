import type { NodeSnapshot } from '../node/node-state.js';
import { type FamilyGroup, familyGroup, microsecondsToSeconds, toSeconds } from './family.js';
import {
  absentNodes,
  evictionHeadrooms,
  filesystems,
  layouts,
  nodes,
  type NodeStates,
  owners,
  summaries,
} from './node-sources.js';

/** Per node, from its summary. */
export const nodeGroups: readonly FamilyGroup<NodeSnapshot>[] = [
  familyGroup({
    level: 'node',
    seriesSource: filesystems,
    families: [
      {
        name: 'node_used_bytes',
        profile: 'minimal',
        help: 'Bytes used in the filesystem; in imagefs and containerfs, by images and writable layers only. A filesystem with several purposes appears once.',
        value: ({ stats }) => stats.usedBytes,
      },
      {
        name: 'node_available_bytes',
        profile: 'minimal',
        help: 'Bytes available in the filesystem.',
        value: ({ stats }) => stats.availableBytes,
      },
      {
        name: 'node_capacity_bytes',
        profile: 'minimal',
        help: 'Size of the filesystem in bytes.',
        value: ({ stats }) => stats.capacityBytes,
      },
      {
        name: 'node_inodes',
        profile: 'standard',
        help: 'Inodes of the filesystem.',
        value: ({ stats }) => stats.inodes,
      },
      {
        name: 'node_inodes_free',
        profile: 'standard',
        help: 'Free inodes of the filesystem.',
        value: ({ stats }) => stats.inodesFree,
      },
      {
        name: 'node_inodes_used',
        profile: 'standard',
        help: 'Inodes used in the filesystem; in imagefs and containerfs, by images and writable layers only.',
        value: ({ stats }) => stats.inodesUsed,
      },
    ],
  }),
  familyGroup({
    level: 'node',
    seriesSource: owners,
    families: [
      {
        name: 'node_pods_used_bytes',
        profile: 'standard',
        help: 'Bytes in the filesystem that pods use, with the series for images and the rest all that is used.',
        value: ({ podsUsedBytes }) => podsUsedBytes,
      },
      {
        name: 'node_images_used_bytes',
        profile: 'standard',
        help: 'Bytes in the filesystem that images use, without the writable layers of containers.',
        value: ({ imagesUsedBytes }) => imagesUsedBytes,
      },
      {
        name: 'node_unattributed_bytes',
        profile: 'standard',
        help: 'Bytes used in the filesystem by neither pods nor images: logs of the system, dead containers, hostPath data and what the kubelet does not report.',
        value: ({ unattributedBytes }) => unattributedBytes,
      },
    ],
  }),
  familyGroup({
    level: 'node',
    seriesSource: evictionHeadrooms,
    families: [
      {
        name: 'node_eviction_threshold_bytes',
        profile: 'standard',
        help: 'Hard eviction threshold: with fewer bytes available in the filesystem, the kubelet evicts pods immediately. Needs kubelet.readConfig.',
        value: ({ thresholdBytes }) => thresholdBytes,
      },
      {
        name: 'node_eviction_headroom_bytes',
        profile: 'standard',
        help: 'Bytes available in the filesystem above the hard eviction threshold. Below 0 the kubelet evicts pods.',
        value: ({ headroomBytes }) => headroomBytes,
      },
      {
        name: 'node_eviction_threshold_inodes',
        profile: 'standard',
        help: 'Hard eviction threshold: with fewer free inodes in the filesystem, the kubelet evicts pods immediately. Needs kubelet.readConfig.',
        value: ({ thresholdInodes }) => thresholdInodes,
      },
      {
        name: 'node_eviction_headroom_inodes',
        profile: 'standard',
        help: 'Free inodes of the filesystem above the hard eviction threshold. Below 0 the kubelet evicts pods.',
        value: ({ headroomInodes }) => headroomInodes,
      },
    ],
  }),
  familyGroup({
    level: 'node',
    seriesSource: layouts,
    families: [
      {
        name: 'node_dedicated_imagefs',
        profile: 'standard',
        help: '1 if images are on a separate filesystem. Only the logs of a container then count towards its limit.',
        value: ({ hasDedicatedImagefs }) => flag(hasDedicatedImagefs),
      },
      {
        name: 'node_split_imagefs',
        profile: 'standard',
        help: '1 if writable layers are on another filesystem than images.',
        value: ({ hasSplitImagefs }) => flag(hasSplitImagefs),
      },
    ],
  }),
  familyGroup({
    level: 'node',
    seriesSource: summaries,
    families: [
      {
        name: 'node_io_pressure_waiting_seconds_total',
        type: 'counter',
        profile: 'standard',
        help: 'Time in which at least one task on the node waited for input or output, from the pressure stall information of its kernel. Needs a kubelet of 1.34 or later and cgroups of version 2.',
        value: ({ ioPressure }) => microsecondsToSeconds(ioPressure?.waitingUs),
      },
      {
        name: 'node_io_pressure_stalled_seconds_total',
        type: 'counter',
        profile: 'standard',
        help: 'Time in which all tasks on the node that could run waited for input or output at once.',
        value: ({ ioPressure }) => microsecondsToSeconds(ioPressure?.stalledUs),
      },
    ],
  }),
];

/** What changes from scrape to scrape. */
export const nodeStateGroups: readonly FamilyGroup<NodeStates>[] = [
  familyGroup({
    level: 'node',
    seriesSource: nodes,
    families: [
      {
        name: 'node_data_available',
        profile: 'minimal',
        help: '1 if this scrape has data of the node, fresh or stale; 0 if it is absent. No series for nodes that are skipped.',
        value: ({ reason }) => (reason === 'skipped' ? undefined : Number(reason === undefined)),
      },
      {
        name: 'node_data_timestamp_seconds',
        profile: 'minimal',
        help: 'Unix time at which the data of the node was fetched from its kubelet.',
        value: ({ fetchedAtMs }) => toSeconds(fetchedAtMs),
      },
      {
        name: 'node_pods_missing',
        profile: 'standard',
        help: 'Pods that have run on the node for longer than the grace period, according to the API server, and are not in its summary.',
        value: ({ missingPods }) => missingPods,
      },
      {
        name: 'node_pods_dangling',
        profile: 'standard',
        help: 'Pods in the summary of the node that have been unknown to the API server for longer than the grace period.',
        value: ({ danglingPods }) => danglingPods,
      },
    ],
  }),
  familyGroup({
    level: 'node',
    seriesSource: absentNodes,
    families: [
      {
        name: 'node_absent_info',
        profile: 'minimal',
        help: '1 while the node has no data, with the reason.',
        value: () => 1,
      },
    ],
  }),
];

function flag(isSet: boolean | undefined): number | undefined {
  return isSet === undefined ? undefined : Number(isSet);
}
