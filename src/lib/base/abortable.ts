import type { Clock } from './clock.js';

/**
 * The reason of a signal that ends what is not needed, such as the timer of work that has ended: without a reason, each
 * abort makes an error with a stack. Nobody is to see it.
 */
export const notNeeded = new Error('not needed');

/** The result of `work`, or a rejection when `signal` aborts first. For work that cannot be aborted: it continues. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      reject(signal.reason instanceof Error ? signal.reason : new Error('aborted', { cause: signal.reason }));
    };
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', onAbort);
    });
  });
}

/** Aborts with its parent too, if it has one, until it is disposed of. */
export class LinkedAbort implements Disposable {
  readonly #controller = new AbortController();
  readonly #parent: AbortSignal | undefined;

  constructor(parent: AbortSignal | undefined) {
    this.#parent = parent;
    if (parent?.aborted === true) this.#follow();
    else parent?.addEventListener('abort', this.#follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason: Error): void {
    this.#controller.abort(reason);
  }

  [Symbol.dispose](): void {
    this.#parent?.removeEventListener('abort', this.#follow);
  }

  readonly #follow = (): void => {
    this.#controller.abort(this.#parent?.reason);
  };
}

/** A signal that aborts with `error()` after `durationMs`, or with the parent's reason when the parent aborts. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  /** Starts the duration again; for limits on idle time instead of total time. */
  restart(): void;
}

/**
 * The caller disposes of it (`using`) when the work is done. Until then it keeps one timer, which a restart leaves alone: it
 * finds out at its end. Bodies restart a deadline with each chunk, and a timer for each would cost as much as its events.
 */
export function startDeadline({
  clock,
  durationMs,
  error,
  parent,
}: {
  readonly clock: Clock;
  readonly durationMs: number;
  /** Called only when the time is up. */
  readonly error: () => Error;
  readonly parent?: AbortSignal;
}): Deadline {
  const linked = new LinkedAbort(parent);
  const disposed = new AbortController();
  let startMs = clock.monotonicMs();
  const timeIsUp = async (): Promise<void> => {
    let leftMs = durationMs;
    do {
      await clock.sleep(leftMs, disposed.signal);
      leftMs = startMs + durationMs - clock.monotonicMs();
    } while (leftMs > 0);
  };
  if (!linked.signal.aborted) {
    timeIsUp().then(
      () => {
        linked.abort(error());
      },
      () => undefined, // disposed
    );
  }
  return {
    signal: linked.signal,
    restart: () => {
      startMs = clock.monotonicMs();
    },
    [Symbol.dispose]: () => {
      disposed.abort(notNeeded);
      linked[Symbol.dispose]();
    },
  };
}
