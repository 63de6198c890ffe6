/** What the API server knows of nodes and pods, measured or not: the series, and their families. */
import type { Container, Node, Pod, Volume } from '../../cluster/kube/objects.js';
import { roundUp } from '../../cluster/kube/quantity.js';
import type { BoundPod, NodeObjects } from '../../facts/node/node-objects.js';
import { mountedVolumeNames } from '../../facts/node/volume-usage.js';
import type { Workload } from '../../facts/workload/workload.js';
import { type FamilyGroup, familyGroup, perPart, perSource, type SeriesSource, type SourceGroup } from './family.js';
import type { PlacedPod } from './pod-on-node.js';
import { containerLabels, containers, pods, volumeLabels, volumes } from './pod-sources.js';
import { infoLabelNames, labelPart, labelText } from './render.js';

const boundPods: SeriesSource<PlacedPod<BoundPod>, BoundPod> = {
  labels: pods.labels,
  forEach({ pod: bound }, emit) {
    emit(bound);
  },
  labelsOf: ({ placed }) => `${placed}}`,
};

const podWorkloads: SeriesSource<PlacedPod<BoundPod>, Workload> = {
  labels: ['namespace', 'pod', 'workload', 'workload_type', 'workload_namespace'],
  forEach({ pod: bound }, emit) {
    for (const workload of bound.workloads) emit(workload);
  },
  labelsOf: ({ named }, { namespace, name, type }) =>
    `${named}${labelPart('workload', name)}${labelPart('workload_type', type)}${labelPart('workload_namespace', namespace)}}`,
};

const podInfos: SeriesSource<PlacedPod<BoundPod>, Pod> = {
  labels: [...pods.labels, 'uid', 'qos_class', 'phase', 'host_ip', 'static', 'priority_class'],
  forEach({ pod: { pod } }, emit) {
    emit(pod);
  },
  labelsOf({ nodeName }, pod) {
    const { namespace, name, uid, qosClass = '', phase, hostIp = '', isStatic, priorityClass = '' } = pod;
    const about = [uid, qosClass, phase, hostIp, String(isStatic), priorityClass];
    return labelText(podInfos.labels, [namespace, name, nodeName, ...about]);
  },
};

/** Containers that run as long as the pod does; ordinary init containers run to their end. */
const containerSpecs: SeriesSource<PlacedPod<BoundPod>, Container> = {
  labels: containers.labels,
  forEach({ pod: { pod } }, emit) {
    for (const data of pod.containers) if (data.kind !== 'init') emit(data);
  },
  labelsOf: ({ named, nodeName }, { name }) => containerLabels(named, name, nodeName),
};

/** Those that a container mounts and that have a limit: the kubelet neither mounts nor measures others. */
const limitedEmptyDirs: SeriesSource<PlacedPod<BoundPod>, Volume> = {
  labels: volumes.labels,
  forEach({ pod: { pod } }, emit) {
    if (pod.volumes.every(({ sizeLimitBytes }) => sizeLimitBytes === undefined)) return;
    const mounted = mountedVolumeNames(pod);
    for (const data of pod.volumes) if (mounted.has(data.name)) emit(data);
  },
  labelsOf: ({ placed }, volume) => volumeLabels(placed, volume),
};

/** Not those that have left the cluster. */
const knownNodes: SeriesSource<NodeObjects, NodeObjects> = {
  labels: ['node'],
  forEach(objects, emit) {
    if (objects.node !== undefined) emit(objects);
  },
  labelsOf: ({ nodeName }) => labelText(knownNodes.labels, [nodeName]),
};

/** `label_…` stands for one label for each key of `nodeLabels`. */
function nodeInfos(nodeLabels: readonly string[]): SeriesSource<NodeObjects, Node> {
  const fixedLabels = [...knownNodes.labels, 'os', 'kubelet_version'];
  const names = infoLabelNames(nodeLabels);
  const labels = [...fixedLabels, ...names.values()];
  return {
    labels: [...fixedLabels, 'label_…'],
    forEach({ node }, emit) {
      if (node !== undefined) emit(node);
    },
    labelsOf({ nodeName }, node) {
      const { operatingSystem = '', kubeletVersion = '' } = node;
      const values = Array.from(names.keys(), (key) =>
        Object.hasOwn(node.labels, key) ? (node.labels[key] ?? '') : '',
      );
      return labelText(labels, [nodeName, operatingSystem, kubeletVersion, ...values]);
    },
  };
}

/** Also of nodes without data and of pods that no summary has. */
export function objectGroups({
  nodeLabels,
}: {
  readonly nodeLabels: readonly string[];
}): readonly SourceGroup<NodeObjects, PlacedPod<BoundPod>>[] {
  return [...perPart(podObjectGroups), ...perSource([...nodeObjectGroups, nodeInfoGroup(nodeLabels)])];
}

const podObjectGroups: readonly FamilyGroup<PlacedPod<BoundPod>>[] = [
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
        value: ({ sizeLimitBytes }) => sizeLimitBytes && roundUp(sizeLimitBytes),
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
        value: ({ node }) => node?.allocatableBytes,
      },
      {
        name: 'node_disk_pressure',
        profile: 'minimal',
        help: '1 while the condition DiskPressure of the node is true: its kubelet evicts pods and admits no new ones. No series while the condition is unknown.',
        value: ({ node }) => (node?.diskPressure === undefined ? undefined : Number(node.diskPressure)),
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
