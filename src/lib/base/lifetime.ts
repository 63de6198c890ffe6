import { messageOf } from './errors.js';

/** The lifetime of something with parts that run until they are stopped. */
export class Lifetime {
  /**
   * Resolves after {@link stopped}; rejects at once with the error of the first part that ended although it never should. It is
   * not an unhandled rejection when nobody waits for it.
   */
  readonly done: Promise<void>;
  #resolve: () => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  constructor() {
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.done.catch(() => undefined);
  }

  /** Returns the result of `work`; rejects as soon as `done` does. */
  async during<T>(work: Promise<T>): Promise<T> {
    await Promise.race([work, this.done]);
    return await work;
  }

  /** Resolves `done`: all parts have been stopped and have ended. */
  stopped(): void {
    this.#resolve();
  }

  /** Rejects `done`: a part has ended although it was not stopped. The first error counts. */
  failed(error: Error): void {
    this.#reject(error);
  }
}

/**
 * Reports the end of a part that should run until `signal` aborts, such as `the watch of pods`. Resolves when it has ended,
 * however it did; never rejects.
 */
export async function supervise({
  name,
  running,
  signal,
  onUnexpectedEnd,
}: {
  readonly name: string;
  readonly running: Promise<void>;
  readonly signal: AbortSignal;
  readonly onUnexpectedEnd: (error: Error) => void;
}): Promise<void> {
  try {
    await running;
    if (!signal.aborted) onUnexpectedEnd(new Error(`${name} has ended, although nothing stopped it`));
  } catch (error) {
    onUnexpectedEnd(new Error(`${name} has ended: ${messageOf(error)}`, { cause: error }));
  }
}
