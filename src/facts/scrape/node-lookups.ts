import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Node } from '../../cluster/kube/objects.js';
import { type CacheLookup, type FoundLookup, servedMs } from '../../cluster/kubelet/lookup.js';
import type { Clock } from '../../lib/base/clock.js';
import type { Lane } from '../../lib/base/lane.js';
import type { PodGrowth } from '../node/near-evictions.js';
import type { NodeTrackers } from '../node/node-trackers.js';
import type { NodeView } from '../node/node-view.js';
import type { DerivedPods } from '../node/pod-record.js';
import { ResponseWait } from './response-wait.js';

export interface SummaryCache {
  /** Never rejects; resolves at once when `signal` aborts. */
  get(node: Node, signal: AbortSignal): Promise<CacheLookup>;
  /** What `get` would resolve with at once; undefined when the summary is not fresh. */
  getFresh(node: Node): FoundLookup | undefined;
  /** Requests a summary unless the last request is too recent or in flight. Never rejects. */
  refresh(node: Node): Promise<void>;
  /** Undefined when the last request to the node succeeded. */
  lastFailure(nodeName: string): { readonly reason: string } | undefined;
  /** How long a request to the node has been in flight, in milliseconds; 0 without one. */
  inFlightMs(nodeName: string): number;
  /** How long the last response took, in milliseconds; undefined before the first one. */
  lastDurationMs(nodeName: string): number | undefined;
  /** How fast pods grow, by their entries in the last summary of the node. */
  growth(nodeName: string): PodGrowth;
  /** Forgets all other nodes. */
  retain(nodeNames: ReadonlySet<string>): void;
}

export interface NodeLookup {
  readonly node: Node;
  readonly lookup: CacheLookup;
}

/** Called with a node when its data is derived, in the same task; `derived`: of its pods, as far as it was derived then. */
export type OnView = (view: NodeView, derived: DerivedPods) => void;

export interface FreshenOptions {
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** Whether nodes are waited for that respond much later than the others. */
  readonly waitsForAll: boolean;
  /** The names of the nodes that are asked: others are served as the cache has them. Undefined: all. */
  readonly only: ReadonlySet<string> | undefined;
  /**
   * With it, nothing is derived once `signal` has aborted: a node with a new summary is served as it was before. Otherwise
   * thousands of nodes that respond just before the deadline would take as long after it as they take to derive. Without it, the
   * data of all nodes that have responded is derived, however long that takes.
   */
  readonly onView: OnView | undefined;
}

/** Gets what kubelets say, and derives it as it arrives. */
export class NodeLookups {
  readonly #options;

  constructor(options: {
    readonly cache: SummaryCache;
    readonly trackers: NodeTrackers;
    /** How long a summary is fresh as a rule, in milliseconds. */
    readonly ttlMs: number;
    readonly lane: Lane;
    /** In which requests begin. */
    readonly requests: Lane;
    readonly clock: Clock;
  }) {
    this.#options = options;
  }

  /**
   * Returns one lookup for each node, once all that responded in time are derived. Requests begin in this order. A node that did
   * not respond in time at its last request is asked and not waited for. First of all, nodes are derived that have no data yet, as
   * they are without a response.
   */
  async freshen(order: readonly Node[], options: FreshenOptions): Promise<readonly NodeLookup[]> {
    const { requests, clock } = this.#options;
    const { signal, waitsForAll, only, onView } = options;
    using wait = new ResponseWait({ clock, parent: signal, waitsForAll, requests });
    const { ready, others } = await this.#lookUp(order);
    const asked = await this.#ask(others, wait, only);
    const waiting = new Set(asked.keys());
    const answered = Array.from(asked, async ([node, pending]) => {
      const lookup = await pending;
      waiting.delete(node);
      return this.#derive(node, lookup, options);
    });
    const all = Promise.all(answered);
    all.catch(() => undefined); // rejects below
    if (onView !== undefined) {
      await nextTurn(); // fresh data has arrived
      await this.#withoutData([...waiting], options);
    }
    return [...ready, ...(await all)];
  }

  /** Derives a node that no scrape has asked for yet: when `lookup` is still fresh at the next one, it has nothing left to do. */
  async arrived(node: Node, lookup: CacheLookup, onView: OnView): Promise<void> {
    await this.#derive(node, lookup, { onView });
  }

  /** `ready`: nodes with fresh data of which all is derived; `others`, in this order, with the fresh data that they have. */
  async #lookUp(
    order: readonly Node[],
  ): Promise<{ ready: readonly NodeLookup[]; others: ReadonlyMap<Node, FoundLookup | undefined> }> {
    const { cache, trackers, lane } = this.#options;
    const ready: NodeLookup[] = [];
    const others = new Map<Node, FoundLookup | undefined>();
    await lane.each(order, (node) => {
      const fresh = cache.getFresh(node);
      if (fresh !== undefined && trackers.of(node).isCurrent(node, fresh)) ready.push({ node, lookup: fresh });
      else others.set(node, fresh);
    });
    return { ready, others };
  }

  /** Requests to all nodes without fresh data are under way, or wait for a slot, when it resolves. */
  async #ask(
    others: ReadonlyMap<Node, FoundLookup | undefined>,
    wait: ResponseWait,
    only: FreshenOptions['only'],
  ): Promise<ReadonlyMap<Node, Promise<CacheLookup>>> {
    const { cache, lane } = this.#options;
    const isAsked = ({ name }: Node): boolean => only?.has(name) ?? true;
    const notAsked = AbortSignal.abort();
    // Fresh data is no response: how long the others are waited for must not depend on what is derived already.
    const names = [...others].flatMap(([node, fresh]) => (fresh === undefined && isAsked(node) ? [node.name] : []));
    const hanging = new Set(names.filter((name) => cache.lastFailure(name)?.reason === 'timeout'));
    const awaited = names.filter((name) => !hanging.has(name));
    wait.start(new Map(awaited.map((name) => [name, cache.lastDurationMs(name)])));
    const asked = new Map<Node, Promise<CacheLookup>>();
    await lane.each(others, ([node, fresh]) => {
      if (hanging.has(node.name)) void cache.refresh(node);
      const signal = isAsked(node) ? wait.signalFor(asked.size) : notAsked;
      const lookup = fresh ? Promise.resolve(fresh) : cache.get(node, signal);
      void lookup.then(() => {
        wait.responded(node.name);
      });
      asked.set(node, lookup);
    });
    return asked;
  }

  /** Without a signal it is never too late. */
  async #derive(
    node: Node,
    lookup: CacheLookup,
    { signal, onView }: Pick<FreshenOptions, 'onView'> & Partial<Pick<FreshenOptions, 'signal'>>,
  ): Promise<NodeLookup> {
    const { trackers, lane, ttlMs } = this.#options;
    const tracker = trackers.of(node);
    return lane.run(() => {
      if (onView !== undefined && signal?.aborted === true) {
        return { node, lookup: tracker.withoutDeriving(node, lookup, servedMs(ttlMs)) };
      }
      const derived: DerivedPods = new Map();
      const view = tracker.view(node, lookup, derived);
      onView?.(view, derived);
      return { node, lookup };
    });
  }

  async #withoutData(waiting: readonly Node[], { signal, onView }: FreshenOptions): Promise<void> {
    const { trackers, lane } = this.#options;
    const withoutData = waiting.filter((node) => trackers.of(node).snapshot === undefined);
    await lane.each(withoutData, (node) => {
      if (!signal.aborted) onView?.(trackers.of(node).view(node, { state: 'absent', reason: 'never' }), new Map());
    });
  }
}
