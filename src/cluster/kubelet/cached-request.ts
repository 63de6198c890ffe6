import { setMaxListeners } from 'node:events';

import { Mutex, type Semaphore } from 'async-mutex';

import { abortable } from '../../lib/base/abortable.js';
import type { Clock } from '../../lib/base/clock.js';
import type { FailureReason, RequestError } from '../../lib/base/errors.js';
import type { Lane } from '../../lib/base/lane.js';
import { requestFailure } from '../http/request-failure.js';
import type { Node } from '../kube/objects.js';
import type { FailureLog } from './failure-log.js';

/** Below that of all others, 0. */
const backgroundPriority = -1;

/** How one kind of request is sent to kubelets, the same for all nodes. */
export interface RequestPolicy<T> {
  /** What is requested, such as `summary`; begins error messages. */
  readonly what: string;
  /** A kubelet receives at most one request in this time, counted from the start of the last one. */
  readonly gateMs: number;
  /** Instead of `gateMs` while the last request has succeeded; at most as long. Default: `gateMs`. */
  readonly gateAfterSuccessMs?: () => number;
  /** Bounds the requests in flight over all nodes. */
  readonly slots: Semaphore;
  /**
   * Bounds those to kubelets that did not respond in time to the last one, of which each also takes a slot: however many
   * hang, there are slots for the others. Undefined: no bound.
   */
  readonly slotsOfHanging?: Semaphore;
  /** Requests begin in it, each in its slot. */
  readonly lane: Lane;
  /** Has its own time limit. Ends soon after the signal aborts. */
  readonly fetch: (node: Node, signal: AbortSignal) => Promise<T>;
  /** Throws RequestError for a value that is not accepted, by what is known from the requests before. */
  readonly check?: (node: Node, value: T, before: Pick<CachedRequest<T>, 'success' | 'failure'>) => void;
  /** When a value equals the one before it, the former object is kept. Without it, values are never compared. */
  readonly isEqual?: (before: T, after: T) => boolean;
  /** Called with each value that is accepted. */
  readonly onSuccess?: (node: Node, value: CachedValue<T>) => void;
  readonly log: FailureLog;
  /** The level of a failure of a ready node; failures of other nodes are logged at `info`. */
  readonly logLevel: 'info' | 'warn';
  readonly clock: Clock;
}

export interface CachedValue<T> {
  readonly value: T;
  /** Monotonic time in milliseconds at which the response arrived, and the wall time. */
  readonly atMs: number;
  readonly fetchedAtMs: number;
  /** From the request to the response. */
  readonly durationMs: number;
}

/** A request to a kubelet that failed. */
export interface KubeletFailure {
  readonly reason: FailureReason;
  /** Names the node, the values found and, where there is one, the fix; may quote the kubelet. */
  readonly message: string;
  /** Monotonic time in milliseconds. */
  readonly atMs: number;
  /** The same of the first of those in a row that have failed with this reason and message. */
  readonly sinceMs: number;
}

/**
 * One kind of request to one kubelet with its last value. Whatever the number of callers, the kubelet receives at most
 * one request per gate interval, whether it succeeds or fails; a slow request is shared by all waiters and never
 * duplicated. Errors of kubelets become data here: no method rejects.
 *
 * All of this holds however often the settings change: it is one object for as long as the kubelet is known, and
 * `continueWith` gives it other policies. What is in flight goes on as it was sent.
 */
export class CachedRequest<T> {
  #policy: RequestPolicy<T>;
  /** Held by the request, not by its waiters. */
  readonly #mutex = new Mutex();
  /** Aborted by `end`. A result that arrives later is dropped. */
  #lifetime = new AbortController();
  #lastAttemptAtMs: number | undefined;
  #isInFlight = false;
  /** Requests whose result was accepted. */
  #completedCount = 0;
  #success: CachedValue<T> | undefined;
  #failure: KubeletFailure | undefined;
  /** Level and reason of the last failure in the log; undefined after a recovery. */
  #loggedFailure: string | undefined;

  constructor(policy: RequestPolicy<T>) {
    this.#policy = policy;
  }

  /** The last success, however old. */
  get success(): CachedValue<T> | undefined {
    return this.#success;
  }

  /** Undefined when the last request succeeded, or none has completed yet. */
  get failure(): KubeletFailure | undefined {
    return this.#failure;
  }

  get isInFlight(): boolean {
    return this.#isInFlight;
  }

  /** Monotonic time in milliseconds of the start of the last request; undefined before the first one. */
  get lastAttemptAtMs(): number | undefined {
    return this.#lastAttemptAtMs;
  }

  /** Whether `refresh` would send a request. */
  get isDue(): boolean {
    return !this.#mutex.isLocked() && !this.#isGateClosed();
  }

