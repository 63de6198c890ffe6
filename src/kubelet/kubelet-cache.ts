import { latestNowMs } from '../base/clock.js';
import type { FailureReason } from '../base/errors.js';
import { RateLimiter } from '../base/rate-limiter.js';
import type { Node } from '../kube/objects.js';
import type { CachedValue, KubeletFailure, RequestPolicy } from './cached-request.js';
import type { KubeletConfiguration } from './kubelet-configuration.js';
import { continued, endRequests, isMarked, isOutdated, type KubeletEntry } from './kubelet-entry.js';
import {
  configurationGateMs,
  configurationPolicy,
  type KubeletPolicyOptions,
  markLimit,
  maxPauseMs,
  summaryPolicy,
} from './kubelet-policies.js';
import { PodHistory } from './pod-history.js';
import type { NodeSummary, PodSummary } from './summary.js';

/** A summary that may be served. */
export interface FoundLookup {
  readonly state: 'fresh' | 'stale';
  readonly summary: NodeSummary;
  readonly ageMs: number;
  /** Wall time in milliseconds at which the summary was fetched: the same until the next fetch. */
  readonly fetchedAtMs: number;
  /** The same object until it changes; undefined while it is not known. */
  readonly configuration: KubeletConfiguration | undefined;
}

/** What is known of a node from its kubelet. */
export type CacheLookup = FoundLookup | { readonly state: 'absent'; readonly reason: FailureReason };

/** The last summary of a node, however old. */
export interface LastSummary {
  readonly summary: NodeSummary;
  readonly ageMs: number;
  readonly configuration: KubeletConfiguration | undefined;
}

/** `refreshed`: fresh because of a request that the caller sent or joined. */
export const lookupResults = ['fresh', 'refreshed', 'stale', 'absent'] as const;
export type LookupResult = (typeof lookupResults)[number];

/** Why a summary is requested less than a TTL after the last one: the node may soon evict a pod, or pods of it started or died. */
export const earlyRequestReasons = ['eviction_near', 'pods_changed'] as const;
export type EarlyRequestReason = (typeof earlyRequestReasons)[number];

interface KubeletCacheObserver {
  lookedUp(result: LookupResult): void;
  requestedEarly(reason: EarlyRequestReason): void;
}

export interface KubeletCacheOptions extends KubeletPolicyOptions {
  /** The TTL of nodes that may soon evict a pod, or whose summary is out of date, in milliseconds. 0, or above `ttlMs`: the same. */
  readonly nearTtlMs: number;
  readonly observer: KubeletCacheObserver;
  /** Called with each node that becomes one of those that may soon evict a pod. */
  readonly onNearNode?: (nodeName: string) => void;
  /** Called with each summary that arrives; {@link KubeletCache.markOutdated} then marks this one. */
  readonly onSummary?: (nodeName: string, summary: NodeSummary) => void;
}

/** At least this long, in milliseconds, also with a short TTL: the API server may report an eviction late. */
const minKeepDepartedMs = 60_000;

/** Of a node that has left. */
interface FormerEntry {
  readonly entry: KubeletEntry;
  /** Monotonic time in milliseconds. */
  readonly leftAtMs: number;
}

/**
 * The last summary and the last configuration of each kubelet.
 *
 * A summary is fresh for one TTL after a success, stale for another one, then absent. An absent node's reason is that of
 * its last request; that the gate is closed is no reason, because it would hide why the request failed. When no request
 * has completed, or the data of a success has expired since, the reason is `timeout` while a request is in flight and
 * `never` otherwise.
 *
 * Nodes that may soon evict a pod, and those marked since the request for their summary, have a shorter TTL, which is the
 * gate after a success too. After a failure the gate stays closed for a whole TTL, and a summary is stale until it is two
 * whole TTLs old, as that of any node.
 *
 * A configuration is read in the background after a lookup that found a summary: at most once in 10 minutes, and it
 * counts for twice that time, so that one failure leaves no gap.
 */
