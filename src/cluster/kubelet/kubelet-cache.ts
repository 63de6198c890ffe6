import { type Clock, latestNowMs } from '../../lib/base/clock.js';
import type { Lane } from '../../lib/base/lane.js';
import type { Logger } from '../../lib/base/logger.js';
import { RateLimiter } from '../../lib/base/rate-limiter.js';
import type { Node } from '../kube/objects.js';
import type { CachedValue, KubeletFailure, RequestPolicy } from './cached-request.js';
import type { KubeletConfiguration } from './kubelet-configuration.js';
import { continued, endRequests, isMarked, isOutdated, type KubeletEntry } from './kubelet-entry.js';
import { isIsolationFailure } from './kubelet-error.js';
import {
  configurationGateMs,
  configurationPolicy,
  failureLogs,
  type KubeletPolicy,
  markLimit,
  summaryPolicy,
} from './kubelet-policies.js';
import { type CacheLookup, type FoundLookup, type LastSummary, servedMs } from './lookup.js';
import { PodHistory } from './pod-history.js';
import type { NodeSummary, PodSummary } from './summary.js';

/** `refreshed`: fresh because of a request that the caller sent or joined. */
export const lookupResults = ['fresh', 'refreshed', 'stale', 'absent'] as const;
export type LookupResult = (typeof lookupResults)[number];

interface PolicyInForce extends KubeletPolicy {
  readonly summary: RequestPolicy<NodeSummary>;
  readonly configuration: RequestPolicy<KubeletConfiguration> | undefined;
}

/** At least this long, in milliseconds, also with a short TTL: the API server may report an eviction late. */
const minKeepDepartedMs = 60_000;

