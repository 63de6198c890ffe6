import { isDeepStrictEqual } from 'node:util';

import { Semaphore } from 'async-mutex';

import type { Clock } from '../base/clock.js';
import { type FailureReason, RequestError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { Node } from '../kube/objects.js';
import { CachedRequest, type CachedValue, type KubeletFailure, type RequestPolicy } from './cached-request.js';
import { FailureLog } from './failure-log.js';
import type { KubeletConfiguration } from './kubelet-configuration.js';
import { PodHistory } from './pod-history.js';
import type { NodeSummary } from './summary.js';

/** What is known of a node from its kubelet. */
export type CacheLookup =
  | {
      readonly state: 'fresh' | 'stale';
      readonly summary: NodeSummary;
      readonly ageMs: number;
      /** Wall time in milliseconds at which the summary was fetched: the same until the next fetch. */
      readonly fetchedAtMs: number;
      /** The same object until it changes; undefined while it is not known. */
      readonly configuration: KubeletConfiguration | undefined;
    }
  | { readonly state: 'absent'; readonly reason: FailureReason };

/** The last summary of a node, however old. */
export interface LastSummary {
  readonly summary: NodeSummary;
  readonly ageMs: number;
  readonly configuration: KubeletConfiguration | undefined;
}

/** `refreshed`: fresh because of a request that the caller sent or joined. */
export const lookupResults = ['fresh', 'refreshed', 'stale', 'absent'] as const;
export type LookupResult = (typeof lookupResults)[number];

interface KubeletCacheObserver {
  lookedUp(result: LookupResult): void;
}

export interface KubeletCacheOptions {
  /** In milliseconds. 0 disables caching of summaries: overlapping callers still share a request. */
  readonly ttlMs: number;
  /** Requests for summaries in flight, over all nodes; at least 1. */
  readonly maxConcurrentRequests: number;
  readonly fetchSummary: RequestPolicy<NodeSummary>['fetch'];
  /** Undefined: configurations are not read. */
  readonly fetchConfiguration: RequestPolicy<KubeletConfiguration>['fetch'] | undefined;
  /** Whether pods have run on the node for so long that a summary without any pod cannot be right. */
  readonly expectsPods: (nodeName: string) => boolean;
  readonly clock: Clock;
  readonly observer: KubeletCacheObserver;
  readonly logger: Logger;
}

/** A kubelet reads its configuration when it starts, so it rarely changes. */
const configurationGateMs = 600_000;

/** At least this long, in milliseconds, also with a short TTL: the API server may report an eviction late. */
const minKeepDepartedMs = 60_000;

/** These are not counted among the requests for summaries, which therefore never wait for them. */
const maxConcurrentConfigurationRequests = 4;

interface KubeletEntry {
  /** Of the Node object: another machine under the same name gets its own entry. */
  readonly uid: string;
  readonly summary: CachedRequest<NodeSummary>;
  readonly configuration: CachedRequest<KubeletConfiguration> | undefined;
  readonly history: PodHistory;
}

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
  #isDisposed = false;

  constructor(options: KubeletCacheOptions) {
    this.#options = options;
    this.#summaryPolicy = {
      ...summaryPolicy(options),
      onSuccess: ({ name }, { value }) => this.#entries.get(name)?.history.add(value, options.clock.steadyNowMs()),
    };
    this.#configurationPolicy = configurationPolicy(options);
  }

  /** Never rejects. When the signal aborts, it resolves at once with what is known; see {@link CachedRequest.update}. */
  async get(node: Node, signal: AbortSignal): Promise<CacheLookup> {
    const entry = this.#entryOf(node);
    const known = this.#lookUp(entry);
    const isDone = known.state === 'fresh' || signal.aborted;
    const refreshed = isDone ? undefined : await entry.summary.update(node, signal);
    const lookup = refreshed === undefined ? this.#lookUp(entry) : this.#found(entry, 'fresh', refreshed);
    this.#options.observer.lookedUp(refreshed === undefined ? lookup.state : 'refreshed');
    if (lookup.state !== 'absent') void entry.configuration?.refresh(node);
    return lookup;
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

  /** Monotonic time from which the kubelet may be sent the next request for a summary; undefined before the first one. */
  nextAttemptAtMs({ name, uid }: Node): number | undefined {
    const entry = this.#entries.get(name);
    return entry?.uid === uid ? entry.summary.nextAttemptAtMs : undefined;
  }

  /** Of the summary; undefined when the last request succeeded, or none has completed yet. */
  lastFailure(nodeName: string): KubeletFailure | undefined {
    return this.#entries.get(nodeName)?.summary.failure;
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

  /** Takes over what a cache knows that this one replaces, with its age, and its gates: a reload sends no request. */
  inherit(former: KubeletCache): void {
    for (const [nodeName, entry] of former.#entries) {
      this.#entries.set(nodeName, this.#newEntry(entry.uid, entry));
    }
    for (const [nodeName, left] of former.#former) this.#former.set(nodeName, left);
  }

  /** Forgets all other nodes and ends their requests. */
  retain(nodeNames: ReadonlySet<string>): void {
    for (const name of this.#entries.keys()) {
      if (!nodeNames.has(name)) this.#forget(name);
    }
    const nowMs = this.#options.clock.monotonicMs();
    for (const [name, { leftAtMs }] of this.#former) {
      if (nowMs - leftAtMs >= this.#options.ttlMs) this.#former.delete(name);
    }
  }

  /** Ends all requests. From then on `get` resolves with what is known. */
  [Symbol.dispose](): void {
    this.#isDisposed = true;
    for (const entry of this.#entries.values()) endRequests(entry);
    for (const policy of [this.#summaryPolicy, this.#configurationPolicy]) policy?.log[Symbol.dispose]();
  }

  #entryOf({ name, uid }: Node): KubeletEntry {
    const known = this.#entries.get(name);
    if (known?.uid === uid) return known;
    const former = known === undefined ? this.#former.get(name)?.entry : undefined;
    this.#forget(name);
    this.#former.delete(name);
    const entry = this.#newEntry(uid, former?.uid === uid ? former : undefined);
    if (this.#isDisposed) endRequests(entry);
    this.#entries.set(name, entry);
    return entry;
  }

  #newEntry(uid: string, former?: KubeletEntry): KubeletEntry {
    const policy = this.#configurationPolicy;
    const { clock, ttlMs } = this.#options;
    return {
      uid,
      summary: new CachedRequest(this.#summaryPolicy, former?.summary.state),
      configuration: policy && new CachedRequest(policy, former?.configuration?.state),
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

  #lookUp(entry: KubeletEntry): CacheLookup {
    const { clock, ttlMs } = this.#options;
    const { success, failure, isInFlight } = entry.summary;
    const ageMs = success === undefined ? Infinity : clock.monotonicMs() - success.atMs;
    if (success !== undefined && ageMs < 2 * ttlMs)
      return this.#found(entry, ageMs < ttlMs ? 'fresh' : 'stale', success);
    return { state: 'absent', reason: failure?.reason ?? (isInFlight ? 'timeout' : 'never') };
  }

  #found(
    { configuration }: KubeletEntry,
    state: 'fresh' | 'stale',
    { value, atMs, fetchedAtMs }: CachedValue<NodeSummary>,
  ): CacheLookup {
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

function summaryPolicy(options: KubeletCacheOptions): RequestPolicy<NodeSummary> {
  const { ttlMs, maxConcurrentRequests, fetchSummary, expectsPods, clock, logger } = options;
  return {
    what: 'summary',
    gateMs: ttlMs,
    slots: new Semaphore(maxConcurrentRequests),
    slotsOfHanging: new Semaphore(Math.max(1, Math.floor(maxConcurrentRequests / 4))),
    fetch: async (node, signal) => {
      const summary = await fetchSummary(node, signal);
      checkNode(node, summary);
      if (summary.pods.length === 0 && expectsPods(node.name)) throw emptyError(node);
      return summary;
    },
    log: new FailureLog({
      failed: { one: 'failed to scrape kubelet', many: 'failed to scrape kubelets' },
      recovered: { one: 'kubelet scrape recovered', many: 'kubelet scrapes recovered' },
      clock,
      logger,
    }),
    logLevel: 'warn',
    clock,
  };
}

function configurationPolicy(options: KubeletCacheOptions): RequestPolicy<KubeletConfiguration> | undefined {
  const { fetchConfiguration, clock, logger } = options;
  return (
    fetchConfiguration && {
      what: 'configuration',
      gateMs: configurationGateMs,
      slots: new Semaphore(maxConcurrentConfigurationRequests),
      fetch: fetchConfiguration,
      isEqual: isDeepStrictEqual,
      log: new FailureLog({
        failed: { one: 'failed to read kubelet configuration', many: 'failed to read kubelet configurations' },
        recovered: {
          one: 'kubelet configuration is readable again',
          many: 'kubelet configurations are readable again',
        },
        clock,
        logger,
      }),
      logLevel: 'info',
      clock,
    }
  );
}

/** The address may have passed to another machine, whose values are not this node's. */
function checkNode(node: Node, { nodeName }: NodeSummary): void {
  if (nodeName === node.name) return;
  const message = `the kubelet at the address of node ${node.name} identifies itself as node ${nodeName}`;
  throw new RequestError('decode', `${message}; the node object lags behind, or its kubelet runs under another name`);
}

/** A kubelet that has just started knows no pods yet: accepted as a success, it would turn totals to zero. */
function emptyError({ name }: Node): RequestError {
  const message = `the summary of node ${name} lists no pod, but according to the API server pods run there`;
  return new RequestError('empty', `${message}; expected for a short time after a restart of the kubelet`);
}

function endRequests({ summary, configuration }: KubeletEntry): void {
  summary.end();
  configuration?.end();
}
