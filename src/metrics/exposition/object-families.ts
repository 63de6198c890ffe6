/** What the API server knows of nodes and pods, measured or not: the series, and their families. */
import type { Container, Node, Volume } from '../../cluster/kube/objects.js';
import { roundUp } from '../../cluster/kube/quantity.js';
import type { NodeObjects } from '../../facts/node/node-view.js';
import type { BoundPod } from '../../facts/node/pod-record.js';
import { mountedVolumeNames } from '../../facts/node/volume-usage.js';
import type { Workload } from '../../facts/workload/workload.js';
import {
  type FamilyGroup,
  familyGroup,
  perPart,
  perSource,
  seriesOf,
  type SeriesSource,
  type SourceGroup,
} from './family.js';
import type { PlacedPod } from './pod-on-node.js';
import { containerLabels, containers, pods, volumeLabels, volumes } from './pod-sources.js';
import { infoLabelNames, labelPart } from './render.js';

const boundPods: SeriesSource<PlacedPod<BoundPod>, BoundPod> = {
  labels: pods.labels,
  itemsOf: ({ pod: bound }) => [bound],
  labelsOf: ({ placed }) => `${placed}}`,
};

const podWorkloads: SeriesSource<PlacedPod<BoundPod>, Workload> = {
  labels: ['namespace', 'pod', 'workload', 'workload_type', 'workload_namespace'],
  itemsOf: ({ pod: { workloads } }) => workloads,
  labelsOf: ({ named }, { namespace, name, type }) =>
    `${named}${labelPart('workload', name)}${labelPart('workload_type', type)}${labelPart('workload_namespace', namespace)}}`,
};

const podInfos = seriesOf(
  [...pods.labels, 'uid', 'qos_class', 'phase', 'host_ip', 'static', 'priority_class'],
  ({ pod: { pod } }: PlacedPod<BoundPod>) => [pod],
  (pod, { nodeName }) => {
    const { namespace, name, uid, qosClass = '', phase, hostIp = '', isStatic, priorityClass = '' } = pod;
    return [namespace, name, nodeName, uid, qosClass, phase, hostIp, String(isStatic), priorityClass];
  },
);

/** Containers that run as long as the pod does; ordinary init containers run to their end. */
const containerSpecs: SeriesSource<PlacedPod<BoundPod>, Container> = {
  labels: containers.labels,
  itemsOf: ({ pod: { pod } }) => pod.containers.filter(({ kind }) => kind !== 'init'),
  labelsOf: ({ named, nodeName }, { name }) => containerLabels(named, name, nodeName),
};

/** Those that a container mounts and that have a limit: the kubelet neither mounts nor measures others. */
const limitedEmptyDirs: SeriesSource<PlacedPod<BoundPod>, Volume> = {
  labels: volumes.labels,
  itemsOf({ pod: { pod } }) {
    if (pod.volumes.every(({ sizeLimitBytes }) => sizeLimitBytes === undefined)) return [];
    const mounted = mountedVolumeNames(pod);
    return pod.volumes.filter(({ name }) => mounted.has(name));
  },
  labelsOf: ({ placed }, volume) => volumeLabels(placed, volume),
};

/** Not those that have left the cluster. */
const knownNodes = seriesOf(
  ['node'],
  (objects: NodeObjects) => (objects.node === undefined ? [] : [objects]),
  ({ nodeName }) => [nodeName],
);

/** `label_…` stands for one label for each key of `nodeLabels`. */
function nodeInfos(nodeLabels: readonly string[]): SeriesSource<NodeObjects, Node> {
  const fixedLabels = [...knownNodes.labels, 'os', 'kubelet_version'];
  const names = infoLabelNames(nodeLabels);
  const source = seriesOf(
    [...fixedLabels, ...names.values()],
    ({ node }: NodeObjects) => (node === undefined ? [] : [node]),
    ({ operatingSystem = '', kubeletVersion = '', labels }, { nodeName }) => {
      const values = Array.from(names.keys(), (key) => (Object.hasOwn(labels, key) ? (labels[key] ?? '') : ''));
      return [nodeName, operatingSystem, kubeletVersion, ...values];
    },
  );
  return { ...source, labels: [...fixedLabels, 'label_…'] };
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
  familyGroup('pod', podWorkloads, {
    pod_workload_info: {
      profile: 'standard',
      help: '1; a workload that the pod belongs to. Only for pods that the API server knows.',
      value: () => 1,
    },
  }),
  familyGroup('pod', boundPods, {
    pod_limit_bytes: {
      profile: 'standard',
      help: 'Ephemeral-storage limit of the pod, measured or not: the sum over its containers, as the kubelet computes it.',
      value: ({ limitBytes }) => limitBytes,
    },
    pod_request_bytes: {
      profile: 'full',
      help: 'Ephemeral-storage request of the pod, measured or not: the sum over its containers, as the scheduler computes it.',
      value: ({ requestBytes }) => requestBytes,
    },
  }),
  familyGroup('pod', podInfos, {
    pod_info: {
      profile: 'full',
      help: '1; properties of the pod from the API server.',
      value: () => 1,
    },
  }),
  familyGroup('container', containerSpecs, {
    container_limit_bytes: {
      profile: 'full',
      help: 'Ephemeral-storage limit of the container, from the spec of the pod.',
      value: ({ limitBytes }) => limitBytes && roundUp(limitBytes),
    },
    container_request_bytes: {
      profile: 'full',
      help: 'Ephemeral-storage request of the container, from the spec of the pod.',
      value: ({ requestBytes }) => requestBytes && roundUp(requestBytes),
    },
  }),
  familyGroup('volume', limitedEmptyDirs, {
    volume_limit_bytes: {
      profile: 'standard',
      help: 'Size limit of the emptyDir, from the spec of the pod. Only of those that a container mounts: the kubelet measures no others.',
      value: ({ sizeLimitBytes }) => sizeLimitBytes && roundUp(sizeLimitBytes),
    },
  }),
];

const nodeObjectGroups: readonly FamilyGroup<NodeObjects>[] = [
  familyGroup('node', knownNodes, {
    node_allocatable_bytes: {
      profile: 'standard',
      help: 'Ephemeral storage of the node that pods can request, from the API server.',
      value: ({ node }) => node?.allocatableBytes,
    },
    node_disk_pressure: {
      profile: 'minimal',
      help: '1 while the condition DiskPressure of the node is true: its kubelet evicts pods and admits no new ones. No series while the condition is unknown.',
      value: ({ node }) => (node?.diskPressure === undefined ? undefined : Number(node.diskPressure)),
    },
    node_pods_running: {
      profile: 'standard',
      help: 'Pods on the node in phase Running, according to the API server. No series where the settings leave out pods.',
      value: ({ runningPodCount }) => runningPodCount,
    },
    node_containers_running: {
      profile: 'standard',
      help: 'Containers on the node that run, init and ephemeral containers included, according to the API server. No series where the settings leave out pods.',
      value: ({ runningContainerCount }) => runningContainerCount,
    },
  }),
];

function nodeInfoGroup(nodeLabels: readonly string[]): FamilyGroup<NodeObjects> {
  return familyGroup('node', nodeInfos(nodeLabels), {
    node_info: {
      profile: 'standard',
      help: '1; operating system and kubelet version of the node, and the labels that metrics.nodeLabels names.',
      value: () => 1,
    },
  });
}
