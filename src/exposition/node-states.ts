import type { NodeState } from '../scrape/snapshot.js';

/** Whether all families of the states of nodes have the same series for both: no other fields are in them. */
export function isSameState(former: NodeState, state: NodeState): boolean {
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
