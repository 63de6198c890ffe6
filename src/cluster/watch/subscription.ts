import type { Lane } from '../../lib/base/lane.js';
import type { StoreChange } from './object-store.js';

export interface Subscriber<T> {
  /** For the log. */
  readonly name: string;
  /** Called once for each change that is delivered. What it throws is logged and counted, as is what `mustDeliver` throws. */
  readonly onChange: (change: StoreChange<T>) => void;
  /** Whether an object is delivered although it came and went before the subscriber's turn. None without it; a failure is a yes. */
  readonly mustDeliver?: (object: T) => boolean;
}

/** So many changes are merged at once with those before; more of them when the subscriber's turn comes. */
const mergedAtOnceCount = 100;

/**
 * Delivers a collection to one subscriber: first the objects that it begins with, then what has become of them, in turns of the
 * event loop of its own. Changes of one object until its turn are delivered as one, so that a subscriber waits for as many as
 * there are objects at most, and for no other subscriber; an object that came and went meanwhile is left out. From disposal on
 * nothing is delivered.
 */
export class Subscription<T> implements Disposable {
  readonly #subscriber: Subscriber<T>;
  readonly #options;
  /** The objects to begin with, and first lists. */
  readonly #initial = new ChangeQueue<T>();
  /** Changes that are later than all of `#pending`. */
  readonly #unmerged = new ChangeQueue<T>();
  /** By key, in order; two where another object has taken the name. */
  readonly #pending = new Map<string, StoreChange<T>[]>();
  #delivering: Promise<void> | undefined;
  /** The calls of the subscriber that failed for the last change. */
  readonly #failing = new Set<keyof Subscriber<T>>();
  #isDisposed = false;

  constructor(
    subscriber: Subscriber<T>,
    options: {
      readonly keyOf: (object: T) => string;
      /** The objects to begin with. Never changes. */
      readonly objects: readonly T[];
      /** Resolves after the first complete list. */
      readonly listed: Promise<void>;
      readonly lane: Lane;
      /** `isRepeated`: the same call failed for the change before too. */
      readonly onError: (error: unknown, isRepeated: boolean) => void;
      /** Called once, by disposal. */
      readonly onDispose: () => void;
    },
  ) {
    this.#subscriber = subscriber;
    this.#options = options;
    this.#initial.add(options.objects.length, initialChanges(options.objects));
    this.#deliverPending();
  }

  /** Resolves when the first complete list has been delivered. Who waits keeps the subscription alive. */
  get synced(): Promise<void> {
    return this.#options.listed.then(() => this.#delivering);
  }

  /** How many changes have yet to be delivered. */
  get pendingCount(): number {
    return this.#initial.count + this.#unmerged.count + this.#pending.size;
  }

  /** Adds the changes of one step of the store. Whatever the subscriber throws stays here: others wait for the same changes. */
  add(changes: readonly StoreChange<T>[]): void {
    if (changes.every(isFirst)) this.#initial.add(changes.length, changes);
    else if (this.#unmerged.count > 0 || changes.length > mergedAtOnceCount)
      this.#unmerged.add(changes.length, changes);
    else for (const change of changes) this.#merge(change);
    this.#deliverPending();
  }

  /** Any number of times, also by the subscriber. */
  [Symbol.dispose](): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    for (const changes of [this.#initial, this.#unmerged, this.#pending]) changes.clear();
    this.#options.onDispose();
  }

  #merge(change: StoreChange<T>): void {
    const key = this.#options.keyOf(change.object);
    const changes = this.#pending.get(key) ?? [];
    const last = changes.pop();
    const merged = last === undefined ? [change] : merge(last, change, (object) => this.#mustDeliver(object));
    changes.push(...merged);
    if (changes.length === 0) this.#pending.delete(key);
    else this.#pending.set(key, changes);
  }

  #deliverPending(): void {
    if (this.pendingCount > 0) this.#delivering ??= this.#deliverAll();
  }

  async #deliverAll(): Promise<void> {
    // Until there is nothing at all: what is added after the last change was taken has nobody else to deliver it.
    while (this.pendingCount > 0) {
      await this.#options.lane.each(this.#take(), (change) => {
        if (change !== undefined) this.#deliver(change);
      });
    }
    this.#delivering = undefined;
  }

  /**
   * Takes what is added meanwhile too; an object that a subscriber begins with comes before what has become of it. Undefined
   * for a change that is merged and not yet delivered.
   */
  *#take(): Generator<StoreChange<T> | undefined> {
    while (this.pendingCount > 0) {
      yield* this.#initial.take();
      for (const change of this.#unmerged.take()) {
        this.#merge(change);
        yield undefined;
      }
      for (const [key, changes] of this.#pending) {
        this.#pending.delete(key);
        yield* changes;
        if (this.#initial.count + this.#unmerged.count > 0) break;
      }
    }
  }

  #deliver(change: StoreChange<T>): void {
    if (this.#isDisposed) return;
    this.#try('onChange', () => {
      this.#subscriber.onChange(change);
    });
  }

  #mustDeliver(object: T): boolean {
    return this.#try('mustDeliver', () => this.#subscriber.mustDeliver?.(object) ?? false) ?? true;
  }

  /** Returns undefined when it throws. */
  #try<R>(call: keyof Subscriber<T>, run: () => R): R | undefined {
    try {
      const result = run();
      this.#failing.delete(call);
      return result;
    } catch (error) {
      this.#options.onError(error, this.#failing.has(call));
      this.#failing.add(call);
      return undefined;
    }
  }
}

function isFirst({ type, isInitial }: StoreChange<unknown>): boolean {
  return type === 'added' && isInitial;
}

/** Makes them one by one, when they are delivered. */
function* initialChanges<T>(objects: readonly T[]): Generator<StoreChange<T>> {
  for (const object of objects) yield { type: 'added', object, previous: undefined, isInitial: true };
}

/** Returns what is delivered in place of two changes of one object. */
function merge<T>(
  first: StoreChange<T>,
  second: StoreChange<T>,
  mustDeliver: (object: T) => boolean,
): readonly StoreChange<T>[] {
  if (first.type === 'removed') return [first, second];
  if (second.type === 'updated') return [{ ...first, object: second.object }];
  if (first.type === 'updated') return [{ ...second, previous: first.previous }];
  return [first, second].some(({ object }) => mustDeliver(object)) ? [first, second] : [];
}

/** Changes in the order in which they are added, of any number of steps: adding takes the same time for all sizes. */
class ChangeQueue<T> {
  #steps: Iterable<StoreChange<T>>[] = [];
  #count = 0;

  /** How many have not been taken. */
  get count(): number {
    return this.#count;
  }

  /** `changes` are read when they are taken. */
  add(count: number, changes: Iterable<StoreChange<T>>): void {
    this.#steps.push(changes);
    this.#count += count;
  }

  /** Takes what is added meanwhile too. */
  *take(): Generator<StoreChange<T>> {
    for (let step = this.#steps.shift(); step !== undefined; step = this.#steps.shift()) {
      for (const change of step) {
        this.#count -= 1;
        yield change;
      }
    }
  }

  clear(): void {
    this.#steps = [];
    this.#count = 0;
  }
}
