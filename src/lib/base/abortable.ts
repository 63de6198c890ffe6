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
