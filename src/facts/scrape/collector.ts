import type { Node } from '../../cluster/kube/objects.js';
import type { Clock } from '../../lib/base/clock.js';
import type { Lane } from '../../lib/base/lane.js';
import { distinct } from '../../lib/base/maps.js';
import { byName } from '../../lib/base/ranking.js';
import type { EvictionSnapshot, EvictionSnapshotOptions } from '../history/eviction-snapshot.js';
import { nearestNodes } from '../node/near-evictions.js';
import type { PodLister } from '../node/node-snapshot.js';
import type { NodeTrackers } from '../node/node-trackers.js';
import { type GoneNode, noCoverage, type NodeObjects, type NodeView } from '../node/node-view.js';
import { type Workload, workloadKey } from '../workload/workload.js';
import type { WorkloadCollector } from '../workload/workload-collector.js';
import type { WorkloadSnapshot } from '../workload/workload-partial.js';
import type { WorkloadResolver } from '../workload/workload-resolver.js';
import { type FreshenOptions, type NodeLookup, NodeLookups, type SummaryCache } from './node-lookups.js';
import { type NodePolicy, nodesInScope, scrapeOrder } from './node-policy.js';
import type { ClusterSnapshot } from './snapshot.js';

export interface NodeLister {
  /** Whether nodes and pods were listed once, or as far as they can be. */
  readonly hasSynced: boolean;
  nodes(): Iterable<Node>;
}

export interface CollectOptions extends Partial<Pick<FreshenOptions, 'only' | 'waitsForAll' | 'onView'>> {
  /** Whether workloads that fail back off; true without it. Readers that are not scrapes must not cost scrapes their data. */
  readonly recordsFailures?: boolean;
}

/** Scrapes the nodes and combines their data. */
export class Collector {
  readonly #options;
  readonly #lookups: NodeLookups;
  #scrapeNumber = 0;
  /** Of the scrape that has set the nodes that may soon evict a pod. */
  #nearSetIn = 0;
  /** By the name of a node: see {@link scrapeOrder}. */
  #lastServedIn: ReadonlyMap<string, number> = new Map();

  constructor(options: {
    readonly nodes: NodeLister & Pick<PodLister, 'boundNodeNames' | 'unlistedNamespaces'>;
    readonly policy: NodePolicy;
    readonly cache: SummaryCache;
    readonly trackers: NodeTrackers;
    readonly resolver: WorkloadResolver;
    readonly workloads: WorkloadCollector;
    readonly evictions: { snapshot(options: EvictionSnapshotOptions): EvictionSnapshot };
    /** Whether pods that belong to no workload have detail series. */
    readonly showsAllPods: boolean;
    /** How long a summary is fresh as a rule, in milliseconds. */
    readonly ttlMs: number;
    /** Called with the nodes that may soon evict a pod, after each collection. */
    readonly onNearNodes: (nodeNames: ReadonlySet<string>) => void;
    readonly lane: Lane;
    /** In which requests to kubelets begin. */
    readonly requests: Lane;
    readonly clock: Clock;
  }) {
    this.#options = options;
    this.#lookups = new NodeLookups(options);
  }

  /**
   * What the cluster uses now. When `signal` aborts, nodes that have not responded are served as the cache has them, and
   * so are stragglers (see {@link ResponseWait}); an error of a node makes that node absent. Undefined until nodes and pods were
   * listed once: sums over an unknown part of the pods would look like sums over all.
   */
  async collect(
    signal: AbortSignal,
    { recordsFailures = true, waitsForAll = false, only, onView }: CollectOptions = {},
  ): Promise<ClusterSnapshot | undefined> {
    const { nodes, policy, cache, trackers, resolver, clock } = this.#options;
    if (!nodes.hasSynced) return undefined;
    const { discoveredCount } = resolver;
    const { targets, skipped, missing } = nodesInScope(nodes.nodes(), policy);
    const names = targets.map(({ name }) => name);
    const goneNames = this.#goneNodeNames();
    trackers.retain(new Set([...names, ...goneNames, ...skipped.map(({ name }) => name)]));
    cache.retain(new Set(names));
    const scrapeNumber = this.#scrapeNumber++;
    const startMs = clock.monotonicMs();
    const order = scrapeOrder(targets, scrapeNumber, {
      lastServedIn: (nodeName) => this.#lastServedIn.get(nodeName),
      hasFailed: (nodeName) => cache.lastFailure(nodeName) !== undefined,
    });
    const lookups = [...(await this.#lookups.freshen(order, { signal, waitsForAll, only, onView }))].sort(byNode);
    this.#lastServedIn = this.#servedIn(lookups, scrapeNumber, startMs);
    const views = await this.#views(lookups);
    this.#setNearNodes(views, scrapeNumber);
    const gone = goneNames.map((name) => trackers.of({ name }).gone());
    const collected = await this.#collectWorkloads(views, gone, recordsFailures && !signal.aborted);
    const { workloads, youngWorkloads } = collected;
    resolver.retain(collected.keys, discoveredCount);
    const all = [
      ...views,
      ...skipped.map((node) => skippedView(node, trackers.of(node).skippedObjects(node))),
      ...(missing === undefined ? [] : [missingView(missing)]),
    ];
    const evictions = this.#options.evictions.snapshot({
      workloads: [...workloads.map(({ workload }) => workload), ...youngWorkloads],
      nodeNames: all.map(({ nodeName }) => nodeName),
      showsAllPods: this.#options.showsAllPods,
    });
    const unlistedNamespaces = nodes.unlistedNamespaces();
    return { nodes: all.sort(byNodeName), gone, workloads, evictions, unlistedNamespaces };
  }

