import type { Instant } from '../base/clock.js';
import type { StoredObject } from './object-store.js';
import { Reflector, type ReflectorOptions } from './reflector.js';
import type { ReflectorObserver, WatchCounter } from './reflector-observer.js';
import type { Resource } from './resource-path.js';
import type { AttemptFailure } from './retries.js';
import type { WatchMode } from './watch-mode.js';

export interface WatchedScopeOptions<T> extends Omit<ReflectorOptions<T>, 'observer'> {
  readonly counter: WatchCounter;
}

/** One list and watch: of a resource in all namespaces or in one. */
export class WatchedScope<T extends StoredObject> {
  readonly resource: Resource;
  /** '' for all namespaces. */
  readonly namespace: string;
  readonly reflector: Reflector<T>;
  #isConnected = false;
  #lastProgress: Instant | undefined;
  #listedAtMs = -Infinity;

  constructor({ counter, ...options }: WatchedScopeOptions<T>) {
    this.resource = options.resource;
    this.namespace = options.namespace ?? '';
    const observer: ReflectorObserver = {
      ...counter,
      listFinished: (resource, result) => {
        if (result === 'success') this.#listedAtMs = options.clock.monotonicMs();
        counter.listFinished(resource, result);
      },
      watchConnected: (_resource, _namespace, isConnected) => {
        this.#isConnected = isConnected;
      },
      progressed: (_resource, _namespace, at) => {
        this.#lastProgress = at;
      },
    };
    this.reflector = new Reflector<T>({ ...options, observer });
  }

  /** `nodes`, `pods` or `pods in NAMESPACE`. */
  get name(): string {
    return this.namespace === '' ? this.resource : `${this.resource} in ${this.namespace}`;
  }

  /** Whether it has been listed once. Never false again. */
  get isSynced(): boolean {
    return this.reflector.hasSynced;
  }

  /** Whether there is a watch. */
  get isConnected(): boolean {
    return this.#isConnected;
  }

  get mode(): WatchMode {
    return this.reflector.mode;
  }

  /** Of the last list, event or bookmark; undefined before the first list. */
  get lastProgress(): Instant | undefined {
    return this.#lastProgress;
  }

  /** Undefined while the last attempt has not failed. */
  get lastFailure(): AttemptFailure | undefined {
    return this.reflector.lastFailure;
  }

  /** Monotonic time of the last complete list, in milliseconds; -Infinity before the first one. */
  get listedAtMs(): number {
    return this.#listedAtMs;
  }
}
