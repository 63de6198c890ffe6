/** What a scrape knows about each node: the series, and their families. */
import type { LimitRule } from '../../facts/node/limit-ratios.js';
import { type AbsentNodeView, type MeasuredNodeView, type NodeView, unenforcedOn } from '../../facts/node/node-view.js';
import { type NodeUnenforcedReason, unenforcedRules } from '../../facts/node/unenforced-limits.js';
import { type FamilyGroup, familyGroup, type SeriesSource, toSeconds } from './family.js';
import { labelText } from './render.js';

/** What the families about the state of a node show: without its data, which their text would keep in memory. */
export interface ShownNodeState extends Partial<
  Pick<AbsentNodeView, 'reason'> & Pick<MeasuredNodeView, 'fetchedAtMs' | 'missingPods' | 'danglingPods'>
> {
  readonly nodeName: string;
  readonly unenforced?: NodeUnenforcedReason | undefined;
}

export function shownState(node: NodeView): ShownNodeState {
  const unenforced = unenforcedOn(node);
  if (node.state === 'absent') return { nodeName: node.nodeName, unenforced, reason: node.reason };
  const { nodeName, fetchedAtMs, missingPods, danglingPods } = node;
  return { nodeName, unenforced, fetchedAtMs, missingPods, danglingPods };
}

const shownFields = ['nodeName', 'unenforced', 'reason', 'fetchedAtMs', 'missingPods', 'danglingPods'] as const;

/** Whether the families have the same series for both. */
export function isSameState(former: ShownNodeState, state: ShownNodeState): boolean {
  return shownFields.every((field) => former[field] === state[field]);
}

const nodes: SeriesSource<readonly ShownNodeState[], ShownNodeState> = {
  labels: ['node'],
  forEach(states, emit) {
    for (const data of states) emit(data);
  },
  labelsOf: (_states, { nodeName }) => labelText(nodes.labels, [nodeName]),
};

const absentNodes: SeriesSource<readonly ShownNodeState[], ShownNodeState> = {
  labels: ['node', 'reason'],
  forEach(states, emit) {
    for (const data of states) if (data.reason !== undefined) emit(data);
  },
  labelsOf: (_states, { nodeName, reason = '' }) => labelText(absentNodes.labels, [nodeName, reason]),
};

const unenforcedNodes: SeriesSource<
  readonly ShownNodeState[],
  { readonly nodeName: string; readonly rule: LimitRule; readonly reason: NodeUnenforcedReason }
> = {
  labels: ['node', 'rule', 'reason'],
  forEach(states, emit) {
    for (const { nodeName, unenforced: reason } of states) {
      if (reason !== undefined) for (const rule of unenforcedRules(reason)) emit({ nodeName, rule, reason });
    }
  },
  labelsOf: (_states, { nodeName, rule, reason }) => labelText(unenforcedNodes.labels, [nodeName, rule, reason]),
};

/** What changes from scrape to scrape. */
export const nodeStateGroups: readonly FamilyGroup<readonly ShownNodeState[]>[] = [
  familyGroup({
    level: 'node',
    seriesSource: nodes,
    families: [
      {
        name: 'node_data_available',
        profile: 'minimal',
        help: '1 if this scrape has data of the node, fresh or stale; 0 if it is absent. No series for nodes that are skipped.',
        value: ({ reason }) => (reason === 'skipped' ? undefined : Number(reason === undefined)),
      },
      {
        name: 'node_data_timestamp_seconds',
        profile: 'minimal',
        help: 'Unix time at which the data of the node was fetched from its kubelet.',
        value: ({ fetchedAtMs }) => toSeconds(fetchedAtMs === 0 ? undefined : fetchedAtMs), // recordings may have no time
      },
      {
        name: 'node_pods_missing',
        profile: 'standard',
        help: 'Pods that have run on the node for longer than the grace period, according to the API server, and are not in its summary.',
        value: ({ missingPods }) => missingPods,
      },
      {
        name: 'node_pods_dangling',
        profile: 'standard',
        help: 'Pods in the summary of the node that have been unknown to the API server for longer than the grace period.',
        value: ({ danglingPods }) => danglingPods,
      },
    ],
  }),
  familyGroup({
    level: 'node',
    seriesSource: absentNodes,
    families: [
      {
        name: 'node_absent_info',
        profile: 'minimal',
        help: '1 while the node has no data, with the reason.',
        value: () => 1,
      },
    ],
  }),
  familyGroup({
    level: 'node',
    seriesSource: unenforcedNodes,
    families: [
      {
        name: 'node_limits_unenforced_info',
        profile: 'standard',
        help: '1 while no limit of the rule does on the node what it seems to do: the kubelet enforces none (isolation_disabled), or does not compare writable layers (rootfs_not_measured, dedicated_imagefs).',
        value: () => 1,
      },
    ],
  }),
];
