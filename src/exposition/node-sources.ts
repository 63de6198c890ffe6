/** The series of nodes: of their summaries, and of what a scrape knows about each. */
import type { SignalFilesystem } from '../kubelet/eviction-signals.js';
import type { FsStats, NodeSummary } from '../kubelet/summary.js';
import type { EvictionHeadroom } from '../node/eviction-headrooms.js';
import { type FilesystemOwners, filesystemOwners } from '../node/filesystem-owners.js';
import { type NodeLayout, sameFilesystem } from '../node/node-layout.js';
import type { AbsentNodeState, MeasuredNodeState, NodeSnapshot, NodeState } from '../node/node-state.js';
import type { SeriesSource } from './family.js';
import { labelText } from './render.js';

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

/** What the families about the state of a node show: without its data, which their text would keep in memory. */
export interface ShownNodeState extends Partial<
  Pick<AbsentNodeState, 'reason'> & Pick<MeasuredNodeState, 'fetchedAtMs' | 'missingPods' | 'danglingPods'>
> {
  readonly nodeName: string;
}

export function shownState(node: NodeState): ShownNodeState {
  const { nodeName } = node;
  if (node.state === 'absent') return { nodeName, reason: node.reason };
  const { fetchedAtMs, missingPods, danglingPods } = node;
  return { nodeName, fetchedAtMs, missingPods, danglingPods };
}

const shownFields = ['nodeName', 'reason', 'fetchedAtMs', 'missingPods', 'danglingPods'] as const;

/** Whether the families have the same series for both. */
export function isSameState(former: ShownNodeState, state: ShownNodeState): boolean {
  return shownFields.every((field) => former[field] === state[field]);
}

/** Some of the nodes of one scrape. */
export type NodeStates = readonly ShownNodeState[];

export const nodes: SeriesSource<NodeStates, ShownNodeState> = {
  labels: ['node'],
  forEach(states, emit) {
    for (const data of states) emit(data);
  },
  labelsOf: (_states, { nodeName }) => labelText(nodes.labels, [nodeName]),
};

export const absentNodes: SeriesSource<NodeStates, ShownNodeState> = {
  labels: ['node', 'reason'],
  forEach(states, emit) {
    for (const data of states) if (data.reason !== undefined) emit(data);
  },
  labelsOf: (_states, { nodeName, reason = '' }) => labelText(absentNodes.labels, [nodeName, reason]),
};
