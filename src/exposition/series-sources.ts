/** The series of the families: the data of a scrape that their values come from, with the label values in order. */
import { type Component, components, type ContainerUsage, type VolumeUsage } from '../attribution/usage.js';
import { countedComponent } from '../attribution/volume-usage.js';
import type { EvictionHeadroom } from '../eviction/eviction-headrooms.js';
import { type FilesystemOwners, filesystemOwners } from '../eviction/filesystem-owners.js';
import type { LimitRatio } from '../eviction/limit-ratios.js';
import { exemptionOf } from '../eviction/limits.js';
import { type NodeLayout, sameFilesystem } from '../eviction/node-layout.js';
import type { VolumeType } from '../kube/objects.js';
import type { FsStats, NodeSummary } from '../kubelet/summary.js';
import { type NextVictim, nextVictims } from '../scrape/node-victims.js';
import type {
  ClusterSnapshot,
  ListedPod,
  NodeSnapshot,
  NodeState,
  PodSnapshot,
  WorkloadSnapshot,
} from '../scrape/snapshot.js';
import type { SeriesSource } from './family.js';

type WorkloadContainer = NonNullable<WorkloadSnapshot['usage']>['containers'][number];

/** Some of the workloads of one scrape. */
export interface WorkloadPage {
  readonly workloads: readonly WorkloadSnapshot[];
  /** The label keys behind all workloads of the scrape. */
  readonly labelKeys: ReadonlySet<string>;
}

export const workloads: SeriesSource<WorkloadPage, WorkloadSnapshot> = {
  labels: ['namespace', 'workload', 'workload_type'],
  *find(page) {
    for (const data of page.workloads) {
      const { namespace, name, type } = data.workload;
      yield { labelValues: [namespace, name, type], data };
    }
  },
};

export const workloadContainers: SeriesSource<WorkloadPage, WorkloadContainer> = {
  labels: [...workloads.labels, 'container'],
  *find(page) {
    for (const { labelValues, data } of workloads.find(page)) {
      for (const container of data.usage?.containers ?? []) {
        yield { labelValues: [...labelValues, container.container], data: container };
      }
    }
  },
};

export const pods: SeriesSource<NodeSnapshot, PodSnapshot> = {
  labels: ['namespace', 'pod', 'node'],
  *find({ nodeName, pods: all }) {
    for (const data of all) yield { labelValues: [data.namespace, data.name, nodeName], data };
  },
};

/** Limits that the kubelet evicts for. */
export const limits: SeriesSource<NodeSnapshot, LimitRatio> = {
  labels: [...pods.labels, 'rule', 'container', 'volume'],
  *find(snapshot) {
    const { nodeName } = snapshot;
    for (const { namespace, name, ratios } of [...snapshot.pods, ...snapshot.podsWithoutTotal]) {
      for (const data of ratios) {
        yield { labelValues: [namespace, name, nodeName, data.rule, data.container, data.volume], data };
      }
    }
  },
};

/** Pods that the kubelet never evicts, of those that have a limit. */
export const exemptPods: SeriesSource<NodeSnapshot, ListedPod> = {
  labels: [...pods.labels, 'reason'],
  *find({ nodeName, pods: measured, podsWithoutTotal }) {
    for (const data of [...measured, ...podsWithoutTotal]) {
      const reason = data.pod && data.ratios.length > 0 ? exemptionOf(data.pod) : undefined;
      if (reason !== undefined) yield { labelValues: [data.namespace, data.name, nodeName, reason], data };
    }
  },
};

/** None of a node that is not close to evicting pods. */
export const evictionRanks: SeriesSource<NodeSnapshot, NextVictim> = {
  labels: [...pods.labels, 'signal'],
  *find(snapshot) {
    for (const data of nextVictims(snapshot)) {
      const { namespace, name } = data.victim.pod;
      yield { labelValues: [namespace, name, snapshot.nodeName, data.signal], data };
    }
  },
};

/** The data is the component's bytes. Components of volumes only where the pod has such a volume. */
export const podComponents: SeriesSource<NodeSnapshot, number> = {
  labels: [...pods.labels, 'component'],
  *find(snapshot) {
    for (const { labelValues, data } of pods.find(snapshot)) {
      const { components: bytes, volumes: listed } = data.usage;
      const ofVolumes = new Set<Component | undefined>([...(data.pod?.volumes ?? []), ...listed].map(countedComponent));
      for (const component of components) {
        if (isVolumeComponent[component] && !ofVolumes.has(component)) continue;
        yield { labelValues: [...labelValues, component], data: bytes[component] };
      }
    }
  },
};

