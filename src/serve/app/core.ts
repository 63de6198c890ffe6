import type { Node, Pod } from '../../cluster/kube/objects.js';
import type { Scope } from '../../cluster/kube/scope.js';
import type { KubeletCache } from '../../cluster/kubelet/kubelet-cache.js';
import type { StoreLists } from '../../cluster/watch/store-lists.js';
import type { Config } from '../../config/schema.js';
import type { PodScope } from '../../facts/node/join.js';
import { NodeFaults } from '../../facts/node/node-faults.js';
import type { NodeMemory } from '../../facts/node/node-memory.js';
import type { PodLister } from '../../facts/node/node-snapshot.js';
import { NodeTrackers } from '../../facts/node/node-trackers.js';
import { podContexts } from '../../facts/node/pod-record.js';
import { Collector, type NodeLister } from '../../facts/scrape/collector.js';
import type { SummaryCache } from '../../facts/scrape/node-lookups.js';
import { WorkloadBackoff } from '../../facts/workload/workload-backoff.js';
import { WorkloadCollector } from '../../facts/workload/workload-collector.js';
import { WorkloadResolver } from '../../facts/workload/workload-resolver.js';
import type { Clock } from '../../lib/base/clock.js';
import { type Logger, silentLogger } from '../../lib/base/logger.js';
import type { Scheduler } from '../../lib/base/scheduler.js';
import { Exposition, type ExpositionOptions } from '../../metrics/exposition/exposition.js';

/** More than a node has as a rule: pods that started or ended since the last change of the API server arrived. */
const maxUnknownPods = 20;

/** What a core reads: a cluster, or recordings of one. */
export interface CorePlace {
  readonly store: NodeLister &
    PodLister & {
      readonly lists: Pick<StoreLists, 'nodesSeenAtMs' | 'isServerAway'>;
      pods(): Iterable<Pod>;
      findNode(name: string): Node | undefined;
      /** Whether a node that is not known may have been in scope before it left the cluster. */
      mayBeGone(name: string): boolean;
    };
  readonly cache: Omit<SummaryCache, 'lastFailure'> & Pick<KubeletCache, 'lastFailure' | 'lastSummary' | 'history'>;
  /** Told of the nodes that may soon evict a pod. */
  setNearNodes(nodeNames: ReadonlySet<string>): void;
}

export interface CoreOptions<P extends CorePlace> extends Pick<ExpositionOptions, 'selfMetrics' | 'observer'> {
  readonly config: Config;
  readonly scope: Scope;
  readonly place: P;
  readonly evictions: ConstructorParameters<typeof Collector>[0]['evictions'];
  /** Of earlier cores too: the grace periods of pods continue. Default: none. */
  readonly memories?: Map<string, NodeMemory>;
  readonly scheduler: Scheduler;
  readonly clock: Clock;
  /** Default: silent. */
  readonly logger?: Logger;
  /** Every pod has detail series, whatever its workloads, and known or not. Without it, all have when no workloads are configured. */
  readonly showsAll?: boolean;
}

/** Whether workloads are configured in any way; then pods that belong to none have no detail series. */
export function hasWorkloads({ workloads }: Config): boolean {
  return workloads.selectors.length > 0 || workloads.labels.length > 0 || workloads.controllers;
}

/** The pods that the API server is asked for. */
export function podScope({ cluster }: Config): PodScope {
  return { namespaces: cluster.namespaces, hasPodSelector: cluster.podSelector.length > 0 };
}

/** All that follows from one set of settings and from what it reads. Replaced when settings change; nothing else puts it together. */
export class Core<P extends CorePlace = CorePlace> {
  readonly config: Config;
  readonly scope: Scope;
  readonly place: P;
  readonly scheduler: Scheduler;
  readonly clock: Clock;
  readonly resolver: WorkloadResolver;
  readonly trackers: NodeTrackers;
  readonly collector: Collector;
  readonly exposition: Exposition;

  constructor(options: CoreOptions<P>) {
    const { config, scope, place, scheduler, clock, logger = silentLogger } = options;
    this.config = config;
    this.scope = scope;
    this.place = place;
    this.scheduler = scheduler;
    this.clock = clock;
    this.resolver = new WorkloadResolver(config.workloads);
    const faults = new NodeFaults(logger);
    this.trackers = this.#createTrackers(options, faults);
    this.collector = this.#createCollector(options);
    this.exposition = new Exposition({ ...options, settings: config.metrics, faults, lane: scheduler.newLane() });
  }

  #createTrackers({ config, place, clock, ...options }: CoreOptions<P>, faults: NodeFaults): NodeTrackers {
    const { store, cache } = place;
    return new NodeTrackers({
      pods: store,
      resolver: this.resolver,
      contextOf: podContexts(config.attribution),
      scope: podScope(config),
      showsAllPods: options.showsAll === true || !hasWorkloads(config),
      maxUnknownPods: options.showsAll === true ? Infinity : maxUnknownPods,
      growth: (nodeName) => cache.growth(nodeName),
      ttlMs: config.cache.ttlMs,
      clock,
      nodesSeenAtMs: () => store.lists.nodesSeenAtMs,
      faults,
      memories: options.memories ?? new Map<string, NodeMemory>(),
    });
  }

  #createCollector(options: CoreOptions<P>): Collector {
    const { config, scope, place, scheduler, clock } = options;
    const { store } = place;
    const { nodeName: onlyNode } = scope;
    const { trackers, resolver } = this;
    const { ttlMs, maxBackoffMs } = config.cache;
    const lane = scheduler.newLane();
    return new Collector({
      ...{ trackers, resolver, lane, requests: scheduler.requests, clock, ttlMs, evictions: options.evictions },
      nodes: store,
      policy: { nodeSelector: config.cluster.nodeSelector, skipSelectors: config.cluster.skipNodes, onlyNode },
      cache: place.cache,
      showsAllPods: options.showsAll === true || !hasWorkloads(config),
      workloads: new WorkloadCollector({
        backoff: new WorkloadBackoff({ clock, maxBackoffMs }),
        pods: store,
        resolver,
        // Exporters of one node each would all serve all of them: only those with pods on the node.
        configured: onlyNode === undefined ? resolver.configured : [],
        lane,
      }),
      onNearNodes: (nodeNames) => {
        place.setNearNodes(nodeNames);
      },
    });
  }
}
