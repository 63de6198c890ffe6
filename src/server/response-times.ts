import { RecentValues } from '../base/recent-values.js';
import type { ClusterSnapshot } from '../scrape/snapshot.js';

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
 * How long responses take from the moment at which the wait for nodes ends to their last byte: what is left to
 * derive, rendering and sending.
 */
export class ResponseTimes {
  /** By client and selection: durations in milliseconds, the newest last. */
  readonly #clients = new RecentValues<string, RecentValues<string, readonly number[]>>(maxCount);

  /** How long before the end of a limit of `timeoutMs` nodes are no longer waited for, in milliseconds. */
  roomMs(kind: ResponseKind, timeoutMs: number): number {
    const durationsMs = this.#durationsMs(kind);
    const expectedMs = durationsMs.length === 0 ? firstShare * timeoutMs : growth * Math.max(...durationsMs);
    return Math.min(expectedMs, maxShare * timeoutMs);
  }

  /** `dataShare`: of the nodes, 1 or less; the next response may be of all of them. With 0 it says nothing. */
  add(kind: ResponseKind, durationMs: number, dataShare = 1): void {
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
export function dataShareOf({ nodes }: Pick<ClusterSnapshot, 'nodes'> = { nodes: [] }): number {
  const expected = nodes.filter((node) => node.state !== 'absent' || node.reason !== 'skipped');
  const withData = expected.filter(({ state }) => state !== 'absent');
  return expected.length === 0 ? 0 : withData.length / expected.length;
}

/** In milliseconds above 0; the offset may be 0. */
export interface ScrapeTimes {
  /** How long before the client's timeout the response is complete. */
  readonly timeoutOffsetMs: number;
  /** For clients that send no timeout. */
  readonly defaultTimeoutMs: number;
  readonly maxDurationMs: number;
}

/** Sent by Prometheus and vmagent: their scrape timeout, in seconds with a fraction. */
export const scrapeTimeoutHeader = 'x-prometheus-scrape-timeout-seconds';

/** Longer timeouts are ignored as implausible. */
const maxPlausibleMs = 3_600_000;

/**
 * How long a scrape may take: the client's timeout minus the offset, but at least half of the timeout; the default
 * when the header is absent or not a number above 0; at most `maxDurationMs`.
 */
export function scrapeTimeoutMs(header: string | undefined, times: ScrapeTimes): number {
  const sentMs = Number(header?.trim() === '' ? undefined : header) * 1_000;
  const isPlausible = sentMs > 0 && sentMs <= maxPlausibleMs;
  const timeoutMs = isPlausible ? Math.max(sentMs - times.timeoutOffsetMs, sentMs / 2) : times.defaultTimeoutMs;
  return Math.min(timeoutMs, times.maxDurationMs);
}
