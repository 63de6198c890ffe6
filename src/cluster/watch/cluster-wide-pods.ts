import { startDeadline } from '../../lib/base/abortable.js';
import type { Clock } from '../../lib/base/clock.js';
import { type FailureReason, RequestError } from '../../lib/base/errors.js';
import type { Logger } from '../../lib/base/logger.js';
import type { ApiTransport } from '../http/api-client.js';
import { FirstList, isRefused, listFailure } from './list-session.js';
import { collectionOf } from './resource-path.js';
import { type AttemptFailure, Retries } from './retries.js';
import type { WatchObserver } from './watch-observer.js';

/** Above it, one watch of all namespaces costs the API server less than one for each. */
const maxNamespaceWatches = 10;

const probeTimeoutMs = 10_000;

/** A proxy that shows each tenant its namespaces may not have the path of all. */
const refusals: ReadonlySet<FailureReason> = new Set<FailureReason>(['unauthorized', 'forbidden', 'not_found']);

/**
 * Decides whether pods of these namespaces are listed and watched in all namespaces at once, and the others left out: where
 * there are more than 10 and the credentials may list them all, which one request for one pod shows.
 */
export class ClusterWidePods {
  readonly #options;
  readonly #retries: Retries;
  /** Never succeeds: the request is for one pod. */
  readonly #firstList = new FirstList();

  constructor(options: {
    readonly api: ApiTransport;
    readonly clock: Clock;
    /** From 0 to 1, 1 excluded. */
    readonly random: () => number;
    readonly logger: Logger;
    readonly observer: Pick<WatchObserver, 'listFinished'>;
    readonly namespaces: readonly string[];
  }) {
    this.#options = options;
    this.#retries = new Retries({ ...options, fields: { resource: 'pods' } });
  }

  /** Why it is not known yet; undefined before the first failure, and when it is known. */
  get lastFailure(): AttemptFailure | undefined {
    return this.#retries.lastFailure;
  }

  /** Resolves when the request fails for a reason that does not go away by itself. */
  get failedForLong(): Promise<void> {
    return this.#firstList.settled;
  }

  /**
   * Returns false only when the request is refused. After any other failure, such as while it restarts, the request is repeated,
   * with the delays of lists: the answer counts for as long as the watch lives. Throws the signal's reason.
   */
  async areWatched(signal: AbortSignal): Promise<boolean> {
    if (this.#options.namespaces.length <= maxNamespaceWatches) return false;
    for (;;) {
      const answer = await this.#areAllowed(signal);
      if (typeof answer === 'boolean') {
        this.#retries.recovered();
        return answer;
      }
      await this.#options.clock.sleep(this.#failed(answer), signal);
    }
  }

  async #areAllowed(signal: AbortSignal): Promise<boolean | RequestError> {
    const { api, clock } = this.#options;
    const error = (): RequestError => new RequestError('timeout', 'the list of one pod took too long');
    using deadline = startDeadline({ clock, durationMs: probeTimeoutMs, error, parent: signal });
    const { path } = collectionOf({ resource: 'pods' });
    try {
      const body = await api.open({ path, query: { limit: '1' } }, deadline.signal);
      for await (const chunk of body) if (chunk.length > 0) return true;
      return true;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof RequestError)) throw error;
      return refusals.has(error.reason) ? false : error;
    }
  }

  #failed(error: RequestError): number {
    const reason = listFailure(error);
    this.#options.observer.listFinished('pods', reason);
    this.#firstList.failed(error);
    const what = 'not known yet whether pods may be listed in all namespaces';
    return this.#retries.failed(what, { reason, error, delay: isRefused(error) ? 'refused' : 'backoff' });
  }
}
