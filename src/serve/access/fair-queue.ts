import type { Clock } from '../../lib/base/clock.js';

/** The work was not begun: too much other work waits. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
}

/**
 * Bounded work. What waits takes turns by its key, so that one key with much work delays the others by one turn. When it is
 * full, a key gets a place from the one that has the most, as long as that has more of them afterwards.
 */
export class FairQueue {
  readonly #options;
  /** By key, in the order of their turns; no list is empty. */
  readonly #waiting = new Map<
    string,
    { readonly start: () => void; readonly refuse: (error: QueueFullError) => void }[]
  >();
  #runningCount = 0;
  #waitingCount = 0;

  constructor(options: {
    /** Above 0. */
    readonly maxRunningCount: number;
    /** For all keys together, and for one. */
    readonly maxWaitingCount: number;
    readonly maxWaitingCountPerKey: number;
    readonly clock: Clock;
    /** Ends rests early. */
    readonly signal: AbortSignal;
  }) {
    this.#options = options;
  }

  /**
   * Throws QueueFullError at once, or while it waits. `restMsOf`: for how long its place stays taken after it, for work that is to be
   * rare; the result is undefined when it has failed.
   */
  async run<T>(
    key: string,
    work: () => Promise<T>,
    restMsOf: (result: T | undefined, durationMs: number) => number = () => 0,
  ): Promise<T> {
    const { maxRunningCount, clock } = this.#options;
    if (this.#runningCount < maxRunningCount) this.#runningCount += 1;
    else await this.#turn(key);
    const startMs = clock.monotonicMs();
    let result: T | undefined;
    try {
      result = await work();
      return result;
    } finally {
      this.#passOnAfter(restMsOf(result, clock.monotonicMs() - startMs));
    }
  }

  async #turn(key: string): Promise<void> {
    const { maxWaitingCount, maxWaitingCountPerKey } = this.#options;
    const ofKey = this.#waiting.get(key) ?? [];
    if (ofKey.length >= maxWaitingCountPerKey) throw new QueueFullError();
    if (this.#waitingCount >= maxWaitingCount) this.#displace(ofKey.length);
    await new Promise<void>((start, refuse) => {
      this.#waiting.set(key, ofKey);
      ofKey.push({ start, refuse });
      this.#waitingCount += 1;
    });
  }

  /** Refuses the newest of the key that has the most. Throws when no key has two more than `count`. */
  #displace(count: number): void {
    const [most = []] = [...this.#waiting.values()].sort((a, b) => b.length - a.length);
    if (most.length < count + 2) throw new QueueFullError();
    most.pop()?.refuse(new QueueFullError());
    this.#waitingCount -= 1;
  }

  #passOnAfter(restMs: number): void {
    const { clock, signal } = this.#options;
    const passOn = (): void => {
      this.#passOn();
    };
    if (restMs > 0) clock.sleep(restMs, signal).then(passOn, passOn);
    else passOn();
  }

  /** Gives the place of work that has ended to the next one. */
  #passOn(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#runningCount -= 1;
      return;
    }
    const [key, ofKey] = next;
    const waiting = ofKey.shift();
    this.#waitingCount -= 1;
    this.#waiting.delete(key);
    if (ofKey.length > 0) this.#waiting.set(key, ofKey);
    waiting?.start();
  }
}
