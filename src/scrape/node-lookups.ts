import { setImmediate as nextTurn } from 'node:timers/promises';

import { Mutex } from 'async-mutex';

import type { Clock } from '../base/clock.js';
import type { Lane } from '../base/scheduler.js';
import type { Node } from '../kube/objects.js';
import type { CacheLookup, FoundLookup } from '../kubelet/lookup.js';
import type { KnownLookup } from '../node/derived-lookup.js';
import type { NodeRecord, PreparedNode } from '../node/node-record.js';
import type { NodeRecords } from '../node/node-records.js';

export interface NodeAnswersOptions {
  readonly records: NodeRecords;
  /** How long a summary is fresh as a rule, in milliseconds. */
  readonly ttlMs: number;
  readonly lane: Lane;
  readonly clock: Clock;
}

export interface AskedNode {
  readonly node: Node;
  readonly lookup: Promise<CacheLookup>;
}

export interface AnsweredNode extends KnownLookup {
  readonly node: Node;
  readonly record: NodeRecord;
}

/** Called with each node whose data is derived, before the next one is. */
export type OnNode = (node: PreparedNode) => Promise<void>;

/** Makes of what the cache has what a scrape needs of each node. */
export class NodeAnswers {
  readonly #options: NodeAnswersOptions;

  constructor(options: NodeAnswersOptions) {
    this.#options = options;
  }

  /** Undefined unless all is derived of the node's data. */
  ready(node: Node, lookup: FoundLookup): AnsweredNode | undefined {
    const { records, clock } = this.#options;
    const record = records.of(node);
    return record.isPrepared(node, lookup) ? { node, lookup, record, lookedUpAtMs: clock.monotonicMs() } : undefined;
  }

  /** In the order of `asked`. */
  async of(asked: readonly AskedNode[]): Promise<readonly AnsweredNode[]> {
    const { records, lane } = this.#options;
    return Promise.all(
      asked.map(async ({ node, lookup: pending }) => {
        const known = await this.#known(node, pending);
        await records.of(node).prepare(node, known, lane);
        return known;
      }),
    );
  }

  /**
   * The same, node by node as they respond: each is complete, with `onNode`, before the next one begins. First of all come the
   * nodes that never had data, as they are without a response. Once `signal` has aborted, nothing more is derived: a node with a
   * new summary is served as it was before. Otherwise thousands of nodes that respond just before the deadline would
   * take as long after it as they take to derive.
   */
  async inTurn(asked: readonly AskedNode[], onNode: OnNode, signal: AbortSignal): Promise<readonly AnsweredNode[]> {
    const turns = new Mutex();
    const waiting = new Set(asked.map(({ node }) => node));
    const answered = asked.map(async ({ node, lookup }) => {
      const known = await this.#known(node, lookup);
      waiting.delete(node);
      return turns.runExclusive(() => (signal.aborted ? this.#late(known) : this.#complete(known, onNode)));
    });
    const all = Promise.all(answered);
    all.catch(() => undefined); // rejects below
    await nextTurn(); // fresh data has arrived
    const withoutData = [...waiting].filter((node) => this.#options.records.of(node).snapshot === undefined);
    await Promise.all(
      withoutData.map((node) =>
        turns.runExclusive(() => (signal.aborted ? undefined : this.#withoutData(node, onNode))),
      ),
    );
    return all;
  }

  /** Completes a node that no scrape has asked for yet. */
  async ahead(node: Node, lookup: CacheLookup, onNode: OnNode): Promise<void> {
    const { records, clock } = this.#options;
    await this.#complete({ node, lookup, record: records.of(node), lookedUpAtMs: clock.monotonicMs() }, onNode);
  }

  async #withoutData(node: Node, onNode: OnNode): Promise<void> {
    const { records, lane, clock } = this.#options;
    const known: KnownLookup = { lookup: { state: 'absent', reason: 'never' }, lookedUpAtMs: clock.monotonicMs() };
    await onNode(await records.of(node).prepare(node, known, lane));
  }

  async #known(node: Node, pending: Promise<CacheLookup>): Promise<AnsweredNode> {
    const { records, clock } = this.#options;
    const lookup = await pending;
    return { node, lookup, record: records.of(node), lookedUpAtMs: clock.monotonicMs() };
  }

  async #complete(known: AnsweredNode, onNode: OnNode): Promise<AnsweredNode> {
    await onNode(await known.record.prepare(known.node, known, this.#options.lane));
    return known;
  }

  #late(known: AnsweredNode): AnsweredNode {
    const { ttlMs, clock } = this.#options;
    const lookup = known.record.withoutDeriving(known.node, known.lookup, 2 * ttlMs);
    return lookup === known.lookup ? known : { ...known, lookup, lookedUpAtMs: clock.monotonicMs() };
  }
}
