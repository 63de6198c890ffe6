import type { Clock } from '../base/clock.js';
import { byName } from '../base/ranking.js';
import type { Lane, Scheduler } from '../base/scheduler.js';
import type { EvictionSnapshot, EvictionSnapshotOptions } from '../history/eviction-record.js';
import type { Node } from '../kube/objects.js';
import type { CacheLookup, FoundLookup } from '../kubelet/lookup.js';
import { nearestNodes, type NearNode, type PodGrowth } from '../node/near-evictions.js';
import type { GoneNode, ScrapedNode } from '../node/node-record.js';
import type { NodeRecords } from '../node/node-records.js';
import type { PodLister } from '../node/node-snapshot.js';
import { noCoverage, type NodeObjects, type NodeState } from '../node/node-state.js';
import { type Workload, workloadKey } from '../workload/workload.js';
import type { WorkloadCollector } from '../workload/workload-collector.js';
import type { WorkloadSnapshot } from '../workload/workload-partial.js';
import type { WorkloadResolver } from '../workload/workload-resolver.js';
import { type AnsweredNode, type AskedNode, NodeAnswers, type OnNode } from './node-answers.js';
import { type NodePolicy, nodesInScope, scrapeOrder } from './node-policy.js';
import { ResponseWait } from './response-wait.js';
import type { ClusterSnapshot } from './snapshot.js';

export interface NodeLister {
  /** Whether nodes and pods were listed once, or as far as they can be. */
  readonly hasSynced: boolean;
  nodes(): Iterable<Node>;
}

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

export interface EvictionLister {
  snapshot(options: EvictionSnapshotOptions): EvictionSnapshot;
}

export interface CollectorOptions {
  readonly nodes: NodeLister & Pick<PodLister, 'boundNodeNames' | 'unlistedNamespaces'>;
  readonly policy: NodePolicy;
  readonly cache: SummaryCache;
  readonly records: NodeRecords;
  readonly resolver: WorkloadResolver;
  readonly workloads: WorkloadCollector;
  readonly evictions: EvictionLister;
  /** Whether pods that belong to no workload have detail series. */
  readonly showsAllPods: boolean;
  /** How long a summary is fresh as a rule, in milliseconds. */
  readonly ttlMs: number;
  /** Called with the nodes that may soon evict a pod, after each collection. */
  readonly onNearNodes: (nodeNames: ReadonlySet<string>) => void;
  readonly lane: Lane;
  readonly scheduler: Pick<Scheduler, 'requests'>;
  readonly clock: Clock;
}

export interface CollectOptions {
  /** Whether workloads that fail back off; true without it. Readers that are not scrapes must not cost scrapes their data. */
  readonly recordsFailures?: boolean;
  /** Whether nodes are waited for that respond much later than the others. Default: false. */
  readonly waitsForAll?: boolean;
  /**
   * Without it, the data of all nodes that have responded is derived, however long that takes. See {@link NodeAnswers.inTurn}.
   */
  readonly onNode?: OnNode;
}

/** Scrapes the nodes and combines their data. */
export class Collector {
  readonly #options: CollectorOptions;
  readonly #lane: Lane;
  readonly #answers: NodeAnswers;
  #turn = 0;
  /** In which the nodes that may soon evict a pod were set. */
  #nearTurn = 0;
  /** By the name of a node: see {@link scrapeOrder}. */
  #lastTurns: ReadonlyMap<string, number> = new Map();

  constructor(options: CollectorOptions) {
    this.#options = options;
    this.#lane = options.lane;
    this.#answers = new NodeAnswers(options);
  }