const isVolumeComponent: Readonly<Record<Component, boolean>> = {
  rootfs: false,
  logs: false,
  emptydir: true,
  configmap: true,
  other: false,
};

export const containers: SeriesSource<NodeSnapshot, ContainerUsage> = {
  labels: ['namespace', 'pod', 'container', 'node'],
  *find({ nodeName, pods: all }) {
    for (const { namespace, name, usage } of all) {
      for (const data of usage.containers) yield { labelValues: [namespace, name, data.name, nodeName], data };
    }
  },
};

/** `counted`: whether the volume is part of the pod's total. */
export const volumes: SeriesSource<NodeSnapshot, VolumeUsage> = {
  labels: [...pods.labels, 'volume', 'type', 'medium', 'counted'],
  *find(snapshot) {
    for (const { labelValues, data: pod } of pods.find(snapshot)) {
      for (const data of pod.usage.volumes) {
        const isCounted = countedComponent(data) !== undefined;
        yield { labelValues: [...labelValues, data.name, data.type, data.medium, String(isCounted)], data };
      }
    }
  },
};

export const emptyDirs: SeriesSource<NodeSnapshot, VolumeUsage> = {
  labels: volumes.labels,
  *find(snapshot) {
    for (const series of volumes.find(snapshot)) if (series.data.type === 'emptydir') yield series;
  },
};

/**
 * Volumes with a filesystem of their own: their type allows one, and its size is known and not that of the node's disk.
 * Volumes with configuration and tokens are in the node's memory, which is of no interest here.
 */
export const volumeFilesystems: SeriesSource<NodeSnapshot, VolumeUsage> = {
  labels: volumes.labels,
  *find(snapshot) {
    const nodeCapacityBytes = snapshot.summary.nodefs?.capacityBytes;
    for (const series of volumes.find(snapshot)) {
      const { type, medium, capacityBytes } = series.data;
      if (capacityBytes === undefined || nodeCapacityBytes === undefined) continue;
      const mayHaveFilesystem = type === 'emptydir' ? medium !== '' : typesWithFilesystem.has(type);
      if (mayHaveFilesystem && capacityBytes !== nodeCapacityBytes) yield series;
    }
  },
};

/** `unknown`: volumes of pods that the API server does not know, and of types that Kubernetes no longer has. */
const typesWithFilesystem: ReadonlySet<VolumeType> = new Set<VolumeType>([
  'pvc',
  'ephemeral',
  'csi',
  'nfs',
  'hostpath',
  'unknown',
]);

/** Each filesystem once: the kubelet reports one that serves two purposes under two names. */
export const filesystems: SeriesSource<NodeSnapshot, FsStats> = {
  labels: ['node', 'filesystem'],
  *find({ nodeName, summary, layout }) {
    for (const filesystem of ['nodefs', 'imagefs', 'containerfs'] as const) {
      const data = summary[filesystem];
      const isOwn = sameFilesystem(filesystem, summary, layout) === undefined;
      if (data !== undefined && isOwn) yield { labelValues: [nodeName, filesystem], data };
    }
  },
};

export const owners: SeriesSource<NodeSnapshot, FilesystemOwners> = {
  labels: filesystems.labels,
  *find(snapshot) {
    for (const data of filesystemOwners(snapshot)) yield { labelValues: [snapshot.nodeName, data.filesystem], data };
  },
};

export const evictionHeadrooms: SeriesSource<NodeSnapshot, EvictionHeadroom> = {
  labels: filesystems.labels,
  *find({ nodeName, headrooms }) {
    for (const data of headrooms) yield { labelValues: [nodeName, data.filesystem], data };
  },
};

export const summaries: SeriesSource<NodeSnapshot, NodeSummary> = {
  labels: ['node'],
  *find({ nodeName, summary }) {
    yield { labelValues: [nodeName], data: summary };
  },
};

export const layouts: SeriesSource<NodeSnapshot, NodeLayout> = {
  labels: ['node'],
  *find({ nodeName, layout }) {
    yield { labelValues: [nodeName], data: layout };
  },
};

export const nodes: SeriesSource<ClusterSnapshot, NodeState> = {
  labels: ['node'],
  *find({ nodes: all }) {
    for (const data of all) yield { labelValues: [data.nodeName], data };
  },
};

export const absentNodes: SeriesSource<ClusterSnapshot, NodeState> = {
  labels: ['node', 'reason'],
  *find({ nodes: all }) {
    for (const data of all) {
      if (data.state === 'absent') yield { labelValues: [data.nodeName, data.reason], data };
    }
  },
};
