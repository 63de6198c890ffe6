import type { Config } from '../../config/schema.js';
import type { ClusterSnapshot } from '../../facts/scrape/snapshot.js';
import { startDeadline } from '../../lib/base/abortable.js';
import type { Clock } from '../../lib/base/clock.js';
import { RequestError } from '../../lib/base/errors.js';
import { RecentValues } from '../../lib/base/recent-values.js';

/** Sent by Prometheus and vmagent: their scrape timeout, in seconds with a fraction. */
export const scrapeTimeoutHeader = 'x-prometheus-scrape-timeout-seconds';

/** Longer timeouts are ignored as implausible. */
const maxPlausibleMs = 3_600_000;

/** However long a client waits: it would see old values. */
export const maxScrapeMs = 60_000;

/**
 * How long a scrape may take: the client's timeout minus the offset, but at least half of the timeout; the default
 * when the header is absent or not a number above 0; at most {@link maxScrapeMs}.
 */
export function scrapeTimeoutMs(header: string | undefined, times: Omit<Config['scrape'], 'maxInFlight'>): number {
  const sentMs = Number(header?.trim() === '' ? undefined : header) * 1_000;
  const isPlausible = sentMs > 0 && sentMs <= maxPlausibleMs;
  const timeoutMs = isPlausible ? Math.max(sentMs - times.timeoutOffsetMs, sentMs / 2) : times.defaultTimeoutMs;
  return Math.min(timeoutMs, maxScrapeMs);
}

/**
 * So many durations of a kind are remembered: two scrapers every 15 s have eight scrapes in a TTL, of which one or two find that
 * the data of many nodes has expired, and take several times as long as the others.
 */
const keptCount = 10;

/** Clients, and selections of each, that are remembered: both can be as many as somebody likes. */
const maxCount = 40;

/** The next response may take longer by so much: beside a thousand requests to kubelets it takes half as long again. */
const growth = 1.5;

/**
 * Of the time limit, for the first response: 80 MB of text of 1,000 nodes with 30 pods each take 1 s to 3 s to compress and
 * send on a machine with two cores that are busy.
 */
const firstShare = 0.5;

/** What a response costs without any node would count as often as the others are missing. */
const leastDataShare = 0.1;

/** Of the time limit: nodes have at least two fifths of it to respond. */
const maxShare = 0.6;

/** Responses that take about the same time. */
export interface ResponseKind {
  /** Its address: one that reads slowly, or asks for much, changes nothing for the others. */
  readonly client: string;
  /** What is rendered, and whether it is compressed: the same text for the same. */
  readonly selection: string;
}

/**
 * Divides the time limit of scrapes.
 *
 * | For | How long |
 * | --- | --- |
 * | nodes to respond | until all have, stragglers aside (see `ResponseWait`); at most until the reserve begins |
 * | the reserve: what is left to derive, rendering and sending | 1.5 times the longest of the last ten responses of this client and selection; half of the limit for the first one; at most three fifths of it |
 */
export class ScrapeBudgets {
  readonly #clock: Clock;
  /** By client and selection: how long reserves would have had to be, in milliseconds, the newest last. */
  readonly #clients = new RecentValues<string, RecentValues<string, readonly number[]>>(maxCount);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Returns the time of one scrape, disposed of when its text has been made. `timeoutMs`: until the last byte of the
   * response. `parent`: aborts when the client is gone.
   */
  begin(kind: ResponseKind, timeoutMs: number, parent: AbortSignal) {
    const clock = this.#clock;
    const reserveMs = this.reserveMs(kind, timeoutMs);
    const durationMs = timeoutMs - reserveMs;
    const error = (): Error => new RequestError('timeout', `not all nodes responded within ${durationMs} ms`);
    const deadline = startDeadline({ clock, durationMs, error, parent });
    let endMs = clock.monotonicMs() + durationMs;
    let dataShare = 0;
    const sinceEndMs = (): number => clock.monotonicMs() - endMs;
    parent.addEventListener('abort', () => {
      // It would have taken longer; of one that was broken off sooner nothing is known.
      if (sinceEndMs() > reserveMs) this.add(kind, sinceEndMs(), 1);
    });
    return {
      /** Aborts when the reserve begins, or with the parent. */
      signal: deadline.signal,
      /** To be called when no node is waited for any longer. */
      collected: (snapshot: ClusterSnapshot | undefined): void => {
        endMs = Math.min(clock.monotonicMs(), endMs);
        dataShare = dataShareOf(snapshot);
      },
      /** To be called with the last byte of the response. */
      complete: (): void => {
        this.add(kind, sinceEndMs(), dataShare);
      },
      [Symbol.dispose]: (): void => {
        deadline[Symbol.dispose]();
      },
    };
  }

  /** How long before the end of a limit of `timeoutMs` nodes are no longer waited for, in milliseconds. */
  reserveMs(kind: ResponseKind, timeoutMs: number): number {
    const durationsMs = this.#durationsMs(kind);
    const expectedMs = durationsMs.length === 0 ? firstShare * timeoutMs : growth * Math.max(...durationsMs);
    return Math.min(expectedMs, maxShare * timeoutMs);
  }

  /** `dataShare`: of the nodes, 1 or less; the next response may be of all of them. With 0 it says nothing. */
  add(kind: ResponseKind, durationMs: number, dataShare: number): void {
    if (dataShare === 0) return;
    const kinds = this.#clients.get(kind.client) ?? new RecentValues<string, readonly number[]>(maxCount);
    const durationsMs = [...this.#durationsMs(kind), durationMs / Math.max(dataShare, leastDataShare)];
    kinds.set(kind.selection, durationsMs.slice(-keptCount));
    this.#clients.set(kind.client, kinds);
  }

  #durationsMs({ client, selection }: ResponseKind): readonly number[] {
    return this.#clients.get(client)?.get(selection) ?? [];
  }
}

/** The share of the nodes that have data, from 0 to 1; 0 without any node. */
function dataShareOf({ nodes }: Pick<ClusterSnapshot, 'nodes'> = { nodes: [] }): number {
  let [expectedCount, withDataCount] = [0, 0];
  for (const node of nodes) {
    if (node.state !== 'absent') withDataCount += 1;
    if (node.state !== 'absent' || node.reason !== 'skipped') expectedCount += 1;
  }
  return expectedCount === 0 ? 0 : withDataCount / expectedCount;
}
