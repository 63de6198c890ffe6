/** The series of the families: the data of a scrape that their values come from, with the label values in order. */
import type { Volume, VolumeType } from '../kube/objects.js';
import { measuredVolumes } from '../kube/pod-rest.js';
import type { SignalFilesystem } from '../kubelet/eviction-signals.js';
import type { FsStats, NodeSummary } from '../kubelet/summary.js';
import type { EvictionHeadroom } from '../node/eviction-headrooms.js';
import { type FilesystemOwners, filesystemOwners } from '../node/filesystem-owners.js';
import type { LimitRatio } from '../node/limit-ratios.js';
import { exemptionOf } from '../node/limits.js';
import { type NodeLayout, sameFilesystem } from '../node/node-layout.js';
import type { ListedPod, NodeSnapshot, PodSnapshot } from '../node/node-state.js';
import { type NextVictim, nextVictims } from '../node/node-victims.js';
import { type Component, components, type ContainerUsage, type PodUsage, type VolumeUsage } from '../node/usage.js';
import { countedComponent } from '../node/volume-usage.js';
import type { Workload } from '../workload/workload.js';
import type { WorkloadSnapshot } from '../workload/workload-partial.js';
import type { SeriesSource } from './family.js';
import type { ShownNodeState } from './node-states.js';
import type { PodOnNode } from './pod-on-node.js';
import { labelPart, labelText } from './render.js';

interface WorkloadContainer {
  readonly workload: Workload;
  readonly data: NonNullable<WorkloadSnapshot['usage']>['containers'][number];
}

/** Some of the nodes of one scrape. */
export type NodeStates = readonly ShownNodeState[];

/** Some of the workloads of one scrape. */
export interface WorkloadPage {
  readonly workloads: readonly WorkloadSnapshot[];
  /** The label keys behind all workloads of the scrape. */
  readonly labelKeys: ReadonlySet<string>;
}

export const workloads: SeriesSource<WorkloadPage, WorkloadSnapshot> = {
  labels: ['namespace', 'workload', 'workload_type'],
  forEach(page, emit) {
    for (const data of page.workloads) emit(data);
  },
  labelsOf: (_page, { workload: { namespace, name, type } }) => labelText(workloads.labels, [namespace, name, type]),
};

export const workloadContainers: SeriesSource<WorkloadPage, WorkloadContainer> = {
  labels: [...workloads.labels, 'container'],
  forEach(page, emit) {
    for (const { workload, usage } of page.workloads) {
      for (const data of usage?.containers ?? []) emit({ workload, data });
    }
  },
  labelsOf: (_page, { workload: { namespace, name, type }, data: { container } }) =>
    labelText(workloadContainers.labels, [namespace, name, type, container]),
};

/** Those with a total, as all series of pods but {@link limits} and {@link exemptPods}. */
export const pods: SeriesSource<PodOnNode, PodSnapshot> = {
  labels: ['namespace', 'pod', 'node'],
  forEach({ pod }, emit) {
    if (hasTotal(pod)) emit(pod);
  },
  labelsOf: ({ placed }) => `${placed}}`,
};

/** Limits that the kubelet evicts for. */
export const limits: SeriesSource<PodOnNode, LimitRatio> = {
  labels: [...pods.labels, 'rule', 'container', 'volume'],
  forEach({ pod }, emit) {
    for (const data of pod.ratios) emit(data);
  },
  labelsOf: ({ placed }, { rule, container, volume }) =>
    `${placed},rule="${rule}"${labelPart('container', container)}${labelPart('volume', volume)}}`,
};

/** Pods that the kubelet never evicts, of those that have a limit. */
export const exemptPods: SeriesSource<PodOnNode, 'static' | 'critical'> = {
  labels: [...pods.labels, 'reason'],
  forEach({ pod }, emit) {
    const reason = pod.pod && pod.ratios.length > 0 ? exemptionOf(pod.pod) : undefined;
    if (reason !== undefined) emit(reason);
  },
  labelsOf: ({ placed }, reason) => `${placed},reason="${reason}"}`,
};

/** None of a node that is not close to evicting pods. */
export const evictionRanks: SeriesSource<NodeSnapshot, NextVictim> = {
  labels: [...pods.labels, 'signal'],
  forEach(snapshot, emit) {
    for (const data of nextVictims(snapshot)) emit(data);
  },
  labelsOf: ({ nodeName }, { victim: { pod }, signal }) =>
    labelText(evictionRanks.labels, [pod.namespace, pod.name, nodeName, signal]),
};

interface PodComponent {
  readonly component: Component;
  readonly usedBytes: number;
}

/** Components of volumes only where the pod has such a volume. */
export const podComponents: SeriesSource<PodOnNode, PodComponent> = {
  labels: [...pods.labels, 'component'],
  forEach({ pod }, emit) {
    const { usage } = pod;
    if (usage === undefined) return;
    for (const component of components) {
      if (isVolumeComponent[component] && !hasVolumeOf(component, pod.pod && measuredVolumes(pod.pod), usage)) continue;
      emit({ component, usedBytes: usage.components[component] });
    }
  },
  labelsOf: ({ placed }, { component }) => `${placed},component="${component}"}`,
};

const isVolumeComponent: Readonly<Record<Component, boolean>> = {
  rootfs: false,
  logs: false,
  emptydir: true,
  configmap: true,
  other: false,
};

function hasVolumeOf(component: Component, specs: readonly Volume[] = [], usage: PodUsage): boolean {
  for (const volume of specs) if (countedComponent(volume) === component) return true;
  for (const volume of usage.volumes) if (countedComponent(volume) === component) return true;
  return false;
}

