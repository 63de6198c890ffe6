import type { Pod } from '../kube/objects.js';
import { type JoinInput, judgePod } from './join.js';

export interface NodeComparisonInput extends JoinInput {
  /** The API server's pods of the node. */
  readonly podsOnNode: readonly Pod[];
  /** Namespaces in scope whose pods are not known yet. */
  readonly unlistedNamespaces: readonly string[];
}

/** The pods of a summary against those of the API server. */
export interface NodeComparison {
  /** Pods of the summary that the API server knows on this node. */
  readonly knownCount: number;
  /** Pods of the summary that the API server does not know, or has just deleted. */
  readonly unknownCount: number;
}

/**
 * Pods that the API server knows elsewhere or under another UID count neither way: their summary or their watch lags behind.
 * A UID that a summary repeats makes no more pods known than there are.
 */
export function compareNode(input: NodeComparisonInput): NodeComparison {
  const { summary, podsOnNode, unlistedNamespaces } = input;
  const uids = new Set<string>();
  for (const { kubeletUid } of podsOnNode) uids.add(kubeletUid);
  let [knownCount, unknownCount] = [0, 0];
  for (const pod of summary.pods) {
    if (uids.has(pod.uid)) {
      knownCount += 1;
      continue;
    }
    const verdict = judgePod(pod, input);
    const isUnknown = verdict === 'unknown_pod' && !unlistedNamespaces.includes(pod.namespace);
    if (isUnknown || verdict === 'deleted_pod') unknownCount += 1;
  }
  return { knownCount: Math.min(knownCount, uids.size), unknownCount };
}
