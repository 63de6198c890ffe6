import { roundUp } from '../kube/quantity.js';
import type { NodeObjects } from '../node/node-state.js';
import { type FamilyGroup, familyGroup } from './family.js';
import {
  boundPods,
  containerSpecs,
  knownNodes,
  limitedEmptyDirs,
  nodeInfos,
  podInfos,
  podWorkloads,
} from './object-sources.js';
import type { BoundPodOnNode } from './pod-on-node.js';
import { perPart, perSource, type SourceGroup } from './source-groups.js';

export type ObjectGroups = readonly SourceGroup<NodeObjects, BoundPodOnNode>[];

/** What the API server knows, also of nodes without data and of pods that no summary has. */
export function objectGroups({ nodeLabels }: { readonly nodeLabels: readonly string[] }): ObjectGroups {
  return [...perPart(podObjectGroups), ...perSource([...nodeObjectGroups, nodeInfoGroup(nodeLabels)])];
}

const podObjectGroups: readonly FamilyGroup<BoundPodOnNode>[] = [
  familyGroup({
    level: 'pod',
    seriesSource: podWorkloads,
    families: [
      {
        name: 'pod_workload_info',
        profile: 'standard',
        help: '1; a workload that the pod belongs to. Only for pods that the API server knows.',
        value: () => 1,
      },
    ],
  }),
  familyGroup({
    level: 'pod',
    seriesSource: boundPods,
    families: [
      {
        name: 'pod_limit_bytes',
        profile: 'standard',
        help: 'Ephemeral-storage limit of the pod, measured or not: the sum over its containers, as the kubelet computes it.',
        value: ({ limitBytes }) => limitBytes,
      },
      {
        name: 'pod_request_bytes',
        profile: 'full',
        help: 'Ephemeral-storage request of the pod, measured or not: the sum over its containers, as the scheduler computes it.',
        value: ({ requestBytes }) => requestBytes,
      },
    ],
  }),
  familyGroup({
    level: 'pod',
    seriesSource: podInfos,
    families: [
      {
        name: 'pod_info',
        profile: 'full',
        help: '1; properties of the pod from the API server.',
        value: () => 1,
      },
    ],
  }),
  familyGroup({
    level: 'container',
    seriesSource: containerSpecs,
    families: [
      {
        name: 'container_limit_bytes',
        profile: 'full',
        help: 'Ephemeral-storage limit of the container, from the spec of the pod.',
        value: ({ limitBytes }) => limitBytes && roundUp(limitBytes),
      },
      {
        name: 'container_request_bytes',
        profile: 'full',
        help: 'Ephemeral-storage request of the container, from the spec of the pod.',
        value: ({ requestBytes }) => requestBytes && roundUp(requestBytes),
      },
    ],
  }),
  familyGroup({
    level: 'volume',
    seriesSource: limitedEmptyDirs,
    families: [
      {
        name: 'volume_limit_bytes',
        profile: 'standard',
        help: 'Size limit of the emptyDir, from the spec of the pod. Only of those that a container mounts: the kubelet measures no others.',
        value: ({ sizeLimitBytes }) => roundUp(sizeLimitBytes),
      },
    ],
  }),
];

const nodeObjectGroups: readonly FamilyGroup<NodeObjects>[] = [
  familyGroup({
    level: 'node',
    seriesSource: knownNodes,
    families: [
      {
        name: 'node_allocatable_bytes',
        profile: 'standard',
        help: 'Ephemeral storage of the node that pods can request, from the API server.',
        value: ({ node }) => node.allocatableBytes,
      },
      {
        name: 'node_disk_pressure',
        profile: 'minimal',
        help: '1 while the condition DiskPressure of the node is true: its kubelet evicts pods and admits no new ones. No series while the condition is unknown.',
        value: ({ node }) => (node.diskPressure === undefined ? undefined : Number(node.diskPressure)),
      },
      {
        name: 'node_pods_running',
        profile: 'standard',
        help: 'Pods on the node in phase Running, according to the API server. No series where the settings leave out pods.',
        value: ({ runningPodCount }) => runningPodCount,
      },
      {
        name: 'node_containers_running',
        profile: 'standard',
        help: 'Containers on the node that run, init and ephemeral containers included, according to the API server. No series where the settings leave out pods.',
        value: ({ runningContainerCount }) => runningContainerCount,
      },
    ],
  }),
];

function nodeInfoGroup(nodeLabels: readonly string[]): FamilyGroup<NodeObjects> {
  return familyGroup({
    level: 'node',
    seriesSource: nodeInfos(nodeLabels),
    families: [
      {
        name: 'node_info',
        profile: 'standard',
        help: '1; operating system and kubelet version of the node, and the labels that metrics.nodeLabels names.',
        value: () => 1,
      },
    ],
  });
}
