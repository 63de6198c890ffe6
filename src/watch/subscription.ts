import type { TimeSlicer } from '../base/time-slicer.js';
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
  /** The objects to begin with. */
  readonly objects: Iterable<T>;
  /** Resolves after the first complete list. */
  readonly listed: Promise<void>;
  readonly slicer: TimeSlicer;
  /** `isRepeated`: the same step failed for the change before too. */
  readonly onError: (error: unknown, isRepeated: boolean) => void;
  /** Called once, by `dispose`. */
  readonly onDispose: () => void;
}

type Step = 'ask' | 'tell';

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
  /** The objects to begin with; told up to the index. */
  #initial: StoreChange<T>[] = [];
  #initialIndex = 0;
  /** By key, in order; two where another object has taken the name. */
  readonly #pending = new Map<string, StoreChange<T>[]>();
  #telling: Promise<void> | undefined;
  /** Those that failed for the last change. */
  readonly #failing = new Set<Step>();
  #isDisposed = false;

  constructor(subscriber: Subscriber<T>, options: SubscriptionOptions<T>) {
    this.#subscriber = subscriber;
    this.#options = options;
    for (const object of options.objects) {
      this.add({ type: 'added', object, previous: undefined, isInitial: true });
    }
    this.synced = options.listed.then(() => this.#telling);
  }

  /** How many objects the subscriber has yet to be told about. */
  get pendingCount(): number {
    return this.#initial.length - this.#initialIndex + this.#pending.size;
  }

  /** Whatever the subscriber throws stays here: others wait for the same change. */
  add(change: StoreChange<T>): void {
    if (change.isInitial && change.type === 'added') this.#initial.push(change);
    else this.#merge(this.#options.keyOf(change.object), change);
    if (this.pendingCount > 0) this.#telling ??= this.#tellAll();
  }

  /** Also while the subscriber is being told. Any number of times. */
  [Symbol.dispose](): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#initial = [];
    this.#initialIndex = 0;
    this.#pending.clear();
    this.#options.onDispose();
  }

  #merge(key: string, change: StoreChange<T>): void {
    const changes = this.#pending.get(key) ?? [];
    const last = changes.pop();
    const merged = last === undefined ? [change] : merge(last, change, (object) => this.#mustBeTold(object));
    changes.push(...merged);
    if (changes.length === 0) this.#pending.delete(key);
    else this.#pending.set(key, changes);
  }

  async #tellAll(): Promise<void> {
    // Until there is nothing at all: what is added after the last change was taken has nobody else to tell it.
    while (this.pendingCount > 0) {
      await this.#options.slicer.forEach(this.#take(), (change) => {
        this.#tell(change);
      });
    }
    this.#telling = undefined;
  }

  /** Takes what is added meanwhile too; an object that a subscriber begins with comes before what has become of it. */
  *#take(): Generator<StoreChange<T>> {
    while (this.pendingCount > 0) {
      yield* this.#takeInitial();
      for (const [key, changes] of this.#pending) {
        this.#pending.delete(key);
        yield* changes;
        if (this.#initial.length > 0) break;
      }
    }
  }

  *#takeInitial(): Generator<StoreChange<T>> {
    for (;;) {
      const change = this.#initial[this.#initialIndex];
      if (change === undefined) break;
      this.#initialIndex += 1;
      yield change;
    }
    this.#initial = [];
    this.#initialIndex = 0;
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
