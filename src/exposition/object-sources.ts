/** The series of what the API server knows of nodes and pods, measured or not. */
import type { Container, Node, Pod, Volume } from '../kube/objects.js';
import type { Amount } from '../kube/quantity.js';
import type { BoundPod, NodeObjects } from '../node/node-state.js';
import { mountedVolumeNames } from '../node/volume-usage.js';
import type { Workload } from '../workload/workload.js';
import type { SeriesSource } from './family.js';
import type { BoundPodOnNode } from './pod-on-node.js';
import { labelPart, labelText } from './render.js';
import { containerLabels, containers, pods, volumeLabels, volumes } from './series-sources.js';
import { infoLabelNames } from './workload-info.js';

export const boundPods: SeriesSource<BoundPodOnNode, BoundPod> = {
  labels: pods.labels,
  forEach({ bound }, emit) {
    emit(bound);
  },
  labelsOf: ({ placed }) => `${placed}}`,
};

export const podWorkloads: SeriesSource<BoundPodOnNode, Workload> = {
  labels: ['namespace', 'pod', 'workload', 'workload_type', 'workload_namespace'],
  forEach({ bound }, emit) {
    for (const workload of bound.workloads) emit(workload);
  },
  labelsOf: ({ named }, { namespace, name, type }) =>
    `${named}${labelPart('workload', name)}${labelPart('workload_type', type)}${labelPart('workload_namespace', namespace)}}`,
};

export const podInfos: SeriesSource<BoundPodOnNode, Pod> = {
  labels: [...pods.labels, 'uid', 'qos_class', 'phase', 'host_ip', 'static', 'priority_class'],
  forEach({ bound: { pod } }, emit) {
    emit(pod);
  },
  labelsOf({ nodeName }, pod) {
    const { namespace, name, uid, qosClass = '', phase, hostIp = '', isStatic, priorityClass = '' } = pod;
    const about = [uid, qosClass, phase, hostIp, String(isStatic), priorityClass];
    return labelText(podInfos.labels, [namespace, name, nodeName, ...about]);
  },
};

/** Containers that run as long as the pod does; ordinary init containers run to their end. */
export const containerSpecs: SeriesSource<BoundPodOnNode, Container> = {
  labels: containers.labels,
  forEach({ bound: { pod } }, emit) {
    for (const data of pod.containers) if (data.kind !== 'init') emit(data);
  },
  labelsOf: ({ named, nodeName }, { name }) => containerLabels(named, name, nodeName),
};

/** Those that a container mounts and that have a limit: the kubelet neither mounts nor measures others. */
export const limitedEmptyDirs: SeriesSource<BoundPodOnNode, LimitedVolume> = {
  labels: volumes.labels,
  forEach({ bound: { pod } }, emit) {
    if (!pod.volumes.some(hasLimit)) return;
    const mounted = mountedVolumeNames(pod);
    for (const data of pod.volumes) if (hasLimit(data) && mounted.has(data.name)) emit(data);
  },
  labelsOf: ({ placed }, volume) => volumeLabels(placed, volume),
};

interface LimitedVolume extends Volume {
  readonly sizeLimitBytes: Amount;
}

function hasLimit(volume: Volume): volume is LimitedVolume {
  return volume.sizeLimitBytes !== undefined;
}

interface NodeWithObject extends NodeObjects {
  readonly node: Node;
}

/** Not those that have left the cluster. */
export const knownNodes: SeriesSource<NodeObjects, NodeWithObject> = {
  labels: ['node'],
  forEach(objects, emit) {
    const { node } = objects;
    if (node !== undefined) emit({ ...objects, node });
  },
  labelsOf: ({ nodeName }) => labelText(knownNodes.labels, [nodeName]),
};

/** `label_…` stands for one label for each key of `nodeLabels`. */
export function nodeInfos(nodeLabels: readonly string[]): SeriesSource<NodeObjects, Node> {
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
