import { Semaphore, type SemaphoreInterface } from 'async-mutex';

import { abortable } from '../../lib/base/abortable.js';

const mebibyte = 2 ** 20;

/** Read without a reservation: about 200 pods, so that the summaries of ordinary nodes never wait for each other. */
const freeBytes = mebibyte;

/**
 * Above that, bodies take part in a total. It holds eight bodies of the default limit, 8 MiB; what was read of a body is
 * held, decoded, until its end, and eight of them take well under a second of the only thread.
 */
const totalMebibytes = 64;

/** Bounds the bytes of large bodies under way, over all kubelets: many of them at once must not add up. */
export class BodyBudget {
  readonly #slots = new Semaphore(totalMebibytes);

  /** For one body of at most `maxBytes`. Dispose of it when the body was read. */
  reservation(maxBytes: number): BodyReservation {
    return new BodyReservation(this.#slots, Math.min(Math.ceil(maxBytes / mebibyte), totalMebibytes));
  }
}

/**
 * The share of one body. It is taken at once for all that the body may become: with half of it each, two bodies could wait
 * for each other.
 */
export class BodyReservation implements Disposable {
  readonly #slots: Semaphore;
  readonly #weight: number;
  #release: SemaphoreInterface.Releaser | undefined;
  #isWaiting = false;

  constructor(slots: Semaphore, weight: number) {
    this.#slots = slots;
    this.#weight = weight;
  }

  /** Whether reading waits for other bodies to end. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** Resolves when `byteCount` bytes of the body may be in memory. Rejects with the signal's reason when it aborts. */
  async grow(byteCount: number, signal: AbortSignal): Promise<void> {
    if (byteCount <= freeBytes || this.#release !== undefined) return;
    this.#isWaiting = true;
    const acquired = this.#slots.acquire(this.#weight);
    try {
      [, this.#release] = await abortable(acquired, signal);
      this.#isWaiting = false;
    } catch (error) {
      void acquired.then(([, release]) => {
        release();
      });
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#release?.();
  }
}
