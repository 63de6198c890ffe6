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
  }) {
    this.#options = options;
  }

  /** Its place is free only after the rest, which does not reject. Throws QueueFullError at once, or while it waits. */
  async run<T>(key: string, work: () => Promise<T>, rest?: () => Promise<void>): Promise<T> {
    if (this.#runningCount < this.#options.maxRunningCount) this.#runningCount += 1;
    else await this.#turn(key);
    try {
      return await work();
    } finally {
      if (rest === undefined) this.#passOn();
      else
        void rest().then(() => {
          this.#passOn();
        });
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

/** Of work that is to be rare. Ends early when the signal aborts. */
export async function rest(durationMs: number, clock: Clock, signal: AbortSignal): Promise<void> {
  if (durationMs > 0) await clock.sleep(durationMs, signal).catch(() => undefined);
}
