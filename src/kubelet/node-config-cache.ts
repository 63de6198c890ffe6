import { isDeepStrictEqual } from 'node:util';

import { Semaphore } from 'async-mutex';

import type { Clock } from '../base/clock.js';
import type { FailureReason, RequestError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { requestFailure } from '../http/request-failure.js';
import type { Node } from '../kube/objects.js';
import type { EvictionThresholds } from './eviction-thresholds.js';

export interface ConfigFetcher {
  /** Has a time limit of its own. Ends soon after the signal aborts. */
  fetchEvictionThresholds(node: Node, signal: AbortSignal): Promise<EvictionThresholds>;
}

export interface NodeConfigCacheOptions {
  readonly fetcher: ConfigFetcher;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A kubelet reads its configuration when it starts: it changes seldom. */
const refreshMs = 600_000;

/** Beside the requests for summaries, which therefore never wait for one of these. */
const maxConcurrentRequests = 4;

interface Entry {
  /** Of the Node object: another machine under the same name gets an entry of its own. */
  readonly uid: string;
  /** Aborted when the entry is forgotten. */
  readonly lifetime: AbortController;
  /** An attempt is under way or waits for its turn. */
  isPending: boolean;
  lastAttemptAtMs: number | undefined;
  success: { readonly thresholds: EvictionThresholds; readonly atMs: number } | undefined;
  /** What the log last said of the node; undefined when it does not count as failing. */
  loggedFailure: FailureReason | undefined;
}

/**
 * What the kubelets' configurations say, read in the background: nobody waits for it. A kubelet is asked at most once
 * in 10 minutes, whether it answers or not; an answer counts for twice that time, so that one failure leaves no gap.
 */
export class NodeConfigCache implements Disposable {
  readonly #options: NodeConfigCacheOptions;
  readonly #slots = new Semaphore(maxConcurrentRequests);
  readonly #entries = new Map<string, Entry>();
  #isDisposed = false;

  constructor(options: NodeConfigCacheOptions) {
    this.#options = options;
  }

  /** The same object until it changes; undefined while it is not known. */
  thresholdsOf(nodeName: string): EvictionThresholds | undefined {
    const success = this.#entries.get(nodeName)?.success;
    if (success === undefined) return undefined;
    return this.#options.clock.monotonicMs() - success.atMs < 2 * refreshMs ? success.thresholds : undefined;
  }

  /** Asks the kubelet in the background, unless it was asked less than 10 minutes ago or is being asked. */
  refresh(node: Node): void {
    const entry = this.#entryOf(node);
    if (!this.#isDue(entry)) return;
    entry.isPending = true;
    void this.#slots.runExclusive(async () => {
      if (!entry.lifetime.signal.aborted) await this.#attempt(entry, node);
    });
  }

  /**
   * Takes over what is known by a cache whose place it takes. All kubelets are asked anew: the settings that have changed
   * may be the mend of a failure.
   */
  inherit(former: NodeConfigCache): void {
    for (const [name, { uid, success }] of former.#entries) this.#entries.set(name, { ...newEntry(uid), success });
  }

  /** Forgets all other nodes and ends their attempts. */
  retain(nodeNames: ReadonlySet<string>): void {
    for (const name of this.#entries.keys()) {
      if (!nodeNames.has(name)) this.#forget(name);
    }
  }

  /** Ends all attempts; no further one is made. */
  [Symbol.dispose](): void {
    this.#isDisposed = true;
    for (const { lifetime } of this.#entries.values()) endAttempt(lifetime);
  }

  #isDue({ isPending, lastAttemptAtMs }: Entry): boolean {
    if (this.#isDisposed || isPending) return false;
    return lastAttemptAtMs === undefined || this.#options.clock.monotonicMs() - lastAttemptAtMs >= refreshMs;
  }

  #entryOf({ name, uid }: Node): Entry {
    const known = this.#entries.get(name);
    if (known?.uid === uid) return known;
    this.#forget(name);
    const entry = newEntry(uid);
    this.#entries.set(name, entry);
    return entry;
  }

  #forget(name: string): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    endAttempt(entry.lifetime);
    this.#entries.delete(name);
  }

  /** Never rejects. */
  async #attempt(entry: Entry, node: Node): Promise<void> {
    const { clock, fetcher } = this.#options;
    entry.lastAttemptAtMs = clock.monotonicMs();
    try {
      const thresholds = await fetcher.fetchEvictionThresholds(node, entry.lifetime.signal);
      if (!entry.lifetime.signal.aborted) this.#succeed(entry, node, thresholds);
    } catch (error) {
      const failure = requestFailure(error, `configuration of node ${node.name}`);
      if (!entry.lifetime.signal.aborted) this.#fail(entry, node, failure);
    } finally {
      entry.isPending = false;
    }
  }

  #succeed(entry: Entry, node: Node, thresholds: EvictionThresholds): void {
    const known = entry.success?.thresholds;
    const current = known !== undefined && isDeepStrictEqual(known, thresholds) ? known : thresholds;
    entry.success = { thresholds: current, atMs: this.#options.clock.monotonicMs() };
    if (entry.loggedFailure === undefined) return;
    entry.loggedFailure = undefined;
    this.#options.logger.info('kubelet gives its configuration again', { node: node.name });
  }

  /** One line per change of the reason, not per attempt. */
  #fail(entry: Entry, node: Node, { reason, message }: RequestError): void {
    if (entry.loggedFailure === reason) return;
    entry.loggedFailure = reason;
    this.#options.logger.info('kubelet does not give its configuration', { node: node.name, reason, error: message });
  }
}

function newEntry(uid: string): Entry {
  return {
    uid,
    lifetime: new AbortController(),
    isPending: false,
    lastAttemptAtMs: undefined,
    success: undefined,
    loggedFailure: undefined,
  };
}

function endAttempt(lifetime: AbortController): void {
  lifetime.abort(new Error('the result is no longer wanted'));
}
