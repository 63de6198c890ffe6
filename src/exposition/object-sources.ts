/** The series of what the API server knows of nodes and pods, measured or not. */
import { countedComponent } from '../attribution/volume-usage.js';
import type { Container, Node, Pod, Volume } from '../kube/objects.js';
import type { BoundPod, NodeObjects } from '../scrape/snapshot.js';
import type { SeriesSource } from './family.js';
import { containers, pods, volumes } from './series-sources.js';
import { infoLabelNames } from './workload-info.js';

export const boundPods: SeriesSource<NodeObjects, BoundPod> = {
  labels: pods.labels,
  *find({ nodeName, pods: all }) {
    for (const data of all) yield { labelValues: [data.pod.namespace, data.pod.name, nodeName], data };
  },
};

export const podWorkloads: SeriesSource<NodeObjects, BoundPod> = {
  labels: ['namespace', 'pod', 'workload', 'workload_type', 'workload_namespace'],
  *find({ pods: all }) {
    for (const data of all) {
      for (const { namespace, name, type } of data.workloads) {
        yield { labelValues: [data.pod.namespace, data.pod.name, name, type, namespace], data };
      }
    }
  },
};

export const podInfos: SeriesSource<NodeObjects, Pod> = {
  labels: [...pods.labels, 'uid', 'qos_class', 'phase', 'host_ip', 'static', 'priority_class'],
  *find(objects) {
    for (const { labelValues, data } of boundPods.find(objects)) {
      const { uid, qosClass = '', phase, hostIp = '', isStatic, priorityClass = '' } = data.pod;
      const about = [uid, qosClass, phase, hostIp, String(isStatic), priorityClass];
      yield { labelValues: [...labelValues, ...about], data: data.pod };
    }
  },
};

/** Containers that run as long as the pod does; ordinary init containers run to their end. */
export const containerSpecs: SeriesSource<NodeObjects, Container> = {
  labels: containers.labels,
  *find({ nodeName, pods: all }) {
    for (const { pod } of all) {
      for (const data of pod.containers) {
        if (data.kind !== 'init') yield { labelValues: [pod.namespace, pod.name, data.name, nodeName], data };
      }
    }
  },
};

export const emptyDirSpecs: SeriesSource<NodeObjects, Volume> = {
  labels: volumes.labels,
  *find(objects) {
    for (const { labelValues, data: bound } of boundPods.find(objects)) {
      for (const data of bound.pod.volumes) {
        if (data.type !== 'emptydir') continue;
        const isCounted = countedComponent(data) !== undefined;
        yield { labelValues: [...labelValues, data.name, data.type, data.medium, String(isCounted)], data };
      }
    }
  },
};

interface KnownNode extends NodeObjects {
  readonly node: Node;
}

/** Not those that have left the cluster. */
export const knownNodes: SeriesSource<NodeObjects, KnownNode> = {
  labels: ['node'],
  *find(objects) {
    const { nodeName, node } = objects;
    if (node !== undefined) yield { labelValues: [nodeName], data: { ...objects, node } };
  },
};

/** `label_…` stands for one label for each key of `nodeLabels`. */
export function nodeInfos(nodeLabels: readonly string[]): SeriesSource<NodeObjects, Node> {
  const fixedLabels = [...knownNodes.labels, 'os', 'kubelet_version'];
  const names = infoLabelNames(nodeLabels);
  const labels = [...fixedLabels, ...names.values()];
  return {
    labels: [...fixedLabels, 'label_…'],
    labelsIn: () => labels,
    *find(objects) {
      for (const { labelValues, data } of knownNodes.find(objects)) {
        const { node } = data;
        const { operatingSystem = '', kubeletVersion = '' } = node;
        const values = Array.from(names.keys(), (key) => (Object.hasOwn(node.labels, key) ? node.labels[key] : ''));
        yield {
          labelValues: [...labelValues, operatingSystem, kubeletVersion, ...values.map((value = '') => value)],
          data: node,
        };
      }
    },
  };
}
