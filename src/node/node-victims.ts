import type { EvictionSignal } from '../kubelet/eviction-signals.js';
import { storageLayout } from './node-layout.js';
import type { NodeSnapshot } from './node-state.js';
import { isNearThreshold } from './node-thresholds.js';
import { type CandidatePod, rankVictims, type Victim } from './victims.js';

type VictimRanking = (signal: EvictionSignal) => readonly Victim[];

/**
 * Ranks the pods of a node for one signal after the other, as its kubelet would evict them. Not done for each scrape: of
 * interest on few nodes. Undefined unless all of its pods are read: neither the requests nor the priorities of the others
 * are known, and any of them may be the first.
 */
export function victimRanking(snapshot: NodeSnapshot): VictimRanking | undefined {
  if (snapshot.unreadPodCount !== undefined) return undefined;
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

/** One of the pods that a node would evict first. */
export interface NextVictim {
  readonly signal: EvictionSignal;
  readonly victim: Victim;
  /** Among the pods that may be evicted; equals share one. */
  readonly rank: number;
}

const nextVictimCount = 5;

/**
 * The first victims for each signal with a threshold, of a node that is close to evicting pods; none of other nodes, nor of one
 * whose order is not known.
 */
export function nextVictims(snapshot: NodeSnapshot): readonly NextVictim[] {
  const { thresholds } = snapshot;
  if (!isNearThreshold(thresholds)) return [];
  const rank = victimRanking(snapshot);
  if (rank === undefined) return [];
  return [...new Set(thresholds.map(({ signal }) => signal))].flatMap((signal) => firstOf(signal, rank(signal)));
}

function firstOf(signal: EvictionSignal, victims: readonly Victim[]): readonly NextVictim[] {
  const evictable = victims.filter(({ exempt }) => exempt === undefined);
  return evictable.slice(0, nextVictimCount).map((victim) => ({
    signal,
    victim,
    rank: evictable.findIndex((other) => other.rank === victim.rank) + 1,
  }));
}
