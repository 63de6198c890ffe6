/** What a scrape knows about each node: the series, and their families. */
import type { NodeFaults } from '../../facts/node/node-faults.js';
import { type AbsentNodeView, type MeasuredNodeView, type NodeView, unenforcedOn } from '../../facts/node/node-view.js';
import { type NodeUnenforcedReason, unenforcedRules } from '../../facts/node/unenforced-limits.js';
import type { ClusterSnapshot } from '../../facts/scrape/snapshot.js';
import { type FamilyGroup, familyGroup, seriesOf, toSeconds } from './family.js';

/** What the families about the state of a node show: without its data, which their text would keep in memory. */
interface ShownNodeState extends Partial<
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

/** Those of a scrape. Faults of the text are known once it is made. */
export function shownStates({ nodes }: ClusterSnapshot, faults: NodeFaults): readonly ShownNodeState[] {
  return nodes.map((view) => {
    const isFaulty =
      (view.state !== 'absent' && faults.has(view.snapshot)) ||
      (view.objects !== undefined && faults.has(view.objects));
    return isFaulty ? { nodeName: view.nodeName, reason: 'internal_error' } : shownState(view);
  });
}

const shownFields = ['nodeName', 'unenforced', 'reason', 'fetchedAtMs', 'missingPods', 'danglingPods'] as const;

/** Whether the families have the same series for both. */
export function isSameState(former: ShownNodeState, state: ShownNodeState): boolean {
  return shownFields.every((field) => former[field] === state[field]);
}

const nodes = seriesOf(
  ['node'],
  (states: readonly ShownNodeState[]) => states,
  ({ nodeName }) => [nodeName],
);

const absentNodes = seriesOf(
  ['node', 'reason'],
  (states: readonly ShownNodeState[]) => states.filter(({ reason }) => reason !== undefined),
  ({ nodeName, reason = '' }) => [nodeName, reason],
);

const unenforcedNodes = seriesOf(
  ['node', 'rule', 'reason'],
  (states: readonly ShownNodeState[]) =>
    states.flatMap(({ nodeName, unenforced: reason }) =>
      reason === undefined ? [] : unenforcedRules(reason).map((rule) => ({ nodeName, rule, reason })),
    ),
  ({ nodeName, rule, reason }) => [nodeName, rule, reason],
);

/** What changes from scrape to scrape. */
export const nodeStateGroups: readonly FamilyGroup<readonly ShownNodeState[]>[] = [
  familyGroup('node', nodes, {
    node_data_available: {
      profile: 'minimal',
      help: '1 if this scrape has data of the node, fresh or stale; 0 if it is absent. No series for nodes that are skipped.',
      value: ({ reason }) => (reason === 'skipped' ? undefined : Number(reason === undefined)),
    },
    node_data_timestamp_seconds: {
      profile: 'minimal',
      help: 'Unix time at which the data of the node was fetched from its kubelet.',
      value: ({ fetchedAtMs }) => toSeconds(fetchedAtMs === 0 ? undefined : fetchedAtMs), // recordings may have no time
    },
    node_pods_missing: {
      profile: 'standard',
      help: 'Pods that have run on the node for longer than the grace period, according to the API server, and are not in its summary.',
      value: ({ missingPods }) => missingPods,
    },
    node_pods_dangling: {
      profile: 'standard',
      help: 'Pods in the summary of the node that have been unknown to the API server for longer than the grace period.',
      value: ({ danglingPods }) => danglingPods,
    },
  }),
  familyGroup('node', absentNodes, {
    node_absent_info: {
      profile: 'minimal',
      help: '1 while the node has no data, with the reason.',
      value: () => 1,
    },
  }),
  familyGroup('node', unenforcedNodes, {
    node_limits_unenforced_info: {
      profile: 'standard',
      help: '1 while the kubelet of the node does not evict pods for limits of the rule (isolation_disabled), or does not count what containers write outside of volumes (rootfs_not_measured, dedicated_imagefs).',
      value: () => 1,
    },
  }),
];
