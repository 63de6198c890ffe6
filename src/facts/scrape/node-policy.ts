import type { Node } from '../../cluster/kube/objects.js';
import { type LabelSelector, matchesSelector } from '../../cluster/kube/selector.js';

export interface NodePolicy {
  /** Nodes that it does not match are out of scope. */
  readonly nodeSelector: LabelSelector;
  /** Nodes that serve no summaries (virtual kubelets, Fargate): shown as skipped, never scraped. */
  readonly skipSelectors: readonly LabelSelector[];
  /** The only node that is measured, whether or not it exists; undefined when the scope is not one node. */
  readonly onlyNode?: string | undefined;
}

export function nodesInScope(
  nodes: Iterable<Node>,
  policy: NodePolicy,
): {
  /** Nodes to scrape. */
  readonly targets: readonly Node[];
  readonly skipped: readonly Node[];
  /** The only node to measure, when the cluster does not have it. */
  readonly missing: string | undefined;
} {
  const targets: Node[] = [];
  const skipped: Node[] = [];
  let missing = policy.onlyNode;
  for (const node of nodes) {
    if (node.name === missing) missing = undefined;
    if (!matchesSelector(policy.nodeSelector, node.labels)) continue;
    const skip = policy.skipSelectors.some((selector) => matchesSelector(selector, node.labels));
    (skip ? skipped : targets).push(node);
  }
  return { targets, skipped, missing };
}

/**
 * The order in which nodes are scraped. Those come first that have waited for longest, so that a deadline that
 * is too short for all nodes reaches each in some scrapes; of equal ones, the first is another one in each scrape. Nodes whose
 * last scrape failed come last, so that hanging ones do not hold the request slots while the others wait.
 */
export function scrapeOrder(
  nodes: readonly Node[],
  scrapeNumber: number,
  {
    lastServedIn,
    hasFailed,
  }: {
    /** The number of the last scrape in which the node was served; undefined before. */
    readonly lastServedIn: (nodeName: string) => number | undefined;
    readonly hasFailed: (nodeName: string) => boolean;
  },
): Node[] {
  const start = nodes.length === 0 ? 0 : scrapeNumber % nodes.length;
  const placed = [...nodes.slice(start), ...nodes.slice(0, start)].map((node) => ({
    node,
    place: hasFailed(node.name) ? Infinity : (lastServedIn(node.name) ?? -1),
  }));
  return placed.sort(byPlace).map(({ node }) => node);
}

function byPlace({ place }: { readonly place: number }, { place: other }: { readonly place: number }): number {
  return place === other ? 0 : place - other;
}
