import type { Clock } from '../base/clock.js';
import type { Lane } from '../base/scheduler.js';
import type { Node } from '../kube/objects.js';
import type { NodeSummary } from '../kubelet/summary.js';
import type { PodScope } from '../node/join.js';
import { compareNode, type NodeComparison } from '../node/node-comparison.js';
import type { PodLister } from '../node/node-snapshot.js';
import type { NodeLister } from './collector.js';

export interface ReconcilerOptions {
  readonly store: NodeLister & Omit<PodLister, 'boundNodeNames' | 'podsOn'>;
  readonly cache: {
    /** The last summary, however old; undefined without one. Nodes that are not scraped have none. */
    lastSummary(node: Node): { readonly summary: NodeSummary; readonly ageMs: number } | undefined;
  };
  readonly scope: PodScope;
  /** How long a summary is fresh as a rule, in milliseconds. */
  readonly ttlMs: number;
  /** Told the pods of all summaries after each pass. */
  readonly onCounts: (counts: NodeComparison) => void;
  /** Calls {@link Reconciler.reconcile} after `delayMs`, or before when that was the plan. */
  readonly schedule: (delayMs: number) => void;
  readonly lane: Lane;
  readonly clock: Clock;
}

/** A store is in doubt a minute after the first comparison that speaks against it, so 80 s after a wrong list. */
const periodMs = 20_000;

/** Without a scrape for so long nothing is compared: longer than the usual intervals of scrapes, of which one may be late. */
const idleMs = 90_000;

/**
 * Older summaries count neither way, unless they are fresh: what has been so for a minute was then seen in two summaries
 * of a kubelet, and a deletion that scrapes have not seen yet is no doubt.
 */
const countsForMs = 60_000;

/**
 * Compares the pods that the API server knows with those that kubelets report, every 20 s while scrapes come. Nodes without
 * a summary count neither way.
 */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #lane: Lane;
  #lastScrapeAtMs = -Infinity;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#lane = options.lane;
  }

  /** To be called at each scrape. */
  scraped(): void {
    this.#lastScrapeAtMs = this.#options.clock.monotonicMs();
    this.#options.schedule(periodMs);
  }

  /** One pass. Resolves with the delay in milliseconds until the next one; undefined when scrapes no longer come. */
  async reconcile(signal: AbortSignal): Promise<number | undefined> {
    const { clock, store } = this.#options;
    if (clock.monotonicMs() - this.#lastScrapeAtMs > idleMs) return undefined;
    if (store.hasSynced) await this.#compareNodes(signal);
    return periodMs;
  }

  async #compareNodes(signal: AbortSignal): Promise<void> {
    const { store, onCounts } = this.#options;
    let [knownCount, unknownCount] = [0, 0];
    await this.#lane.each(store.nodes(), (node) => {
      const comparison = signal.aborted ? undefined : this.#compareNode(node);
      if (comparison === undefined) return;
      knownCount += comparison.knownCount;
      unknownCount += comparison.unknownCount;
    });
    if (!signal.aborted) onCounts({ knownCount, unknownCount });
  }

  /** Undefined without a summary that counts. */
  #compareNode(node: Node): NodeComparison | undefined {
    const { store, cache, scope, ttlMs } = this.#options;
    const last = cache.lastSummary(node);
    if (last === undefined || last.ageMs >= Math.max(ttlMs, countsForMs)) return undefined;
    return compareNode({
      nodeName: node.name,
      summary: last.summary,
      unlistedNamespaces: store.unlistedNamespaces(),
      findPod: (namespace, name) => store.findPod(namespace, name),
      isDeleted: (pod) => store.isDeleted(pod),
      scope,
    });
  }
}