export class KubeletCache implements Disposable {
  readonly #options: KubeletCacheOptions;
  readonly #summaryPolicy: RequestPolicy<NodeSummary>;
  readonly #configurationPolicy: RequestPolicy<KubeletConfiguration> | undefined;
  readonly #entries = new Map<string, KubeletEntry>();
  /** For one TTL: a node that comes back meanwhile is the same kubelet, with the same gate. */
  readonly #former = new Map<string, FormerEntry>();
  readonly #marks: RateLimiter;
  #nearNodeNames: ReadonlySet<string> = new Set();
  #isDisposed = false;
  /** Replaces this one, which serves from its entries from then on. */
  #heir: KubeletCache | undefined;

  constructor(options: KubeletCacheOptions) {
    this.#options = options;
    this.#marks = new RateLimiter(markLimit, options.clock);
    this.#summaryPolicy = {
      ...summaryPolicy(options),
      onSuccess: ({ name }, { value }) => {
        this.#entries.get(name)?.history.add(value, options.clock.steadyNowMs(), latestNowMs(options.clock));
        options.onSummary?.(name, value);
      },
    };
    this.#configurationPolicy = configurationPolicy(options);
  }

  /** What `get` would resolve with at once; undefined when the summary is not fresh. */
  getFresh(node: Node): FoundLookup | undefined {
    const fresh = this.peek(node);
    return fresh && this.#lookedUp(node, this.#entryOf(node), fresh, 'fresh');
  }

  /** The same, not counted, and without any request. */
  peek(node: Node): FoundLookup | undefined {
    const known = this.#lookUp(this.#entryOf(node), node.name);
    return known.state === 'fresh' ? known : undefined;
  }

  /** Never rejects. When the signal aborts, it resolves at once with what is known; see {@link CachedRequest.update}. */
  async get(node: Node, signal: AbortSignal): Promise<CacheLookup> {
    const fresh = this.getFresh(node);
    if (fresh !== undefined) return fresh;
    const entry = this.#entryOf(node);
    const refreshed = signal.aborted ? undefined : await entry.summary.update(node, signal);
    if (refreshed !== undefined)
      return this.#lookedUp(node, entry, this.#found(entry, 'fresh', refreshed), 'refreshed');
    const known = this.#lookUp(entry, node.name);
    return this.#lookedUp(node, entry, known, known.state);
  }

  /**
   * Resolves when the configuration of the node is known, for readers that do not come back for it; with the failure when
   * it could not be read. At once when the signal aborts, or when configurations are not read.
   */
  async readConfiguration(node: Node, signal: AbortSignal): Promise<KubeletFailure | undefined> {
    const { configuration } = this.#entryOf(node);
    await configuration?.update(node, signal);
    return configuration?.failure;
  }

  /** Requests a summary, fresh or not, unless the gate is closed or a request is in flight. */
  async refresh(node: Node): Promise<void> {
    await this.#entryOf(node).summary.refresh(node);
  }

  /** See {@link CachedRequest.refreshInBackground}. */
  async refreshInBackground(node: Node): Promise<void> {
    await this.#entryOf(node).summary.refreshInBackground(node);
  }

  /** The nodes that may soon evict a pod, from now on. */
  setNearNodes(nodeNames: ReadonlySet<string>): void {
    const former = this.#nearNodeNames;
    this.#nearNodeNames = nodeNames;
    for (const name of nodeNames) if (!former.has(name)) this.#options.onNearNode?.(name);
  }

  /** The last ones of {@link setNearNodes}. */
  get nearNodeNames(): ReadonlySet<string> {
    return this.#nearNodeNames;
  }

  /**
   * The summary of the node, and that of a request in flight, may be out of date: pods started or died. It is requested
   * again by the next lookup that the shorter TTL allows; any number of marks until then are one. Of more than ten nodes in a
   * second, with a burst of a hundred, the others have the usual TTL.
   */
  markOutdated(nodeName: string): void {
    const entry = this.#entries.get(nodeName);
    if (entry === undefined || !(isMarked(entry) || this.#marks.allows())) return;
    entry.outdatedAtMs = this.#options.clock.monotonicMs();
  }

  /** Resolves when requests go on; undefined while they do. */
  pause(): Promise<void> | undefined {
    const { requestGate } = this.#options;
    return requestGate?.holds(maxPauseMs) === true ? requestGate.passed(maxPauseMs) : undefined;
  }

  /** Whether the node has the shorter TTL. */
  hasShortTtl(nodeName: string): boolean {
    return this.#freshMs(nodeName) < this.#options.ttlMs;
  }

  /** Monotonic time from which the kubelet may be sent the next request for a summary; undefined before the first one. */
  nextAttemptAtMs({ name, uid }: Node): number | undefined {
    const entry = this.#entries.get(name);
    return entry?.uid === uid ? entry.summary.nextAttemptAtMs : undefined;
  }

  /** Of the summary; undefined when the last request succeeded, or none has completed yet. */
  lastFailure(nodeName: string): KubeletFailure | undefined {
    return this.#entries.get(nodeName)?.summary.failure;
  }

  /** How long a request for the summary has been in flight, in milliseconds; 0 without one. */
  inFlightMs(nodeName: string): number {
    const summary = this.#entries.get(nodeName)?.summary;
    if (summary?.isInFlight !== true) return 0;
    const nowMs = this.#options.clock.monotonicMs();
    return nowMs - (summary.lastAttemptAtMs ?? nowMs);
  }

  /** How long the last response took, in milliseconds; undefined before the first one. */
  lastDurationMs(nodeName: string): number | undefined {
    return this.#entries.get(nodeName)?.summary.success?.durationMs;
  }

  /** Also of a node that is absent by now; undefined when no request to this node has succeeded. */
  lastSummary({ name, uid }: Node): LastSummary | undefined {
    const entry = this.#entries.get(name);
    const success = entry?.uid === uid ? entry.summary.success : undefined;
    if (entry === undefined || success === undefined) return undefined;
    const { value, atMs } = success;
    return {
      summary: value,
      ageMs: this.#options.clock.monotonicMs() - atMs,
      configuration: entry.configuration?.success?.value,
    };
  }

  /** The last values of the node's pods; undefined for a node that is not scraped. */
  history(nodeName: string): PodHistory | undefined {
    return this.#entries.get(nodeName)?.history;
  }

  /** See {@link PodHistory.growth}; empty for a node that is not scraped. */
  growth(nodeName: string): ReadonlyMap<PodSummary, number> {
    return this.history(nodeName)?.growth() ?? new Map();
  }

  /**
   * Takes over what a cache knows that this one replaces, with its age, and the requests themselves, with their gates: a reload
   * sends no request, except again those in flight that would have gone another way; see {@link CachedRequest.continueWith}.
   */
  inherit(former: KubeletCache): void {
    former.#heir = this;
    for (const [nodeName, entry] of former.#entries) {
      this.#entries.set(nodeName, this.#newEntry({ name: nodeName, uid: entry.uid }, entry));
    }
    for (const [nodeName, left] of former.#former) this.#former.set(nodeName, left);
    this.#nearNodeNames = former.#nearNodeNames;
  }

  /** Forgets all other nodes and ends their requests. */
  retain(nodeNames: ReadonlySet<string>): void {
    if (this.#heir !== undefined) return;
    for (const name of this.#entries.keys()) {
      if (!nodeNames.has(name)) this.#forget(name);
    }
    const nowMs = this.#options.clock.monotonicMs();
    for (const [name, { leftAtMs }] of this.#former) {
      if (nowMs - leftAtMs >= this.#options.ttlMs) this.#former.delete(name);
    }
  }

  /** Ends all requests but those that were inherited. From then on `get` resolves with what is known. */
  [Symbol.dispose](): void {
    this.#isDisposed = true;
    if (this.#heir === undefined) for (const entry of this.#entries.values()) endRequests(entry);
    for (const policy of [this.#summaryPolicy, this.#configurationPolicy]) policy?.log[Symbol.dispose]();
  }

  #entryOf(node: Node): KubeletEntry {
    if (this.#heir !== undefined) return this.#heir.#entryOf(node);
    const { name, uid } = node;
    const known = this.#entries.get(name);
    if (known?.uid === uid) return known;
    const former = known === undefined ? this.#former.get(name)?.entry : undefined;
    this.#forget(name);
    this.#former.delete(name);
    const entry = this.#newEntry({ name, uid }, former?.uid === uid ? former : undefined);
    if (this.#isDisposed) endRequests(entry);
    this.#entries.set(name, entry);
    return entry;
  }

  #newEntry({ name, uid }: Pick<Node, 'name' | 'uid'>, former?: KubeletEntry): KubeletEntry {
    const policy = this.#configurationPolicy;
    const { clock, ttlMs } = this.#options;
    const summaryOfNode = {
      ...this.#summaryPolicy,
      gateAfterSuccessMs: () => this.#freshMs(name),
      onEarlyRequest: () => {
        this.#options.observer.requestedEarly(this.#nearNodeNames.has(name) ? 'eviction_near' : 'pods_changed');
      },
    };
    return {
      uid,
      summary: continued(former?.summary, summaryOfNode),
      configuration: policy && continued(former?.configuration, policy),
      outdatedAtMs: former?.outdatedAtMs ?? -Infinity,
      history: former?.history ?? new PodHistory({ clock, keepDepartedMs: Math.max(2 * ttlMs, minKeepDepartedMs) }),
    };
  }

  #forget(name: string): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    endRequests(entry);
    this.#entries.delete(name);
    this.#former.set(name, { entry, leftAtMs: this.#options.clock.monotonicMs() });
  }

  /** How long a summary is fresh. */
  #freshMs(nodeName: string): number {
    const { ttlMs, nearTtlMs } = this.#options;
    const isShort = this.#nearNodeNames.has(nodeName) || isOutdated(this.#entries.get(nodeName));
    return nearTtlMs > 0 && isShort ? Math.min(nearTtlMs, ttlMs) : ttlMs;
  }

  #lookUp(entry: KubeletEntry, nodeName: string): CacheLookup {
    const { clock, ttlMs } = this.#options;
    const { success, failure, isInFlight } = entry.summary;
    const ageMs = success === undefined ? Infinity : clock.monotonicMs() - success.atMs;
    if (success !== undefined && ageMs < 2 * ttlMs)
      return this.#found(entry, ageMs < this.#freshMs(nodeName) ? 'fresh' : 'stale', success);
    return { state: 'absent', reason: failure?.reason ?? (isInFlight ? 'timeout' : 'never') };
  }

  #lookedUp<T extends CacheLookup>(node: Node, { configuration }: KubeletEntry, lookup: T, result: LookupResult): T {
    this.#options.observer.lookedUp(result);
    if (lookup.state !== 'absent' && configuration?.isDue === true) void configuration.refresh(node);
    return lookup;
  }

  #found(
    { configuration }: KubeletEntry,
    state: 'fresh' | 'stale',
    { value, atMs, fetchedAtMs }: CachedValue<NodeSummary>,
  ): FoundLookup {
    const nowMs = this.#options.clock.monotonicMs();
    const known = configuration?.success;
    const isKnown = known !== undefined && nowMs - known.atMs < 2 * configurationGateMs;
    return {
      state,
      summary: value,
      ageMs: nowMs - atMs,
      fetchedAtMs,
      configuration: isKnown ? known.value : undefined,
    };
  }
}
