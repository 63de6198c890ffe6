import type { ClusterSnapshot, NodeSnapshot } from '../scrape/snapshot.js';
import { type FamilyGroup, familyGroup, toSeconds } from './family.js';
import { absentNodes, evictionHeadrooms, filesystems, layouts, nodes } from './subjects.js';

/** Per node, from its summary. */
export const nodeGroups: readonly FamilyGroup<NodeSnapshot>[] = [
  familyGroup({
    level: 'node',
    subjects: filesystems,
    families: [
      {
        name: 'node_used_bytes',
        help: 'Bytes used in the filesystem; of imagefs and containerfs, what images and writable layers use in it.',
        value: ({ usedBytes }) => usedBytes,
      },
      {
        name: 'node_available_bytes',
        help: 'Bytes available in the filesystem.',
        value: ({ availableBytes }) => availableBytes,
      },
      {
        name: 'node_capacity_bytes',
        help: 'Size of the filesystem in bytes.',
        value: ({ capacityBytes }) => capacityBytes,
      },
      { name: 'node_inodes', help: 'Inodes of the filesystem.', value: ({ inodes }) => inodes },
      { name: 'node_inodes_free', help: 'Free inodes of the filesystem.', value: ({ inodesFree }) => inodesFree },
      {
        name: 'node_inodes_used',
        help: 'Inodes used in the filesystem; of imagefs and containerfs, by images and writable layers.',
        value: ({ inodesUsed }) => inodesUsed,
      },
    ],
  }),
  familyGroup({
    level: 'node',
    subjects: evictionHeadrooms,
    families: [
      {
        name: 'node_eviction_threshold_bytes',
        help: 'Hard eviction threshold: with fewer bytes available in the filesystem the kubelet evicts pods at once. Of nodes whose configuration is read.',
        value: ({ thresholdBytes }) => thresholdBytes,
      },
      {
        name: 'node_eviction_headroom_bytes',
        help: 'Bytes available in the filesystem above the hard eviction threshold; below 0 the kubelet evicts pods.',
        value: ({ headroomBytes }) => headroomBytes,
      },
      {
        name: 'node_eviction_threshold_inodes',
        help: 'Hard eviction threshold: with fewer free inodes in the filesystem the kubelet evicts pods at once. Of nodes whose configuration is read.',
        value: ({ thresholdInodes }) => thresholdInodes,
      },
      {
        name: 'node_eviction_headroom_inodes',
        help: 'Free inodes of the filesystem above the hard eviction threshold; below 0 the kubelet evicts pods.',
        value: ({ headroomInodes }) => headroomInodes,
      },
    ],
  }),
  familyGroup({
    level: 'node',
    subjects: layouts,
    families: [
      {
        name: 'node_dedicated_imagefs',
        help: '1 when images live on a filesystem of their own: the kubelet then holds only logs against the limits of containers.',
        value: ({ hasDedicatedImagefs }) => flag(hasDedicatedImagefs),
      },
      {
        name: 'node_split_imagefs',
        help: '1 when writable layers live on another filesystem than images.',
        value: ({ hasSplitImagefs }) => flag(hasSplitImagefs),
      },
    ],
  }),
];

/** What changes from scrape to scrape. */
export const nodeStateGroups: readonly FamilyGroup<ClusterSnapshot>[] = [
  familyGroup({
    level: 'node',
    subjects: nodes,
    families: [
      {
        name: 'node_up',
        help: '1 when there is data of the node, fresh or stale, in this scrape. No series for nodes that are skipped.',
        value: (node) => {
          if (node.state !== 'absent') return 1;
          return node.reason === 'skipped' ? undefined : 0;
        },
      },
      {
        name: 'node_summary_age_seconds',
        help: 'Time since the data of the node was fetched from its kubelet.',
        value: (node) => (node.state === 'absent' ? undefined : toSeconds(node.ageMs)),
      },
      {
        name: 'node_pods_missing',
        help: 'Pods that run on the node for longer than the grace period, as the API server says, and that its summary lacks.',
        value: (node) => (node.state === 'absent' ? undefined : node.missingPods),
      },
      {
        name: 'node_pods_dangling',
        help: 'Pods in the summary of the node that the API server has not known for longer than the grace period.',
        value: (node) => (node.state === 'absent' ? undefined : node.danglingPods),
      },
      {
        name: 'node_allocatable_bytes',
        help: 'Ephemeral storage of the node that pods may request, as the API server says.',
        value: ({ allocatableBytes }) => allocatableBytes,
      },
    ],
  }),
  familyGroup({
    level: 'node',
    subjects: absentNodes,
    families: [
      { name: 'node_absent_info', help: '1 while there is no data of the node, with the reason.', value: () => 1 },
    ],
  }),
];

function flag(isSet: boolean | undefined): number | undefined {
  return isSet === undefined ? undefined : Number(isSet);
}
