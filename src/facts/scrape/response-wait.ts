import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Clock } from '../../lib/base/clock.js';
import type { Lane } from '../../lib/base/lane.js';
import { getOrAdd } from '../../lib/base/maps.js';

/** That share a signal: a signal takes time in the square of its listeners. */
const nodesPerSignal = 64;

/** In milliseconds. Nearly all kubelets respond faster. */
const leastPatienceMs = 500;

/**
 * Decides how long a collection waits for the nodes it has asked. As long as responses come it goes on. When none has
 * come for a while, the nodes that are left are stragglers: they hang, or are much slower than the others and than
 * they were before. Their requests go on and serve the next collection.
 *
 * The while is at least half of the time that the responses so far took, and twice what a node that is left took last
 * time. Without any of these figures there is nothing to compare with, and the wait goes on.
 */
export class ResponseWait implements Disposable {
  readonly #options;
  readonly #startMs: number;
  /** By the group of nodes whose requests it ends. */
  readonly #ended = new Map<number, AbortController>();
  #isOver = false;
  readonly #disposed = new AbortController();
  /** By the name of a node that is waited for: how long its last response took, in milliseconds. */
  readonly #pending = new Map<string, number | undefined>();
  #lastResponseAtMs: number | undefined;
  #isTiming = false;

  constructor(options: {
    readonly clock: Clock;
    /** Ends the wait. */
    readonly parent: AbortSignal;
    /** Whether the wait goes on until every node has responded. */
    readonly waitsForAll: boolean;
    /** In which requests begin: while it is held, nobody can be asked. */
    readonly requests: Lane;
  }) {
    this.#options = options;
    this.#startMs = options.clock.monotonicMs();
    if (options.parent.aborted) this.#end();
    else options.parent.addEventListener('abort', this.#end, { once: true });
  }

  /** Aborts when the wait is over. `index`: of the node among those that are asked. */
  signalFor(index: number): AbortSignal {
    const group = Math.floor(index / nodesPerSignal);
    const ended = getOrAdd(this.#ended, group, () => new AbortController());
    if (this.#isOver) ended.abort(over());
    return ended.signal;
  }

  /** Waits for these nodes. Ends at once when there is none. */
  start(usualDurationsMs: ReadonlyMap<string, number | undefined>): void {
    for (const [nodeName, durationMs] of usualDurationsMs) this.#pending.set(nodeName, durationMs);
    this.#progressed();
  }

  responded(nodeName: string): void {
    if (!this.#pending.delete(nodeName)) return;
    this.#lastResponseAtMs = this.#options.clock.monotonicMs();
    this.#progressed();
  }

  [Symbol.dispose](): void {
    this.#disposed.abort(new Error('the wait is over'));
    this.#options.parent.removeEventListener('abort', this.#end);
  }

  readonly #end = (): void => {
    this.#isOver = true;
    for (const ended of this.#ended.values()) ended.abort(over());
  };

  #progressed(): void {
    if (this.#options.waitsForAll) return;
    if (this.#pending.size === 0) this.#end();
    else if (!this.#isTiming && this.#dueAtMs() !== Infinity) void this.#time();
  }

  async #time(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#disposed;
    this.#isTiming = true;
    for (let leftMs = this.#leftMs(); leftMs > 0; leftMs = this.#leftMs()) {
      // Not the whole time at once: each response may shorten it.
      await clock.sleep(Math.min(leftMs, leastPatienceMs), signal).catch(() => undefined);
      await this.#requestsGoOn();
      if (signal.aborted) return;
      // Responses may have arrived while the event loop was busy: they are read before the timer counts.
      await nextTurn();
    }
    this.#end();
  }

  /** Nodes that cannot be asked are no stragglers. */
  async #requestsGoOn(): Promise<void> {
    const { requests, clock } = this.#options;
    if (!requests.isHeld) return;
    await requests.run(() => undefined);
    this.#lastResponseAtMs = clock.monotonicMs();
  }

  #leftMs(): number {
    return this.#dueAtMs() - this.#options.clock.monotonicMs();
  }

  #dueAtMs(): number {
    const durations = [...this.#pending.values()].filter((durationMs) => durationMs !== undefined);
    if (this.#lastResponseAtMs === undefined && durations.length < this.#pending.size) return Infinity;
    const lastMs = this.#lastResponseAtMs ?? this.#startMs;
    return lastMs + Math.max(leastPatienceMs, (lastMs - this.#startMs) / 2, 2 * Math.max(0, ...durations));
  }
}

function over(): Error {
  return new Error('the nodes that are left are not waited for');
}