export const containers: SeriesSource<PodOnNode, ContainerUsage> = {
  labels: ['namespace', 'pod', 'container', 'node'],
  forEach({ pod }, emit) {
    for (const data of pod.usage?.containers ?? []) emit(data);
  },
  labelsOf: ({ named, nodeName }, { name }) => containerLabels(named, name, nodeName),
};

/** Those of {@link containers}. `named`: those of the pod without its node. */
export function containerLabels(named: string, containerName: string, nodeName: string): string {
  return `${named}${labelPart('container', containerName)}${labelPart('node', nodeName)}}`;
}

/** `counted`: whether the volume is part of the pod's total. */
export const volumes: SeriesSource<PodOnNode, VolumeUsage> = {
  labels: [...pods.labels, 'volume', 'type', 'medium', 'counted'],
  forEach({ pod }, emit) {
    for (const data of pod.usage?.volumes ?? []) emit(data);
  },
  labelsOf: ({ placed }, volume) => volumeLabels(placed, volume),
};

/** Those of {@link volumes}, after those of a pod. */
export function volumeLabels(placed: string, volume: Pick<Volume, 'name' | 'type' | 'medium'>): string {
  const { name, type, medium } = volume;
  const isCounted = countedComponent(volume) !== undefined;
  return `${placed}${labelPart('volume', name)},type="${type}"${labelPart('medium', medium)},counted="${isCounted}"}`;
}

export const emptyDirs: SeriesSource<PodOnNode, VolumeUsage> = {
  labels: volumes.labels,
  forEach({ pod }, emit) {
    for (const data of pod.usage?.volumes ?? []) if (data.type === 'emptydir') emit(data);
  },
  labelsOf: volumes.labelsOf,
};

/**
 * Volumes with a filesystem of their own: their type allows one, and its size is known and not that of the node's disk.
 * Volumes with configuration and tokens are in the node's memory, which is of no interest here.
 */
export const volumeFilesystems: SeriesSource<PodOnNode, VolumeUsage> = {
  labels: volumes.labels,
  forEach({ pod, nodefs }, emit) {
    const nodeCapacityBytes = nodefs?.capacityBytes;
    if (nodeCapacityBytes === undefined) return;
    for (const data of pod.usage?.volumes ?? []) {
      const { type, medium, capacityBytes } = data;
      if (capacityBytes === undefined) continue;
      const mayHaveFilesystem = type === 'emptydir' ? medium !== '' : typesWithFilesystem.has(type);
      if (mayHaveFilesystem && capacityBytes !== nodeCapacityBytes) emit(data);
    }
  },
  labelsOf: volumes.labelsOf,
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

interface Filesystem {
  readonly filesystem: SignalFilesystem;
  readonly stats: FsStats;
}

const signalFilesystems = ['nodefs', 'imagefs', 'containerfs'] as const;

/** Each filesystem once: the kubelet reports one that serves two purposes under two names. */
export const filesystems: SeriesSource<NodeSnapshot, Filesystem> = {
  labels: ['node', 'filesystem'],
  forEach({ summary, layout }, emit) {
    for (const filesystem of signalFilesystems) {
      const stats = summary[filesystem];
      const isOwn = sameFilesystem(filesystem, summary, layout) === undefined;
      if (stats !== undefined && isOwn) emit({ filesystem, stats });
    }
  },
  labelsOf: ({ nodeName }, { filesystem }) => labelText(filesystems.labels, [nodeName, filesystem]),
};

export const owners: SeriesSource<NodeSnapshot, FilesystemOwners> = {
  labels: filesystems.labels,
  forEach(snapshot, emit) {
    for (const data of filesystemOwners(snapshot)) emit(data);
  },
  labelsOf: ({ nodeName }, { filesystem }) => labelText(owners.labels, [nodeName, filesystem]),
};

export const evictionHeadrooms: SeriesSource<NodeSnapshot, EvictionHeadroom> = {
  labels: filesystems.labels,
  forEach({ headrooms }, emit) {
    for (const data of headrooms) emit(data);
  },
  labelsOf: ({ nodeName }, { filesystem }) => labelText(evictionHeadrooms.labels, [nodeName, filesystem]),
};

export const summaries: SeriesSource<NodeSnapshot, NodeSummary> = {
  labels: ['node'],
  forEach({ summary }, emit) {
    emit(summary);
  },
  labelsOf: ({ nodeName }) => labelText(summaries.labels, [nodeName]),
};

export const layouts: SeriesSource<NodeSnapshot, NodeLayout> = {
  labels: ['node'],
  forEach({ layout }, emit) {
    emit(layout);
  },
  labelsOf: ({ nodeName }) => labelText(layouts.labels, [nodeName]),
};

export const nodes: SeriesSource<NodeStates, ShownNodeState> = {
  labels: ['node'],
  forEach(states, emit) {
    for (const data of states) emit(data);
  },
  labelsOf: (_states, { nodeName }) => labelText(nodes.labels, [nodeName]),
};

type ShownAbsentNode = Extract<ShownNodeState, { readonly state: 'absent' }>;

export const absentNodes: SeriesSource<NodeStates, ShownAbsentNode> = {
  labels: ['node', 'reason'],
  forEach(states, emit) {
    for (const data of states) if (data.state === 'absent') emit(data);
  },
  labelsOf: (_states, { nodeName, reason }) => labelText(absentNodes.labels, [nodeName, reason]),
};

function hasTotal(pod: ListedPod): pod is PodSnapshot {
  return pod.usage !== undefined;
}