  /**
   * What the cluster uses now. When `signal` aborts, nodes that have not responded are served as the cache has them, and
   * so are stragglers (see {@link ResponseWait}); an error of a node makes that node absent. A node that did not respond
   * in time at its last request is asked and not waited for. Undefined until nodes and pods were listed once: sums over an unknown part
   * of the pods would look like sums over all.
   */
  async collect(signal: AbortSignal, options: CollectOptions = {}): Promise<ClusterSnapshot | undefined> {
    if (!this.#options.nodes.hasSynced) return undefined;
    return this.#collect(signal, options);
  }

  /** Derives a node as `collect` does, ahead of it: when `lookup` is new and still fresh at the next collection, it has nothing left to do. */
  prepare(node: Node, lookup: CacheLookup, onNode: OnNode): Promise<void> {
    return this.#answers.ahead(node, lookup, onNode);
  }

  async #collect(
    signal: AbortSignal,
    { recordsFailures = true, waitsForAll = false, onNode }: CollectOptions,
  ): Promise<ClusterSnapshot> {
    const { nodes, policy, cache, records, resolver, scheduler, clock } = this.#options;
    const { discoveredCount } = resolver;
    const { targets, skipped, missing } = nodesInScope(nodes.nodes(), policy);
    const names = targets.map(({ name }) => name);
    const goneNames = this.#goneNodeNames();
    records.retain(new Set([...names, ...goneNames, ...skipped.map(({ name }) => name)]));
    cache.retain(new Set(names));
    const turn = this.#turn++;
    const startMs = clock.monotonicMs();
    const order = scrapeOrder(targets, turn, {
      lastTurn: (nodeName) => this.#lastTurns.get(nodeName),
      hasFailed: (nodeName) => cache.lastFailure(nodeName) !== undefined,
    });
    using wait = new ResponseWait({ clock, parent: signal, waitsForAll, requests: scheduler.requests });
    const { ready, others } = await this.#lookUp(order);
    const asked = await this.#ask(others, wait);
    const responded = onNode === undefined ? this.#answers.of(asked) : this.#answers.inTurn(asked, onNode, signal);
    const answered = [...ready, ...(await responded)].sort(byNode);
    this.#lastTurns = this.#turnsOf(answered, turn, startMs);
    this.#setNearNodes(answered, turn, targets.length);
    const scraped = await this.#scraped(answered);
    const gone = goneNames.map((name) => records.of({ name }).gone(name));
    const collected = await this.#collectWorkloads(scraped, gone, recordsFailures && !signal.aborted);
    const { workloads, youngWorkloads } = collected;
    resolver.retain(collected.keys, discoveredCount);
    const states = [
      ...scraped.map(({ state }) => state),
      ...skipped.map(skippedState),
      ...(missing === undefined ? [] : [missingState(missing)]),
    ];
    const evictions = this.#options.evictions.snapshot({
      workloads: [...workloads.map(({ workload }) => workload), ...youngWorkloads],
      nodeNames: states.map(({ nodeName }) => nodeName),
      showsAllPods: this.#options.showsAllPods,
    });
    const objects = [
      ...[...scraped, ...gone].map((node) => node.objects),
      ...skipped.map((node) => records.skippedObjects(node)),
    ];
    return {
      nodes: states.sort(byNodeName),
      objects: objects.sort(byNodeName),
      workloads,
      evictions,
      unlistedNamespaces: nodes.unlistedNamespaces(),
    };
  }

  /** Nodes that have left the cluster, while pods are still bound to them; in the order of their names. */
  #goneNodeNames(): readonly string[] {
    const { nodes } = this.#options;
    const existing = new Set(Array.from(nodes.nodes(), ({ name }) => name));
    return [...nodes.boundNodeNames()].filter((name) => !existing.has(name)).sort();
  }

  /**
   * A node with fresh data had its turn, and so had one that did not respond while it was waited for at least half of the time.
   * `startMs`: of this one.
   */
  #turnsOf(answered: readonly AnsweredNode[], turn: number, startMs: number): ReadonlyMap<string, number> {
    const { cache, clock } = this.#options;
    const leastWaitMs = Math.max(1, (clock.monotonicMs() - startMs) / 2);
    const turns = new Map<string, number>();
    for (const { node, lookup } of answered) {
      const hadTurn = lookup.state === 'fresh' || cache.inFlightMs(node.name) >= leastWaitMs;
      turns.set(node.name, hadTurn ? turn : (this.#lastTurns.get(node.name) ?? -1));
    }
    return turns;
  }

  /** Of overlapping collections, the one that began last decides. */
  #setNearNodes(answered: readonly AnsweredNode[], turn: number, nodeCount: number): void {
    if (turn < this.#nearTurn) return;
    this.#nearTurn = turn;
    const near = answered.flatMap(nearOf);
    this.#options.onNearNodes(nearestNodes(near, nodeCount));
  }

  /** `ready`: nodes with fresh data of which all is derived; `others`, in this order, with the fresh data that they have. */
  async #lookUp(order: readonly Node[]): Promise<LookedUp> {
    const [ready, others]: [AnsweredNode[], OtherNode[]] = [[], []];
    await this.#lane.each(order, (node) => {
      const fresh = this.#options.cache.getFresh(node);
      const answered = fresh && this.#answers.ready(node, fresh);
      if (answered === undefined) others.push({ node, fresh });
      else ready.push(answered);
    });
    return { ready, others };
  }

  /** Requests to all nodes without fresh data are under way, or wait for a slot, when it resolves. */
  async #ask(others: readonly OtherNode[], wait: ResponseWait): Promise<readonly AskedNode[]> {
    const { cache } = this.#options;
    // Fresh data is no response: how long the others are waited for must not depend on what is derived already.
    const names = others.flatMap(({ node, fresh }) => (fresh === undefined ? [node.name] : []));
    const hanging = new Set(names.filter((name) => cache.lastFailure(name)?.reason === 'timeout'));
    const awaited = names.filter((name) => !hanging.has(name));
    wait.start(new Map(awaited.map((name) => [name, cache.lastDurationMs(name)])));
    const asked: AskedNode[] = [];
    await this.#lane.each(others, ({ node, fresh }) => {
      if (hanging.has(node.name)) void cache.refresh(node);
      const lookup = fresh ? Promise.resolve(fresh) : cache.get(node, wait.signalFor(asked.length));
      void lookup.then(() => {
        wait.responded(node.name);
      });
      asked.push({ node, lookup });
    });
    return asked;
  }

  /**
   * As if in one step: a pod that moved or was deleted while other nodes were waited for must not count where it was. What
   * has changed since its turn is derived again.
   */
  async #scraped(answered: readonly AnsweredNode[]): Promise<readonly ScrapedNode[]> {
    const { nodes, clock } = this.#options;
    const now = ({ node, lookup, record, lookedUpAtMs }: AnsweredNode): ScrapedNode =>
      record.scraped(node, lookup, clock.monotonicMs() - lookedUpAtMs);
    const unlistedNamespaces = nodes.unlistedNamespaces();
    const scraped: ScrapedNode[] = [];
    await this.#lane.each(answered, (node) => scraped.push(now(node)));
    const areSameListed = nodes.unlistedNamespaces() === unlistedNamespaces;
    return answered.map((known, index) => {
      const before = scraped[index];
      const isSame = before !== undefined && areSameListed && known.record.isPrepared(known.node, known.lookup);
      return isSame ? before : now(known);
    });
  }

  async #collectWorkloads(
    scraped: readonly ScrapedNode[],
    gone: readonly GoneNode[],
    recordsFailures: boolean,
  ): Promise<WorkloadsOfScrape> {
    const parts = [
      ...scraped.map(({ state: { nodeName, state, workloads } }) => {
        return { nodeName, hasData: state !== 'absent', isInCluster: true, workloads };
      }),
      ...gone.map(({ objects: { nodeName }, coverage: { workloads } }) => {
        return { nodeName, hasData: false, isInCluster: false, workloads };
      }),
    ];
    const coverages = [...scraped.map(({ state }) => state), ...gone.map(({ coverage }) => coverage)];
    const workloads = await this.#options.workloads.collect(parts, recordsFailures);
    const keys = new Set(workloads.map(({ workload }) => workloadKey(workload)));
    const young = coverages.flatMap(({ youngWorkloads }) => youngWorkloads);
    const youngWorkloads = young.filter((workload) => {
      const sizeBefore = keys.size;
      return keys.add(workloadKey(workload)).size > sizeBefore;
    });
    for (const { endedWorkloads } of coverages) for (const ended of endedWorkloads) keys.add(workloadKey(ended));
    return { workloads, youngWorkloads, keys };
  }
}

