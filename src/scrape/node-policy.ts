import type { Node } from '../kube/objects.js';
import { type LabelSelector, matchesSelector } from '../kube/selector.js';

export interface NodePolicy {
  /** Nodes that it does not match are out of scope. */
  readonly nodeSelector: LabelSelector;
  /** Nodes that serve no summaries (virtual kubelets, Fargate): shown as skipped, never asked. */
  readonly skipSelectors: readonly LabelSelector[];
  /** The only node that is measured, there or not; undefined when it is not one alone. */
  readonly onlyNode?: string | undefined;
}

export interface NodesInScope {
  readonly asked: readonly Node[];
  readonly skipped: readonly Node[];
  /** The only node to measure, when it is not there. */
  readonly missing: string | undefined;
}

export function nodesInScope(nodes: Iterable<Node>, policy: NodePolicy): NodesInScope {
  const asked: Node[] = [];
  const skipped: Node[] = [];
  let missing = policy.onlyNode;
  for (const node of nodes) {
    if (node.name === missing) missing = undefined;
    if (!matchesSelector(policy.nodeSelector, node.labels)) continue;
    const skip = policy.skipSelectors.some((selector) => matchesSelector(selector, node.labels));
    (skip ? skipped : asked).push(node);
  }
  return { asked, skipped, missing };
}

/**
 * The order in which nodes are asked: it starts one place further at each turn, so that a short deadline does not
 * starve the same nodes, and nodes whose last attempt failed come last, so that hanging ones do not hold the request
 * slots while the others wait.
 */
export function askingOrder(nodes: readonly Node[], turn: number, lastFailed: (nodeName: string) => boolean): Node[] {
  const start = nodes.length === 0 ? 0 : turn % nodes.length;
  const rotated = [...nodes.slice(start), ...nodes.slice(0, start)];
  const failed = new Set(rotated.filter((node) => lastFailed(node.name)));
  return [...rotated.filter((node) => !failed.has(node)), ...failed];
}
