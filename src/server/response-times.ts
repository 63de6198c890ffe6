import type { ClusterSnapshot } from '../scrape/snapshot.js';

/**
 * So many durations of a kind are remembered: two scrapers every 15 s have eight scrapes in a TTL, of which one or two find that
 * the data of many nodes has expired, and take several times as long as the others.
 */
const keptCount = 10;

/** So many kinds, those that were asked for last: clients choose them. */
const maxKinds = 20;

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

/**
 * How long responses take from the moment at which the wait for nodes ends to their last byte: what is left to
 * derive, rendering and sending. What a filter selects and whether it is compressed makes a kind of responses.
 */
export class ResponseTimes {
  /** By kind, the one of the last response last: durations in milliseconds, the newest last. */
  readonly #kinds = new Map<string, readonly number[]>();

  /** How long before the end of a limit of `timeoutMs` nodes are no longer waited for, in milliseconds. */
  roomMs(kind: string, timeoutMs: number): number {
    const durationsMs = this.#kinds.get(kind) ?? [];
    const expectedMs = durationsMs.length === 0 ? firstShare * timeoutMs : growth * Math.max(...durationsMs);
    return Math.min(expectedMs, maxShare * timeoutMs);
  }

  /** `dataShare`: of the nodes, 1 or less; the next response may be of all of them. With 0 it says nothing. */
  add(kind: string, durationMs: number, dataShare = 1): void {
    if (dataShare === 0) return;
    const before = this.#kinds.get(kind) ?? [];
    this.#kinds.delete(kind);
    this.#kinds.set(kind, [...before, durationMs / Math.max(dataShare, leastDataShare)].slice(-keptCount));
    for (const oldest of this.#kinds.keys()) {
      if (this.#kinds.size <= maxKinds) return;
      this.#kinds.delete(oldest);
    }
  }
}

/** The share of the nodes that have data, from 0 to 1; 0 without any node. */
export function dataShareOf({ nodes }: Pick<ClusterSnapshot, 'nodes'> = { nodes: [] }): number {
  const expected = nodes.filter((node) => node.state !== 'absent' || node.reason !== 'skipped');
  const withData = expected.filter(({ state }) => state !== 'absent');
  return expected.length === 0 ? 0 : withData.length / expected.length;
}
