/** What the families are about: found in the data of a scrape, with the values of its labels in their order. */
import { components, type ContainerUsage, type VolumeUsage } from '../attribution/usage.js';
import type { EvictionHeadroom } from '../eviction/eviction-headrooms.js';
import type { LimitRatio } from '../eviction/limit-ratios.js';
import type { NodeLayout } from '../eviction/node-layout.js';
import type { Container } from '../kube/objects.js';
import type { FsStats } from '../kubelet/summary.js';
import type { ClusterSnapshot, NodeSnapshot, NodeState, PodSnapshot, WorkloadSnapshot } from '../scrape/snapshot.js';
import type { Subjects } from './family.js';

type WorkloadContainer = NonNullable<WorkloadSnapshot['figures']>['containers'][number];

export const workloads: Subjects<WorkloadSnapshot, WorkloadSnapshot> = {
  labels: ['namespace', 'workload', 'workload_type'],
  *find(snapshot) {
    const { namespace, name, type } = snapshot.workload;
    yield { labelValues: [namespace, name, type], data: snapshot };
  },
};

export const workloadContainers: Subjects<WorkloadSnapshot, WorkloadContainer> = {
  labels: [...workloads.labels, 'container'],
  *find({ workload: { namespace, name, type }, figures }) {
    for (const data of figures?.containers ?? []) yield { labelValues: [namespace, name, type, data.container], data };
  },
};

/** Only of pods that the API server knows: others may appear on two nodes, and the node is no label here. */
export const memberships: Subjects<NodeSnapshot, PodSnapshot> = {
  labels: ['namespace', 'pod', 'workload', 'workload_type', 'workload_namespace'],
  *find({ pods: all }) {
    for (const data of all.filter(({ pod }) => pod !== undefined)) {
      for (const { namespace, name, type } of data.workloads) {
        yield { labelValues: [data.namespace, data.name, name, type, namespace], data };
      }
    }
  },
};

export const pods: Subjects<NodeSnapshot, PodSnapshot> = {
  labels: ['namespace', 'pod', 'node'],
  *find({ nodeName, pods: all }) {
    for (const data of all) yield { labelValues: [data.namespace, data.name, nodeName], data };
  },
};

/** Limits that the kubelet evicts for. */
export const limits: Subjects<NodeSnapshot, LimitRatio> = {
  labels: [...pods.labels, 'rule', 'container', 'volume'],
  *find(snapshot) {
    for (const { labelValues, data: pod } of pods.find(snapshot)) {
      for (const data of pod.ratios) {
        yield { labelValues: [...labelValues, data.rule, data.container, data.volume], data };
      }
    }
  },
};

/** The data is the component's bytes. */
export const podComponents: Subjects<NodeSnapshot, number> = {
  labels: [...pods.labels, 'component'],
  *find(snapshot) {
    for (const {
      labelValues,
      data: { usage },
    } of pods.find(snapshot)) {
      for (const component of components) {
        yield { labelValues: [...labelValues, component], data: usage.components[component] };
      }
    }
  },
};

export const containers: Subjects<NodeSnapshot, ContainerUsage> = {
  labels: ['namespace', 'pod', 'container', 'node'],
  *find({ nodeName, pods: all }) {
    for (const { namespace, name, usage } of all) {
      for (const data of usage.containers) yield { labelValues: [namespace, name, data.name, nodeName], data };
    }
  },
};

/** Containers that run as long as the pod does; ordinary init containers have run to their end. */
export const containerSpecs: Subjects<NodeSnapshot, Container> = {
  labels: containers.labels,
  *find({ nodeName, pods: all }) {
    for (const { namespace, name, pod } of all) {
      for (const data of pod?.containers ?? []) {
        if (data.kind !== 'init') yield { labelValues: [namespace, name, data.name, nodeName], data };
      }
    }
  },
};

export const volumes: Subjects<NodeSnapshot, VolumeUsage> = {
  labels: [...pods.labels, 'volume', 'type', 'medium'],
  *find(snapshot) {
    for (const {
      labelValues,
      data: { usage },
    } of pods.find(snapshot)) {
      for (const data of usage.volumes)
        yield { labelValues: [...labelValues, data.name, data.type, data.medium], data };
    }
  },
};

export const filesystems: Subjects<NodeSnapshot, FsStats> = {
  labels: ['node', 'filesystem'],
  *find({ nodeName, summary: { nodefs, imagefs, containerfs } }) {
    for (const [filesystem, data] of Object.entries({ nodefs, imagefs, containerfs })) {
      if (data !== undefined) yield { labelValues: [nodeName, filesystem], data };
    }
  },
};

export const evictionHeadrooms: Subjects<NodeSnapshot, EvictionHeadroom> = {
  labels: filesystems.labels,
  *find({ nodeName, headrooms }) {
    for (const data of headrooms) yield { labelValues: [nodeName, data.filesystem], data };
  },
};

export const layouts: Subjects<NodeSnapshot, NodeLayout> = {
  labels: ['node'],
  *find({ nodeName, layout }) {
    yield { labelValues: [nodeName], data: layout };
  },
};

export const nodes: Subjects<ClusterSnapshot, NodeState> = {
  labels: ['node'],
  *find({ nodes: all }) {
    for (const data of all) yield { labelValues: [data.nodeName], data };
  },
};

export const absentNodes: Subjects<ClusterSnapshot, NodeState> = {
  labels: ['node', 'reason'],
  *find({ nodes: all }) {
    for (const data of all) {
      if (data.state === 'absent') yield { labelValues: [data.nodeName, data.reason], data };
    }
  },
};
