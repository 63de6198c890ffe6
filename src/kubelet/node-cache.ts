import { setMaxListeners } from 'node:events';

import { Mutex, Semaphore } from 'async-mutex';

import { abortable } from '../base/abortable.js';
import type { Clock } from '../base/clock.js';
import { type FailureReason, RequestError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { requestFailure } from '../http/request-failure.js';
import type { Node } from '../kube/objects.js';
import type { NodeSummary } from './summary.js';

export type CacheLookup =
  | { readonly state: 'fresh' | 'stale'; readonly summary: NodeSummary; readonly ageMs: number }
  | { readonly state: 'absent'; readonly reason: FailureReason };

export interface SummaryFetcher {
  /** Has a time limit of its own, below the TTL. Ends soon after the signal aborts. */
  fetchSummary(node: Node, signal: AbortSignal): Promise<NodeSummary>;
}

interface NodeCacheObserver {
  /** `refreshed`: fresh because of an attempt that the caller made or waited for. */
  lookedUp(result: 'fresh' | 'refreshed' | 'stale' | 'absent'): void;
}

export interface NodeCacheOptions {
  /** In milliseconds; 0 switches caching off: overlapping callers still share an attempt. */
  readonly ttlMs: number;
  readonly fetcher: SummaryFetcher;
  /** Attempts under way at the same time, over all nodes; at least 1. */
  readonly maxConcurrentRequests: number;
  /** Whether pods are known to run on the node for so long that a summary without any pod cannot be true. */
  readonly expectsPods: (nodeName: string) => boolean;
  readonly clock: Clock;
  readonly observer: NodeCacheObserver;
  readonly logger: Logger;
}

/** The last attempt at a node's summary, when it failed. */
export interface SummaryFailure {
  readonly reason: FailureReason;
  /** Names the node, the numbers and, where there is one, the mend; may repeat what the kubelet said. */
  readonly message: string;
  /** Monotonic time in milliseconds. */
  readonly atMs: number;
}

interface Entry {
  /** Of the Node object: another machine under the same name gets an entry of its own. */
  readonly uid: string;
  /** Held by the attempt, not by those who wait for it. */
  readonly mutex: Mutex;
  /** Aborted when the entry is forgotten: whatever its attempt gives then is dropped. */
  readonly lifetime: AbortController;
  lastAttemptAtMs: number | undefined;
  /** A request is under way. */
  isAsked: boolean;
  /** Attempts whose result was taken: all but those that the end of `lifetime` cut short. */
  endedAttemptCount: number;
  success: { readonly summary: NodeSummary; readonly atMs: number } | undefined;
  /** Of the last attempt; undefined when it succeeded. */
  failure: SummaryFailure | undefined;
  /** What the log last said of the node; undefined when it does not count as failing. */
  loggedFailure: string | undefined;
}

/**
 * The last summary of each node: fresh for one TTL after a success, stale for another one, then absent. Whatever the
 * number of callers, a kubelet is asked at most once per TTL, counted from the start of the last attempt, whether that
 * succeeded or failed; an attempt that takes longer is waited for, never doubled.
 *
 * Here errors of kubelets become data: `get` never rejects. An absent node's reason is the one of its last attempt; that
 * the gate is closed is no reason of its own, because it would hide why the attempt failed. Without an ended attempt, or
 * when data of a success has become too old since, it is `timeout` while an attempt is under way and `never` otherwise.
 */
export class NodeCache implements Disposable {
  readonly #options: NodeCacheOptions;
  readonly #slots: Semaphore;
  readonly #entries = new Map<string, Entry>();
  #isDisposed = false;

  constructor(options: NodeCacheOptions) {
    this.#options = options;
    this.#slots = new Semaphore(options.maxConcurrentRequests);
  }

  /** Number of nodes that the cache knows something about. */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * When the signal aborts, the caller gets at once what there is without an answer; the attempt goes on and serves the
   * next caller.
   */
  async get(node: Node, signal: AbortSignal): Promise<CacheLookup> {
    const entry = this.#entryOf(node);
    const known = this.#lookup(entry);
    if (known.state === 'fresh' || signal.aborted) return this.#observed(known);
    const endedBefore = entry.endedAttemptCount;
    setMaxListeners(0, signal); // a scrape waits for all its nodes with one signal: many listeners are no leak
    await abortable(this.#attemptWhenDue(entry, node, signal), signal).catch(() => undefined);
    if (entry.endedAttemptCount === endedBefore || entry.failure !== undefined || entry.success === undefined) {
      return this.#observed(this.#lookup(entry));
    }
    this.#options.observer.lookedUp('refreshed');
    const { summary, atMs } = entry.success;
    return { state: 'fresh', summary, ageMs: this.#options.clock.monotonicMs() - atMs };
  }

  /** What is known without asking the kubelet; for displays. */
  peek(node: Node): CacheLookup {
    const entry = this.#known(node);
    return entry === undefined ? { state: 'absent', reason: 'never' } : this.#lookup(entry);
  }

  /** Asks the kubelet, fresh data or not, unless it was asked less than a TTL ago or is being asked. */
  async refresh(node: Node): Promise<void> {
    const entry = this.#entryOf(node);
    if (!entry.mutex.isLocked()) await this.#attemptWhenDue(entry, node, entry.lifetime.signal);
  }

  /** Monotonic time from which on the kubelet may be asked again; undefined when it was never asked. */
  nextAttemptAtMs(node: Node): number | undefined {
    const lastAttemptAtMs = this.#known(node)?.lastAttemptAtMs;
    return lastAttemptAtMs === undefined ? undefined : lastAttemptAtMs + this.#options.ttlMs;
  }

  /**
   * Takes over the last summaries of a cache whose place it takes, with their age. Not its failures: the settings that
   * have changed may be their mend.
   */
  inherit(former: NodeCache): void {
    for (const [nodeName, { uid, success }] of former.#entries) {
      if (success !== undefined) this.#entries.set(nodeName, { ...newEntry(uid), success });
    }
  }

  lastFailed(nodeName: string): boolean {
    return this.lastFailure(nodeName) !== undefined;
  }

  /** Undefined when the last attempt succeeded, or none has ended yet. */
  lastFailure(nodeName: string): SummaryFailure | undefined {
    return this.#entries.get(nodeName)?.failure;
  }

  /** Forgets all other nodes and ends their attempts. */
  retain(nodeNames: ReadonlySet<string>): void {
    for (const name of this.#entries.keys()) {
      if (!nodeNames.has(name)) this.#forget(name);
    }
  }

  /** Ends all attempts. From then on `get` answers with what is known. */
  [Symbol.dispose](): void {
    this.#isDisposed = true;
    for (const entry of this.#entries.values()) endAttempts(entry);
  }

  #known(node: Node): Entry | undefined {
    const entry = this.#entries.get(node.name);
    return entry?.uid === node.uid ? entry : undefined;
  }

  #entryOf(node: Node): Entry {
    const known = this.#known(node);
    if (known !== undefined) return known;
    this.#forget(node.name);
    const entry = newEntry(node.uid);
    this.#entries.set(node.name, entry);
    return entry;
  }

  #forget(name: string): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    endAttempts(entry);
    this.#entries.delete(name);
  }

  #lookup({ success, failure, isAsked }: Entry): CacheLookup {
    const { clock, ttlMs } = this.#options;
    if (success !== undefined) {
      const { summary, atMs } = success;
      const ageMs = clock.monotonicMs() - atMs;
      if (ageMs < ttlMs) return { state: 'fresh', summary, ageMs };
      if (ageMs < 2 * ttlMs) return { state: 'stale', summary, ageMs };
    }
    return { state: 'absent', reason: failure?.reason ?? (isAsked ? 'timeout' : 'never') };
  }

  #observed(lookup: CacheLookup): CacheLookup {
    this.#options.observer.lookedUp(lookup.state);
    return lookup;
  }

  /** Waits for an attempt that is under way; that one serves this caller too. Never rejects. */
  async #attemptWhenDue(entry: Entry, node: Node, signal: AbortSignal): Promise<void> {
    const endedBefore = entry.endedAttemptCount;
    await entry.mutex.runExclusive(async () => {
      const wasJoined = entry.endedAttemptCount !== endedBefore;
      if (wasJoined || signal.aborted || this.#isGateClosed(entry)) return;
      await this.#attemptInTurn(entry, node);
    });
  }

  #isGateClosed({ lastAttemptAtMs, lifetime }: Entry): boolean {
    const { clock, ttlMs } = this.#options;
    if (this.#isDisposed || lifetime.signal.aborted) return true;
    return lastAttemptAtMs !== undefined && clock.monotonicMs() - lastAttemptAtMs < ttlMs;
  }

  /** The attempt starts when it gets a slot, not when it begins to wait for one: the gate counts from the request. */
  async #attemptInTurn(entry: Entry, node: Node): Promise<void> {
    await this.#slots.runExclusive(async () => {
      if (!this.#isGateClosed(entry)) await this.#attempt(entry, node);
    });
  }

  async #attempt(entry: Entry, node: Node): Promise<void> {
    const { clock, fetcher } = this.#options;
    entry.lastAttemptAtMs = clock.monotonicMs();
    entry.isAsked = true;
    try {
      const summary = await fetcher.fetchSummary(node, entry.lifetime.signal);
      checkNode(node, summary);
      this.#checkPods(node, summary);
      if (!entry.lifetime.signal.aborted) this.#succeed(entry, node, summary);
    } catch (error) {
      const failure = requestFailure(error, `summary of node ${node.name}`);
      if (!entry.lifetime.signal.aborted) this.#fail(entry, node, failure);
    } finally {
      entry.isAsked = false;
    }
  }

  /** A kubelet that has just started knows no pods yet: taken as a success, it would turn totals to zero. */
  #checkPods(node: Node, summary: NodeSummary): void {
    if (summary.pods.length > 0 || !this.#options.expectsPods(node.name)) return;
    const message = `the summary of node ${node.name} lists no pod, but the API server says that pods run there`;
    throw new RequestError('empty', `${message}; expected for a short time after a restart of the kubelet`);
  }

  #succeed(entry: Entry, node: Node, summary: NodeSummary): void {
    entry.endedAttemptCount++;
    entry.success = { summary, atMs: this.#options.clock.monotonicMs() };
    entry.failure = undefined;
    if (entry.loggedFailure === undefined) return;
    entry.loggedFailure = undefined;
    this.#options.logger.info('kubelet gives summaries again', { node: node.name });
  }

  /** One line per change of the reason or of the node's readiness, not per attempt. */
  #fail(entry: Entry, node: Node, { reason, message }: RequestError): void {
    entry.endedAttemptCount++;
    entry.failure = { reason, message, atMs: this.#options.clock.monotonicMs() };
    const failure = `${reason}, ${node.ready ? 'ready' : 'not ready'}`;
    if (entry.loggedFailure === failure) return;
    entry.loggedFailure = failure;
    const level = node.ready ? 'warn' : 'info';
    this.#options.logger[level]('kubelet gives no summary', { node: node.name, reason, error: message });
  }
}

/** An address may have passed to another machine: its figures are not this node's. */
function checkNode(node: Node, { nodeName }: NodeSummary): void {
  if (nodeName === node.name) return;
  const message = `what answers at the address of node ${node.name} is the kubelet of node ${nodeName}`;
  throw new RequestError('decode', `${message}; the node object lags behind, or its kubelet runs under another name`);
}

function newEntry(uid: string): Entry {
  return {
    uid,
    mutex: new Mutex(),
    lifetime: new AbortController(),
    lastAttemptAtMs: undefined,
    isAsked: false,
    endedAttemptCount: 0,
    success: undefined,
    failure: undefined,
    loggedFailure: undefined,
  };
}

function endAttempts(entry: Entry): void {
  entry.lifetime.abort(new Error('the result is no longer wanted'));
}
