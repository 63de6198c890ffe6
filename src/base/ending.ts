import { messageOf } from './errors.js';

/** The end of something with parts that run until they are stopped. */
export class Ending {
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

  /** The result of `work`; a rejection as soon as `done` rejects. */
  async during<T>(work: Promise<T>): Promise<T> {
    await Promise.race([work, this.done]);
    return await work;
  }

  /** All parts have been stopped and have ended. */
  stopped(): void {
    this.#resolve();
  }

  /** A part has ended although it was not stopped. The first error counts. */
  failed(error: Error): void {
    this.#reject(error);
  }
}

export interface EndlessPart {
  /** Such as `the watch of pods`. */
  readonly name: string;
  /** Ends soon after the signal aborts, not before, and never rejects. */
  readonly running: Promise<void>;
  readonly signal: AbortSignal;
  /** Told when that is not so. */
  readonly onUnexpectedEnd: (error: Error) => void;
}

/** Resolves when the part has ended, however it did; never rejects. */
export async function endOf({ name, running, signal, onUnexpectedEnd }: EndlessPart): Promise<void> {
  try {
    await running;
    if (!signal.aborted) onUnexpectedEnd(new Error(`${name} has ended, although nothing stopped it`));
  } catch (error) {
    onUnexpectedEnd(new Error(`${name} has ended: ${messageOf(error)}`, { cause: error }));
  }
}
