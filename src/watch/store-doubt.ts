import { type Backoff, equalJitter, exponentialBackoff } from '../base/backoff.js';
import type { Clock } from '../base/clock.js';

/** Pods that are in the store, or whose nodes are, and pods of which that is not so. */
export interface KnownPodCounts {
  readonly knownCount: number;
  readonly unknownCount: number;
}

/** Fewer than this are pods that still have to be cleaned up, unless they are most of all. */
const manyCount = 20;
const manyRatio = 0.1;

/** By then, summaries from before a deletion have been replaced, and pods of a deleted node are being deleted. */
const lastsMs = 60_000;

/** Kubelets may never clean up, and a static pod that the API server refuses is never known: a list does not help then. */
const firstPauseMs = 600_000;
const longestPauseMs = 4 * 3_600_000;

/**
 * Whether objects should be listed again: for a minute, so many pods have been unknown that the store is more likely wrong
 * than they are. Not again for 5 to 10 minutes; while that does not help, for twice as long each time, up to 4 hours.
 */
export class StoreDoubt {
  readonly #clock: Clock;
  readonly #firstPause: Backoff;
  #nextPause: Backoff;
  #sinceMs: number | undefined;
  #pausedUntilMs = -Infinity;

  /** `random`: from 0 to 1, 1 excluded. */
  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    const jitter = equalJitter(random);
    this.#firstPause = exponentialBackoff({ baseMs: firstPauseMs, maxMs: longestPauseMs, jitter });
    this.#nextPause = this.#firstPause;
  }

  /**
   * To be called more than once a minute while there are counts; no pod at all says nothing. `again`: the last list did not
   * end the doubt.
   */
  dueList(counts: KnownPodCounts): 'first' | 'again' | undefined {
    if (counts.knownCount + counts.unknownCount === 0) return undefined;
    const nowMs = this.#clock.monotonicMs();
    if (!isSuspicious(counts)) {
      this.#sinceMs = undefined;
      this.#nextPause = this.#firstPause;
      return undefined;
    }
    this.#sinceMs ??= nowMs;
    if (nowMs - this.#sinceMs < lastsMs || nowMs < this.#pausedUntilMs) return undefined;
    const due = this.#nextPause === this.#firstPause ? 'first' : 'again';
    this.#pausedUntilMs = nowMs + this.#nextPause.delayMs;
    this.#nextPause = this.#nextPause.next();
    return due;
  }
}

function isSuspicious({ knownCount, unknownCount }: KnownPodCounts): boolean {
  const ratio = unknownCount / (knownCount + unknownCount);
  return ratio > 0.5 || (unknownCount >= manyCount && ratio > manyRatio);
}
