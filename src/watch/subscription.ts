import type { TimeSlicer } from '../base/time-slicer.js';
import { ChangeQueue } from './change-queue.js';
import type { StoreChange } from './object-store.js';

export interface Subscriber<T> {
  /** For the log. */
  readonly name: string;
  /** Called once for each change that is told. What it throws is logged and counted, as is what `mustBeTold` throws. */
  readonly onChange: (change: StoreChange<T>) => void;
  /** Whether an object is told of although it came and went before the subscriber's turn. None without it; a failure is a yes. */
  readonly mustBeTold?: (object: T) => boolean;
}

export interface SubscriptionOptions<T> {
  readonly keyOf: (object: T) => string;
  /** The objects to begin with. Never changes. */
  readonly objects: readonly T[];
  /** Resolves after the first complete list. */
  readonly listed: Promise<void>;
  readonly slicer: TimeSlicer;
  /** `isRepeated`: the same step failed for the change before too. */
  readonly onError: (error: unknown, isRepeated: boolean) => void;
  /** Called once, by `dispose`. */
  readonly onDispose: () => void;
}

type Step = 'ask' | 'tell';

/** So many changes are merged at once with those before; more of them when the subscriber's turn comes. */
const mergedAtOnceCount = 100;

/**
 * What one subscriber has yet to be told about a collection: first the objects that it begins with, then what has become of
 * them, in turns of the event loop of its own. Changes of one object until its turn are told as one, so that a subscriber
 * waits for as many as there are objects at most, and for no other subscriber; an object that came and went meanwhile is
 * not told of. From disposal on nothing is told.
 */
export class Subscription<T> implements Disposable {
  /** Resolves when the subscriber has been told of the first complete list. */
  readonly synced: Promise<void>;
  readonly #subscriber: Subscriber<T>;
  readonly #options: SubscriptionOptions<T>;
  /** The objects to begin with, and first lists. */
  readonly #initial = new ChangeQueue<T>();
  /** Changes that are later than all of `#pending`. */
  readonly #unmerged = new ChangeQueue<T>();
  /** By key, in order; two where another object has taken the name. */
  readonly #pending = new Map<string, StoreChange<T>[]>();
  #telling: Promise<void> | undefined;
  /** Those that failed for the last change. */
  readonly #failing = new Set<Step>();
  #isDisposed = false;

  constructor(subscriber: Subscriber<T>, options: SubscriptionOptions<T>) {
    this.#subscriber = subscriber;
    this.#options = options;
    this.#initial.add(options.objects.length, initialChanges(options.objects));
    this.#tellPending();
    this.synced = options.listed.then(() => this.#telling);
  }

  /** How many objects the subscriber has yet to be told about. */
  get pendingCount(): number {
    return this.#initial.count + this.#unmerged.count + this.#pending.size;
  }

  /** The changes of one step of the store. Whatever the subscriber throws stays here: others wait for the same changes. */
  add(changes: readonly StoreChange<T>[]): void {
    if (changes.every(isFirst)) this.#initial.add(changes.length, changes.values());
    else if (this.#unmerged.count > 0 || changes.length > mergedAtOnceCount)
      this.#unmerged.add(changes.length, changes.values());
    else for (const change of changes) this.#merge(change);
    this.#tellPending();
  }

  /** Also while the subscriber is being told. Any number of times. */
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
    const merged = last === undefined ? [change] : merge(last, change, (object) => this.#mustBeTold(object));
    changes.push(...merged);
    if (changes.length === 0) this.#pending.delete(key);
    else this.#pending.set(key, changes);
  }

  #tellPending(): void {
    if (this.pendingCount > 0) this.#telling ??= this.#tellAll();
  }

  async #tellAll(): Promise<void> {
    // Until there is nothing at all: what is added after the last change was taken has nobody else to tell it.
    while (this.pendingCount > 0) {
      await this.#options.slicer.forEach(this.#take(), (change) => {
        if (change !== undefined) this.#tell(change);
      });
    }
    this.#telling = undefined;
  }

  /**
   * Takes what is added meanwhile too; an object that a subscriber begins with comes before what has become of it. Undefined
   * for a change that is merged and not yet told.
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

  #tell(change: StoreChange<T>): void {
    if (this.#isDisposed) return;
    this.#try('tell', () => {
      this.#subscriber.onChange(change);
    });
  }

  #mustBeTold(object: T): boolean {
    return this.#try('ask', () => this.#subscriber.mustBeTold?.(object) ?? false) ?? true;
  }

  /** Undefined when it throws. */
  #try<R>(step: Step, run: () => R): R | undefined {
    try {
      const result = run();
      this.#failing.delete(step);
      return result;
    } catch (error) {
      this.#options.onError(error, this.#failing.has(step));
      this.#failing.add(step);
      return undefined;
    }
  }
}

function isFirst({ type, isInitial }: StoreChange<unknown>): boolean {
  return type === 'added' && isInitial;
}

/** Made one by one, when they are told. */
function* initialChanges<T>(objects: readonly T[]): Generator<StoreChange<T>> {
  for (const object of objects) yield { type: 'added', object, previous: undefined, isInitial: true };
}

/** What a subscriber is told that has been told of neither of two changes of one object. */
function merge<T>(
  first: StoreChange<T>,
  second: StoreChange<T>,
  mustBeTold: (object: T) => boolean,
): readonly StoreChange<T>[] {
  if (first.type === 'removed') return [first, second];
  if (second.type === 'updated') return [{ ...first, object: second.object }];
  if (first.type === 'updated') return [{ ...second, previous: first.previous }];
  return [first, second].some(({ object }) => mustBeTold(object)) ? [first, second] : [];
}
