import type { Lane } from '../../lib/base/lane.js';
import type { StoreChange } from './object-store.js';

export interface Subscriber<T> {
  /** For the log. */
  readonly name: string;
  /** Called once for each change. What it throws is logged and counted. */
  readonly onChange: (change: StoreChange<T>) => void;
}

/**
 * Delivers a collection to one subscriber: first the objects that it begins with, then each change, in turns of the event loop of
 * its own, so that nobody waits for another subscriber. Changes are not merged until then: reading one from the API server takes
 * longer than to deliver it. From disposal on nothing is delivered.
 */
export class Subscription<T> implements Disposable {
  readonly #subscriber: Subscriber<T>;
  readonly #options;
  /** Those of each step of the store, which are read when they are delivered. */
  #steps: Iterable<StoreChange<T>>[] = [];
  #pendingCount = 0;
  #delivering: Promise<void> | undefined;
  /** Whether the subscriber failed for the last change. */
  #isFailing = false;
  #isDisposed = false;

  constructor(
    subscriber: Subscriber<T>,
    options: {
      /** The objects to begin with. Never changes. */
      readonly objects: readonly T[];
      /** Resolves after the first complete list. */
      readonly listed: Promise<void>;
      readonly lane: Lane;
      /** `isRepeated`: it failed for the change before too. */
      readonly onError: (error: unknown, isRepeated: boolean) => void;
      /** Called once, by disposal. */
      readonly onDispose: () => void;
    },
  ) {
    this.#subscriber = subscriber;
    this.#options = options;
    this.#add(initialChanges(options.objects), options.objects.length);
  }

  /** Resolves when the first complete list has been delivered. Who waits keeps the subscription alive. */
  get synced(): Promise<void> {
    return this.#options.listed.then(() => this.#delivering);
  }

  /** How many changes have yet to be delivered. */
  get pendingCount(): number {
    return this.#pendingCount;
  }

  /** Adds the changes of one step of the store. Whatever the subscriber throws stays here: others wait for the same changes. */
  add(changes: readonly StoreChange<T>[]): void {
    this.#add(changes, changes.length);
  }

  /** Any number of times, also by the subscriber. */
  [Symbol.dispose](): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#steps = [];
    this.#pendingCount = 0;
    this.#options.onDispose();
  }

  #add(changes: Iterable<StoreChange<T>>, count: number): void {
    if (count === 0) return;
    this.#steps.push(changes);
    this.#pendingCount += count;
    this.#delivering ??= this.#deliverAll();
  }

  async #deliverAll(): Promise<void> {
    // Until there is nothing at all: what is added after the last change was taken has nobody else to deliver it.
    while (this.#steps.length > 0) {
      await this.#options.lane.each(this.#take(), (change) => {
        this.#deliver(change);
      });
    }
    this.#delivering = undefined;
  }

  /** Takes what is added meanwhile too. */
  *#take(): Generator<StoreChange<T>> {
    for (let step = this.#steps.shift(); step !== undefined; step = this.#steps.shift()) yield* step;
  }

  #deliver(change: StoreChange<T>): void {
    if (this.#isDisposed) return;
    this.#pendingCount -= 1;
    try {
      this.#subscriber.onChange(change);
      this.#isFailing = false;
    } catch (error) {
      this.#options.onError(error, this.#isFailing);
      this.#isFailing = true;
    }
  }
}

/** Makes them one by one, when they are delivered. */
function* initialChanges<T>(objects: readonly T[]): Generator<StoreChange<T>> {
  for (const object of objects) yield { type: 'added', object, previous: undefined, isInitial: true };
}
