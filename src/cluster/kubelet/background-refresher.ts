import { Semaphore } from 'async-mutex';

import type { Clock } from '../../lib/base/clock.js';
import type { Lane } from '../../lib/base/lane.js';
import type { Node } from '../kube/objects.js';
import type { KubeletCache } from './kubelet-cache.js';

/**
 * Requests to fewer nodes delay a scrape by less than half a second, also with one core and 30 pods on each node, and cost
 * nothing between scrapes that are further apart than the TTL.
 */
const leastNodeCountAhead = 100;

/** Whether kubelets are scraped ahead of scrapes; otherwise when a scrape needs fresh data. */
export function refreshesAhead(nodeCount: number): boolean {
  return nodeCount >= leastNodeCountAhead;
}

/** Without a scrape for so many TTLs nothing is refreshed: none is expected any longer. */
const idleTtlCount = 3;

/**
 * Refreshes each node in the background as soon as the cache allows it, so that scrapes find fresh data, and spreads the
 * requests over the TTL. It is active at the start and while scrapes keep coming; otherwise nothing is scheduled.
 *
 * Freshness counts from a response, the gate from the request before it: a kubelet that receives a request one TTL after
 * the last one responds about when its data becomes stale, and a scrape in between waits for that response.
 *
 * Spreading: each node has its own phase, a hash of its name, in a period that is a little longer than the TTL; the
 * margin absorbs the lateness of timers, which would otherwise add up. A node that is out of phase, because a scrape
 * refreshed it first, waits for its phase, but no longer than a part of the TTL each time: it converges in a few rounds.
 * Nodes with a shorter TTL do not wait.
 *
 * Nodes are due at ticks of the clock, a small part of the TTL: one timer serves all that are due at about the same time.
 */
export class BackgroundRefresher {
  readonly #options;
  readonly #tickMs: number;
  readonly #periodMs: number;
  readonly #maxDelayMs: number;
  readonly #turns: Semaphore;
  #expectedAtMs = -Infinity;

  constructor(options: {
    readonly cache: Pick<KubeletCache, 'refreshInBackground' | 'nextAttemptAtMs' | 'hasShortTtl'>;
    /** The nodes to refresh. */
    readonly nodes: () => Iterable<Node>;
    /** The one with this name; undefined when it is not among `nodes`. */
    readonly findNode: (name: string) => Node | undefined;
    /** Calls {@link BackgroundRefresher.refresh} with the node after `delayMs`, or before when that was the plan. */
    readonly schedule: (nodeName: string, delayMs: number) => void;
    /** Called with each node after it was refreshed; the next refresh waits for it. */
    readonly onRefreshed?: (node: Node) => Promise<void>;
    readonly background: Lane;
    /** Refreshes in progress; the others wait in the order in which they were due. At least 1. */
    readonly maxConcurrentRefreshes: number;
    /** The cache's, in milliseconds, above 0. */
    readonly ttlMs: number;
    /** The shorter one of some nodes; 0: none has it. */
    readonly nearTtlMs: number;
    readonly clock: Clock;
  }) {
    this.#options = options;
    const { ttlMs, nearTtlMs, maxConcurrentRefreshes } = options;
    this.#turns = new Semaphore(maxConcurrentRefreshes);
    this.#tickMs = Math.max(Math.min(ttlMs / 100, nearTtlMs > 0 ? nearTtlMs / 10 : Infinity), 10);
    this.#periodMs = ttlMs + 2 * this.#tickMs;
    this.#maxDelayMs = ttlMs / 10;
  }

  /** To be called at each scrape, and once before the first one. */
  expectScrape(): void {
    this.#expectedAtMs = this.#options.clock.monotonicMs();
    void this.#options.background.each(this.#options.nodes(), (node) => {
      this.#schedule(node);
    });
  }

  /** To be called when the node may have appeared, or may be due earlier than before. */
  mayBeDue(nodeName: string): void {
    const node = this.#options.findNode(nodeName);
    if (node !== undefined) this.#schedule(node);
  }

  /**
   * Refreshes the node if it is due. Resolves with the delay in milliseconds after which to call it again; undefined when
   * the node has left, or scrapes no longer come. Never rejects.
   */
  refresh(nodeName: string): Promise<number | undefined> {
    return this.#turns.runExclusive(() => this.#refreshInTurn(nodeName));
  }

  async #refreshInTurn(nodeName: string): Promise<number | undefined> {
    if (this.#waitMsOf(nodeName) === 0) await this.#options.background.run(() => undefined);
    const node = this.#options.findNode(nodeName); // as it is by now
    const waitMs = this.#waitMsOf(nodeName);
    if (node === undefined || waitMs !== 0) return waitMs;
    await this.#options.cache.refreshInBackground(node);
    await this.#options.onRefreshed?.(node);
    const nextWaitMs = this.#waitMs(node);
    return nextWaitMs === 0 ? this.#retryDelayMs(nodeName) : nextWaitMs;
  }

  /** For when too many kubelets hang. Not the same for all: few of those that come at once would find a free slot. */
  #retryDelayMs(nodeName: string): number {
    return this.#maxDelayMs * (1 + hashFraction(nodeName));
  }

  #waitMsOf(nodeName: string): number | undefined {
    const node = this.#options.findNode(nodeName);
    return node && this.#waitMs(node);
  }

  #schedule(node: Node): void {
    const waitMs = this.#waitMs(node);
    if (waitMs !== undefined) this.#options.schedule(node.name, waitMs);
  }

  /** Until the node is due; undefined when that is too long after scrapes were last expected. */
  #waitMs(node: Node): number | undefined {
    const { clock, ttlMs } = this.#options;
    const nowMs = clock.monotonicMs();
    const dueAtMs = Math.max(Math.ceil(this.#dueAtMs(node) / this.#tickMs) * this.#tickMs, nowMs);
    return dueAtMs - this.#expectedAtMs < idleTtlCount * ttlMs ? dueAtMs - nowMs : undefined;
  }

  #dueAtMs(node: Node): number {
    const allowedAtMs = this.#options.cache.nextAttemptAtMs(node);
    if (allowedAtMs === undefined) return -Infinity;
    if (this.#options.cache.hasShortTtl(node.name)) return allowedAtMs;
    const phaseMs = hashFraction(node.name) * this.#periodMs;
    const delayMs = remainder(phaseMs - allowedAtMs, this.#periodMs);
    return allowedAtMs + Math.min(delayMs, this.#maxDelayMs);
  }
}

/** From 0 up to, not including, `divisor`. */
function remainder(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}

/**
 * The same for a name in every process; evenly spread over [0, 1) also for names that differ in their last digits only,
 * which takes MurmurHash3's finalizer after FNV-1a. A cryptographic hash would cost more than all the rest.
 */
function hashFraction(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
