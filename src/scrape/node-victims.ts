import { storageLayout } from '../eviction/node-layout.js';
import { type CandidatePod, rankVictims, type Victim } from '../eviction/victims.js';
import type { EvictionSignal } from '../kubelet/eviction-signals.js';
import type { NodeSnapshot } from './snapshot.js';

/**
 * Ranks the pods of a node for one signal after the other, as its kubelet would evict them. Not done for each scrape: of
 * interest on few nodes. Pods that the API server does not know, or that are out of scope, are not ranked: neither their
 * requests nor their priorities are known.
 */
export function victimRanking(snapshot: NodeSnapshot): (signal: EvictionSignal) => readonly Victim[] {
  const { node, layout } = snapshot;
  const candidates = candidatePods(snapshot);
  const options = { layout: storageLayout(layout), kubeletVersion: node.kubeletVersion };
  return (signal) => rankVictims(candidates, { ...options, signal });
}

/** Joined by UID alone, as the kubelet does. */
function candidatePods({ podsOnNode, summary }: NodeSnapshot): readonly CandidatePod[] {
  const summaries = new Map(summary.pods.map((pod) => [pod.uid, pod]));
  return podsOnNode.map((pod) => ({ pod, summary: summaries.get(pod.kubeletUid) }));
}
