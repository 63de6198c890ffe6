import type { Pod } from '../../cluster/kube/objects.js';
import { type Amount, excessOver, isAbove } from '../../cluster/kube/quantity.js';
import { countsInodes, type EvictionSignal } from '../../cluster/kubelet/eviction-signals.js';
import type { PodSummary } from '../../cluster/kubelet/summary.js';
import { byNames } from '../../lib/base/ranking.js';
import { entryFinder } from './join.js';
import { evictionRequest, exemptionOf, isActive } from './limits.js';
import { type StorageLayout, storageLayout } from './node-layout.js';
import type { NodeSnapshot } from './node-view.js';
import { freedByEviction, signalUsage } from './signal-usage.js';

/** A pod of a node, as the API server and the kubelet know it. */
export interface CandidatePod {
  readonly pod: Pod;
  /** Undefined when the summary does not list the pod. */
  readonly summary: PodSummary | undefined;
}

/** What decides first where a pod stands in the order. */
type VictimPlace = 'no_statistics' | 'above_request' | 'within_request';

/** A pod in the order in which a kubelet evicts for one signal. */
export interface Victim {
  readonly pod: Pod;
  /** 1 for the first; pods that are equal to the kubelet, which takes them in any order, share one. */
  readonly rank: number;
  /** The kubelet ranks the pod and then passes over it. */
  readonly exempt: 'static' | 'critical' | undefined;
  readonly place: VictimPlace;
  /** Bytes or inodes, see `signalUsage`; undefined without statistics, or with an impossible part. */
  readonly usage: number | undefined;
  /** In bytes, for each signal, see `evictionRequest`. */
  readonly request: Amount;
  /** Bytes or inodes that its eviction would free; undefined where that is unknown. */
  readonly freed: number | undefined;
}

export interface VictimOptions {
  readonly signal: EvictionSignal;
  readonly layout: StorageLayout;
  readonly kubeletVersion: string | undefined;
}

/**
 * The pods of a node that have not ended, in the order in which its kubelet evicts for a signal: those without statistics;
 * those above their request; the lower priority; the larger usage above the request. Equals are sorted by namespace and name.
 * For a shortage of inodes every pod with an inode is above its request, and the kubelet subtracts the bytes requested from
 * the number of inodes, which is not a mistake of this code.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/eviction/helpers.go (rankDiskPressureFunc)
 */
export function rankVictims(pods: readonly CandidatePod[], options: VictimOptions): readonly Victim[] {
  const candidates = pods.filter(({ pod }) => isActive(pod)).map((pod) => candidateOf(pod, options));
  candidates.sort((a, b) => compareCandidates(a, b) || byNamespaceAndName(a.pod, b.pod));
  let rank = 0;
  return candidates.map((candidate, position) => {
    const before = candidates[position - 1];
    if (before === undefined || compareCandidates(before, candidate) !== 0) rank = position + 1;
    return { ...candidate, rank };
  });
}

type Candidate = Omit<Victim, 'rank'>;

function candidateOf({ pod, summary }: CandidatePod, { signal, layout, kubeletVersion }: VictimOptions): Candidate {
  const request = evictionRequest(pod, kubeletVersion);
  const common = { pod, request, exempt: exemptionOf(pod) };
  if (summary === undefined) return { ...common, place: 'no_statistics', usage: undefined, freed: undefined };
  const input = { summary, pod, signal, layout };
  const usage = signalUsage(input);
  const isAboveRequest = isAbove(usage ?? asKubelet, countsInodes(signal) ? 0 : request);
  return {
    ...common,
    place: isAboveRequest ? 'above_request' : 'within_request',
    usage,
    freed: freedByEviction(input),
  };
}

/** An impossible figure is negative to the kubelet: below any request. */
const asKubelet = -(2 ** 62);

const placeOrder: Readonly<Record<VictimPlace, number>> = { no_statistics: 0, above_request: 1, within_request: 2 };

/** Negative when `a` is evicted first, 0 when the kubelet has no preference. */
function compareCandidates(a: Candidate, b: Candidate): number {
  return placeOrder[a.place] - placeOrder[b.place] || a.pod.priority - b.pod.priority || compareExcess(b, a);
}

function compareExcess(a: Candidate, b: Candidate): number {
  if (a.place === 'no_statistics') return 0;
  const [ofA, ofB] = [excessOver(a.usage ?? asKubelet, a.request), excessOver(b.usage ?? asKubelet, b.request)];
  return ofA.units - ofB.units || ofA.nanos - ofB.nanos;
}

const byNamespaceAndName = byNames<Pod>(({ namespace, name }) => [namespace, name]);

/** Whom a node would evict to free `amount`: of bytes or inodes, that of the signal that `victims` are for. */
export function victimsToFree<T extends { readonly exempt?: Victim['exempt']; readonly freed?: Victim['freed'] }>(
  victims: readonly T[],
  amount: number,
): {
  readonly victims: readonly T[];
  /** Bytes or inodes, at least: what a pod without statistics has is unknown. */
  readonly freed: number;
  /** Whether that is the amount; otherwise all pods that may be evicted do not free it. */
  readonly isEnough: boolean;
} {
  const chosen: T[] = [];
  let freed = 0;
  for (const victim of victims) {
    if (freed >= amount) break;
    if (victim.exempt !== undefined) continue;
    chosen.push(victim);
    freed += victim.freed ?? 0;
  }
  return { victims: chosen, freed, isEnough: freed >= amount };
}

/**
 * Ranks the pods of a node for one signal after the other, as its kubelet would evict them. Not done for each scrape: of
 * interest on few nodes. Undefined unless all of its pods are read: neither the requests nor the priorities of the others
 * are known, and any of them may be the first.
 */
export function victimRanking(snapshot: NodeSnapshot): ((signal: EvictionSignal) => readonly Victim[]) | undefined {
  if (snapshot.unreadPodCount !== undefined) return undefined;
  const { node, layout } = snapshot;
  const candidates = candidatePods(snapshot);
  const options = { layout: storageLayout(layout), kubeletVersion: node.kubeletVersion };
  return (signal) => rankVictims(candidates, { ...options, signal });
}

function candidatePods({ podsOnNode, summary }: NodeSnapshot): readonly CandidatePod[] {
  const find = entryFinder(summary);
  return podsOnNode.map((pod) => ({ pod, summary: find(pod) }));
}

/** One of the pods that a node would evict first. */
export interface NextVictim {
  readonly signal: EvictionSignal;
  readonly victim: Victim;
  /** Among the pods that may be evicted; equals share one. */
  readonly rank: number;
}

const nextVictimCount = 5;

/** Returns the first victims for each signal with a threshold; none of a node whose order is not known. */
export function nextVictims(snapshot: NodeSnapshot): readonly NextVictim[] {
  const { thresholds } = snapshot;
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