  /** Monotonic time from which the gate is open; undefined before the first request. */
  get nextAttemptAtMs(): number | undefined {
    if (this.#lastAttemptAtMs === undefined) return undefined;
    const { gateMs, gateAfterSuccessMs } = this.#policy;
    const wasDropped = !this.#isInFlight && (this.#success?.atMs ?? -Infinity) < this.#lastAttemptAtMs;
    const hasSucceeded = this.#success !== undefined && this.#failure === undefined && !wasDropped;
    return this.#lastAttemptAtMs + ((hasSucceeded ? gateAfterSuccessMs?.() : undefined) ?? gateMs);
  }

  /**
   * Requests a value if the gate is open, or joins the request in flight. Resolves with the value that arrived meanwhile;
   * undefined when none did. When the signal aborts it resolves at once; the request goes on and serves the next caller.
   */
  async update(node: Node, signal: AbortSignal): Promise<CachedValue<T> | undefined> {
    const completedBefore = this.#completedCount;
    setMaxListeners(0, signal); // a scrape waits for all its nodes with one signal: many listeners are no leak
    await abortable(this.#attemptWhenDue(node, signal), signal).catch(() => undefined);
    const hasCompleted = this.#completedCount > completedBefore && this.#failure === undefined;
    return hasCompleted ? this.#success : undefined;
  }

  /** Requests a value if the gate is open and no request is in flight or queued. */
  async refresh(node: Node): Promise<void> {
    if (this.isDue) await this.#attemptWhenDue(node, this.#lifetime.signal);
  }

  /**
   * As {@link refresh}, with a slot that nobody else waits for. Callers that come meanwhile do not wait for this one. While
   * too many kubelets hang, no request is sent to one that did at its last request.
   */
  async refreshInBackground(node: Node): Promise<void> {
    if (!this.#maySendNow()) return;
    await this.#policy.slots.runExclusive(() => this.#refreshInOwnSlot(node), 1, backgroundPriority);
  }

  async #refreshInOwnSlot(node: Node): Promise<void> {
    await this.#policy.lane.run(async () => {
      if (!this.#maySendNow()) return;
      const locks = [this.#mutex, ...this.#slotsOfHanging()];
      await Promise.all(locks.map((lock) => lock.acquire())); // all are free, and taken before anybody else can take them
      try {
        await this.#attempt(node);
      } finally {
        for (const lock of locks) lock.release();
      }
    });
  }

  #maySendNow(): boolean {
    return this.isDue && this.#slotsOfHanging().every((slots) => !slots.isLocked());
  }

  /** Aborts the request in flight; no further one is sent until `continueWith`. The last value stays. */
  end(): void {
    this.#lifetime.abort(new Error('the result is no longer wanted'));
  }

  /** Under another policy from now on, also after `end`. The request in flight goes on, in the slot that it has. */
  continueWith(policy: RequestPolicy<T>): void {
    this.#policy = policy;
    if (this.#lifetime.signal.aborted) this.#lifetime = new AbortController();
  }

  async #attemptWhenDue(node: Node, signal: AbortSignal): Promise<void> {
    const completedBefore = this.#completedCount;
    await this.#mutex.runExclusive(async () => {
      const wasJoined = this.#completedCount !== completedBefore;
      if (wasJoined || signal.aborted || this.#isGateClosed()) return;
      // The gate counts from the request, not from the wait for a slot.
      await this.#inSlot(async () => {
        if (!this.#isGateClosed()) await this.#attempt(node);
      });
    });
  }

  /** That of hanging kubelets first: a request that waits for it must not hold a slot that others could use. */
  #inSlot(attempt: () => Promise<void>): Promise<void> {
    const { slots, lane } = this.#policy;
    const inSlot = (): Promise<void> => slots.runExclusive(() => lane.run(attempt));
    const [slotsOfHanging] = this.#slotsOfHanging();
    return slotsOfHanging?.runExclusive(inSlot) ?? inSlot();
  }

  /** Of which the next request takes one; none unless the kubelet hung at the last one. */
  #slotsOfHanging(): readonly Semaphore[] {
    const { slotsOfHanging } = this.#policy;
    return slotsOfHanging !== undefined && this.#failure?.reason === 'timeout' ? [slotsOfHanging] : [];
  }

  #isGateClosed(): boolean {
    const { nextAttemptAtMs = -Infinity } = this;
    return this.#lifetime.signal.aborted || this.#policy.clock.monotonicMs() < nextAttemptAtMs;
  }

  async #attempt(node: Node): Promise<void> {
    const { clock, what, fetch } = this.#policy;
    const { signal } = this.#lifetime;
    const startMs = clock.monotonicMs();
    this.#lastAttemptAtMs = startMs;
    this.#isInFlight = true;
    try {
      const value = await fetch(node, signal);
      if (signal.aborted) return;
      this.#policy.check?.(node, value, this);
      this.#succeed(node, value, startMs);
    } catch (error) {
      if (!signal.aborted) this.#fail(node, requestFailure(error, `${what} of node ${node.name}`));
    } finally {
      this.#isInFlight = false;
    }
  }

  #succeed(node: Node, value: T, startMs: number): void {
    const { clock, isEqual, onSuccess, log } = this.#policy;
    const before = this.#success;
    const isUnchanged = before !== undefined && isEqual?.(before.value, value) === true;
    const atMs = clock.monotonicMs();
    const success = {
      value: isUnchanged ? before.value : value,
      atMs,
      fetchedAtMs: clock.nowMs(),
      durationMs: atMs - startMs,
    };
    this.#completedCount++;
    this.#success = success;
    this.#failure = undefined;
    if (this.#loggedFailure !== undefined) log.recovered(node.name);
    this.#loggedFailure = undefined;
    onSuccess?.(node, success);
  }

  /** Logs one line per change of the reason or of the node's readiness, not per request. */
  #fail(node: Node, error: RequestError): void {
    const { clock, log, logLevel } = this.#policy;
    const { reason, message } = error;
    this.#completedCount++;
    const atMs = clock.monotonicMs();
    const before = this.#failure;
    const isSame = before?.reason === reason && before.message === message;
    this.#failure = { reason, message, atMs, sinceMs: isSame ? before.sinceMs : atMs };
    const level = node.ready ? logLevel : 'info';
    const failure = `${level} ${reason}`;
    if (this.#loggedFailure === failure) return;
    this.#loggedFailure = failure;
    log.failed(node.name, level, error);
  }
}