  /** See {@link NodeLookups.arrived}. */
  arrived(...arrival: Parameters<NodeLookups['arrived']>): Promise<void> {
    return this.#lookups.arrived(...arrival);
  }

  /** Nodes that have left the cluster, while pods are still bound to them; in the order of their names. */
  #goneNodeNames(): readonly string[] {
    const { nodes } = this.#options;
    const existing = new Set(Array.from(nodes.nodes(), ({ name }) => name));
    return [...nodes.boundNodeNames()].filter((name) => !existing.has(name)).sort();
  }

  /**
   * A node with fresh data was served, and so was one that did not respond while it was waited for at least half of the time.
   * `startMs`: of this scrape.
   */
  #servedIn(lookups: readonly NodeLookup[], scrapeNumber: number, startMs: number): ReadonlyMap<string, number> {
    const { cache, clock } = this.#options;
    const leastWaitMs = Math.max(1, (clock.monotonicMs() - startMs) / 2);
    const served = new Map<string, number>();
    for (const { node, lookup } of lookups) {
      const wasServed = lookup.state === 'fresh' || cache.inFlightMs(node.name) >= leastWaitMs;
      served.set(node.name, wasServed ? scrapeNumber : (this.#lastServedIn.get(node.name) ?? -1));
    }
    return served;
  }

  /** Of overlapping collections, the one that began last decides. */
  #setNearNodes(views: readonly NodeView[], scrapeNumber: number): void {
    if (scrapeNumber < this.#nearSetIn) return;
    this.#nearSetIn = scrapeNumber;
    const near = new Map<string, number>();
    for (const view of views) {
      const timeMs = view.state === 'absent' ? undefined : view.snapshot.evictionMs;
      if (timeMs !== undefined) near.set(view.nodeName, timeMs);
    }
    this.#options.onNearNodes(nearestNodes(near, views.length));
  }

  /**
   * As if in one step: a pod that moved or was deleted while other nodes were waited for must not count where it was. What
   * has changed since a node was looked up is derived again.
   */
  async #views(lookups: readonly NodeLookup[]): Promise<readonly NodeView[]> {
    const { trackers, lane } = this.#options;
    const now = ({ node, lookup }: NodeLookup): NodeView => trackers.of(node).view(node, lookup);
    const views: NodeView[] = [];
    await lane.each(lookups, (each) => views.push(now(each)));
    return lookups.map((each, index) => {
      const before = views[index];
      const isSame = trackers.of(each.node).isCurrent(each.node, each.lookup);
      return before !== undefined && isSame ? before : now(each);
    });
  }

  async #collectWorkloads(
    views: readonly NodeView[],
    gone: readonly GoneNode[],
    recordsFailures: boolean,
  ): Promise<{
    readonly workloads: readonly WorkloadSnapshot[];
    /** Workloads all of whose pods are in no sum yet. */
    readonly youngWorkloads: readonly Workload[];
    /** Of all workloads that have pods. */
    readonly keys: ReadonlySet<string>;
  }> {
    const parts = [
      ...views.map(({ nodeName, state, workloads }) => {
        return { nodeName, hasData: state !== 'absent', isInCluster: true, workloads };
      }),
      ...gone.map(({ objects: { nodeName }, workloads }) => {
        return { nodeName, hasData: false, isInCluster: false, workloads };
      }),
    ];
    const coverages = [...views, ...gone];
    const workloads = await this.#options.workloads.collect(parts, recordsFailures);
    const keys = new Set(workloads.map(({ workload }) => workloadKey(workload)));
    const ofYoung = coverages.flatMap(({ young }) => young).flatMap((of) => of.workloads);
    const youngWorkloads = distinct(
      ofYoung.filter((workload) => !keys.has(workloadKey(workload))),
      workloadKey,
    );
    const ended = coverages.flatMap(({ endedWorkloads }) => endedWorkloads);
    for (const workload of [...youngWorkloads, ...ended]) keys.add(workloadKey(workload));
    return { workloads, youngWorkloads, keys };
  }
}

const byNode = byName<NodeLookup>(({ node }) => node.name);
const byNodeName = byName<NodeView>(({ nodeName }) => nodeName);

function missingView(nodeName: string): NodeView {
  return { state: 'absent', reason: 'no_node', nodeName, node: undefined, objects: undefined, ...noCoverage };
}

function skippedView(node: Node, objects: NodeObjects): NodeView {
  return { state: 'absent', reason: 'skipped', nodeName: node.name, node, objects, ...noCoverage };
}