/**
 * The last summary and the last configuration of each kubelet. Lives as long as the process: new settings change how kubelets
 * are asked, and nothing of what they said, with its age; a reload sends no request, except again those in flight that would
 * have gone another way.
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
  readonly #options;
  readonly #logs: ReturnType<typeof failureLogs>;
  readonly #entries = new Map<string, KubeletEntry>();
  /** Of nodes that have left. For one TTL: a node that comes back meanwhile is the same kubelet, with the same gate. */
  readonly #former = new Map<string, { readonly entry: KubeletEntry; readonly leftAtMs: number }>();
  readonly #marks: RateLimiter;
  #nearNodeNames: ReadonlySet<string> = new Set();
  #policy: PolicyInForce | undefined;
  #isDisposed = false;

  constructor(options: {
    /** See {@link RequestPolicy.lane}. */
    readonly requests: Lane;
    readonly observer: {
      lookedUp(result: LookupResult): void;
    };
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#options = options;
    this.#marks = new RateLimiter(markLimit, options.clock);
    this.#logs = failureLogs(options);
  }

  /** To be called before kubelets are asked, and with each change of the settings. See {@link CachedRequest.continueWith}. */
  configure(policy: KubeletPolicy): void {
    const { clock, requests: lane } = this.#options;
    const summary = summaryPolicy(policy, { lane, clock, log: this.#logs.summary });
    const configuration = configurationPolicy(policy, { lane, clock, log: this.#logs.configuration });
    this.#policy = { ...policy, summary, configuration };
    for (const [name, entry] of this.#entries) this.#entries.set(name, this.#newEntry({ name, uid: entry.uid }, entry));
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
    for (const name of nodeNames) if (!former.has(name)) this.#inForce.onNearNode?.(name);
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

  /** Whether the node has the shorter TTL. */
  hasShortTtl(nodeName: string): boolean {
    return this.#freshMs(nodeName) < this.#inForce.ttlMs;
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

  /** Whether configurations are read, and the permission to read them is missing: on no node was it there. */
  get isConfigurationForbidden(): boolean {
    const all = [...this.#entries.values()].map(({ configuration }) => configuration);
    const isRefused = all.some((configuration) => configuration?.failure?.reason === 'forbidden');
    return isRefused && all.every((configuration) => configuration?.success === undefined);
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

  /** Forgets all other nodes and ends their requests. */
  retain(nodeNames: ReadonlySet<string>): void {
    for (const name of this.#entries.keys()) {
      if (!nodeNames.has(name)) this.#forget(name);
    }
    const nowMs = this.#options.clock.monotonicMs();
    for (const [name, { leftAtMs }] of this.#former) {
      if (nowMs - leftAtMs >= this.#inForce.ttlMs) this.#former.delete(name);
    }
  }

  /** Ends all requests. From then on `get` resolves with what is known. */
  [Symbol.dispose](): void {
    this.#isDisposed = true;
    for (const entry of this.#entries.values()) endRequests(entry);
    this.#logs.summary[Symbol.dispose]();
    this.#logs.configuration[Symbol.dispose]();
  }

  get #inForce(): PolicyInForce {
    if (this.#policy === undefined) throw new Error('no policy: configure comes first');
    return this.#policy;
  }

  #entryOf(node: Node): KubeletEntry {
    const { name, uid } = node;
    const known = this.#entries.get(name);
    if (known?.uid === uid) return known;
    const former = known ?? this.#former.get(name)?.entry;
    this.#forget(name);
    this.#former.delete(name);
    const entry = this.#newEntry({ name, uid }, former?.uid === uid ? former : undefined);
    this.#entries.set(name, entry);
    return entry;
  }

  #newEntry({ name, uid }: Pick<Node, 'name' | 'uid'>, former?: KubeletEntry): KubeletEntry {
    const { clock } = this.#options;
    const { summary, configuration } = this.#inForce;
    const keepDepartedMs = (): number => Math.max(servedMs(this.#inForce.ttlMs), minKeepDepartedMs);
    const history = former?.history ?? new PodHistory({ clock, keepDepartedMs });
    const summaryOfNode: RequestPolicy<NodeSummary> = {
      ...summary,
      gateAfterSuccessMs: () => this.#freshMs(name),
      onSuccess: (_node, { value }) => {
        history.add(value, clock.steadyNowMs(), latestNowMs(clock));
        this.#inForce.onSummary?.(name, value); // not that of the policy when the history began, which would keep it
      },
    };
    const entry = {
      uid,
      summary: continued(former?.summary, summaryOfNode),
      configuration: configuration && continued(former?.configuration, configuration),
      history,
      outdatedAtMs: former?.outdatedAtMs ?? -Infinity,
    };
    if (this.#isDisposed) endRequests(entry); // settings that come during a stop begin nothing again
    return entry;
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
    const { ttlMs, nearTtlMs } = this.#inForce;
    const isShort = this.#nearNodeNames.has(nodeName) || isOutdated(this.#entries.get(nodeName));
    return nearTtlMs > 0 && isShort ? nearTtlMs : ttlMs;
  }

  #lookUp(entry: KubeletEntry, nodeName: string): CacheLookup {
    const { success, failure, isInFlight } = entry.summary;
    const ageMs = success === undefined ? Infinity : this.#options.clock.monotonicMs() - success.atMs;
    if (success !== undefined && ageMs < servedMs(this.#inForce.ttlMs))
      return this.#found(entry, ageMs < this.#freshMs(nodeName) ? 'fresh' : 'stale', success);
    const reason = failure?.reason ?? (isInFlight ? 'timeout' : 'never');
    return failure !== undefined && this.#isLastingIsolationFailure(failure)
      ? { state: 'absent', reason, isIsolationOff: true }
      : { state: 'absent', reason };
  }

  /** One alone may be of a kubelet that is starting. */
  #isLastingIsolationFailure({ reason, message, atMs, sinceMs }: KubeletFailure): boolean {
    return reason === 'http_status' && isIsolationFailure(message) && atMs - sinceMs >= servedMs(this.#inForce.ttlMs);
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
      arrivedAtMs: atMs,
      fetchedAtMs,
      configuration: isKnown ? known.value : undefined,
    };
  }
}
