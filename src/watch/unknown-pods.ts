import { nextDelayMs, withJitter } from '../base/backoff.js';
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import type { Reflector } from './reflector.js';
import type { Resource } from './resource-path.js';

/** As long as watches and summaries may lag behind each other. */
const settleMs = 60_000;

/** Kubelets may never clean up, and a static pod that the API server refuses is never known: a list does not help then. */
const [shortestPauseMs, longestPauseMs] = [600_000, 4 * 3_600_000];

/** So many pods may wait to be cleaned up. */
const manyCount = 20;

/** Pods that are in the store, or whose nodes are, and pods of which that is not so. */
export interface KnownPodCounts {
  readonly knownCount: number;
  readonly unknownCount: number;
}

const suspicions: Readonly<Record<Resource, string>> = {
  nodes: 'many pods run on nodes that are not known',
  pods: 'kubelets report many pods that are not known',
};

/** Has a store checked when kubelets contradict it, whatever the cause: servers have served partial lists, proxies lose events. */
export class UnknownPods {
  readonly #options;
  /** Since when many pods have been unknown. */
  #suspectedSinceMs: number | undefined;
  #relistNotBeforeMs = -Infinity;
  /** The next one, before its random part. */
  #pauseMs = shortestPauseMs;

  constructor(options: {
    readonly resource: Resource;
    readonly scopes: () => readonly Pick<Reflector<never>, 'relist' | 'doubt'>[];
    readonly clock: Clock;
    /** From 0 to 1, 1 excluded. */
    readonly random: () => number;
    readonly logger: Logger;
  }) {
    this.#options = options;
  }

  /**
   * To be called more than once a minute while there are counts; no pod at all says nothing. Any unknown pod is a doubt: see
   * {@link Reflector.doubt}. While many are unknown for a minute, the newest state is listed: not within 5 to 10 minutes of
   * the last time; while that does not help, after twice as long each time, up to 4 hours.
   */
  compare(counts: KnownPodCounts): void {
    const { knownCount, unknownCount } = counts;
    for (const scope of this.#options.scopes()) scope.doubt(unknownCount > 0);
    if (knownCount + unknownCount === 0) return;
    if (areManyUnknown(counts)) this.#relist(counts);
    else {
      this.#suspectedSinceMs = undefined;
      this.#pauseMs = shortestPauseMs;
    }
  }

  #relist(counts: KnownPodCounts): void {
    const { clock, resource, scopes, random, logger } = this.#options;
    const nowMs = clock.monotonicMs();
    this.#suspectedSinceMs ??= nowMs;
    if (nowMs - this.#suspectedSinceMs < settleMs || nowMs < this.#relistNotBeforeMs) return;
    const log = this.#pauseMs === shortestPauseMs ? logger.warn : logger.debug;
    this.#relistNotBeforeMs = nowMs + withJitter(this.#pauseMs, random);
    this.#pauseMs = nextDelayMs(this.#pauseMs, longestPauseMs);
    log(`${suspicions[resource]}: ${resource} are listed again`, { ...counts });
    for (const scope of scopes()) scope.relist();
  }
}

function areManyUnknown({ knownCount, unknownCount }: KnownPodCounts): boolean {
  const ratio = unknownCount / (knownCount + unknownCount);
  return ratio > 0.5 || (unknownCount >= manyCount && ratio > 0.1);
}