interface LookedUp {
  readonly ready: readonly AnsweredNode[];
  readonly others: readonly OtherNode[];
}

interface OtherNode {
  readonly node: Node;
  readonly fresh: FoundLookup | undefined;
}

interface WorkloadsOfScrape {
  readonly workloads: readonly WorkloadSnapshot[];
  /** Workloads all of whose pods are in no sum yet. */
  readonly youngWorkloads: readonly Workload[];
  /** Of all workloads in use, also those whose pods have ended. */
  readonly keys: ReadonlySet<string>;
}

/** None of a node on which no eviction is near. */
function nearOf({ node, lookup, record }: AnsweredNode): readonly NearNode[] {
  const timeMs = lookup.state === 'absent' ? undefined : record.snapshot?.evictionMs;
  return timeMs === undefined ? [] : [{ nodeName: node.name, timeMs }];
}

const byNode = byName<AnsweredNode>(({ node }) => node.name);
const byNodeName = byName<NodeState | NodeObjects>(({ nodeName }) => nodeName);

function missingState(nodeName: string): NodeState {
  return { state: 'absent', reason: 'no_node', nodeName, node: undefined, ...noCoverage };
}

function skippedState(node: Node): NodeState {
  return { state: 'absent', reason: 'skipped', nodeName: node.name, node, ...noCoverage };
}
