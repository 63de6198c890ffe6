import type { AbsentNodeState, MeasuredNodeState, NodeState } from '../node/node-state.js';

/** What the families of the states of nodes show: without the data of the node, which its text would keep in memory. */
export type ShownNodeState =
  | Pick<AbsentNodeState, 'nodeName' | 'state' | 'reason'>
  | Pick<MeasuredNodeState, 'nodeName' | 'state' | 'fetchedAtMs' | 'missingPods' | 'danglingPods'>;

export function shownState(node: NodeState): ShownNodeState {
  const { nodeName, state } = node;
  if (state === 'absent') return { nodeName, state, reason: node.reason };
  const { fetchedAtMs, missingPods, danglingPods } = node;
  return { nodeName, state, fetchedAtMs, missingPods, danglingPods };
}

/** Whether the families have the same series for both. */
export function isSameState(former: ShownNodeState, state: ShownNodeState): boolean {
  if (former.nodeName !== state.nodeName) return false;
  if (former.state === 'absent' || state.state === 'absent') {
    return former.state === 'absent' && state.state === 'absent' && former.reason === state.reason;
  }
  return (
    former.fetchedAtMs === state.fetchedAtMs &&
    former.missingPods === state.missingPods &&
    former.danglingPods === state.danglingPods
  );
}
