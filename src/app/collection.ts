import type { Clock } from '../base/clock.js';
import { silentLogger } from '../base/logger.js';
import type { Scheduler } from '../base/scheduler.js';
import type { Config } from '../config/schema.js';
import type { PodScope } from '../node/join.js';
import { podGraceMs } from '../node/node-coverage.js';
import { NodeFaults } from '../node/node-faults.js';
import type { NodeMemory } from '../node/node-memory.js';
import type { PodLister } from '../node/node-snapshot.js';
import type { NodeTrackerOptions } from '../node/node-tracker.js';
import { NodeTrackers } from '../node/node-trackers.js';
import { podContexts } from '../node/pod-record.js';
import { Collector, type CollectorOptions, type NodeLister } from '../scrape/collector.js';
import type { SummaryCache } from '../scrape/node-lookups.js';
import { WorkloadBackoff } from '../workload/workload-backoff.js';
import { WorkloadCollector } from '../workload/workload-collector.js';
import { WorkloadResolver } from '../workload/workload-resolver.js';

/** More than a node has as a rule: pods that started or ended since the last change of the API server arrived. */
const maxUnknownPods = 20;

export interface CollectionOptions {
  readonly config: Config;
  /** The only node that is measured; undefined when it is not one alone. */
  readonly onlyNode?: string | undefined;
  readonly store: NodeLister & PodLister;
  readonly cache: SummaryCache;
  readonly evictions: CollectorOptions['evictions'];
  /** See {@link NodeTrackerOptions}. Default: never. */
  readonly nodesSeenAtMs?: NodeTrackerOptions['nodesSeenAtMs'];
  /** Of earlier settings too: the grace periods of pods continue. Default: none. */
  readonly memories?: Map<string, NodeMemory>;
  /** See {@link CollectorOptions}. Default: nothing. */
  readonly onNearNodes?: CollectorOptions['onNearNodes'];
  readonly scheduler: Scheduler;
  readonly clock: Clock;
  /** Every pod has detail series, whatever its workloads, and known or not. Without it, all have when no workloads are configured. */
  readonly showsAllPods?: boolean;
  /** Default: not logged. */
  readonly faults?: NodeFaults;
}

export interface Collection {
  readonly trackers: NodeTrackers;
  readonly collector: Pick<Collector, 'arrived' | 'collect'>;
  readonly resolver: WorkloadResolver;
}

/** Whether workloads are configured in any way; then pods that belong to none have no detail series. */
export function hasWorkloads({ workloads }: Config): boolean {
  return workloads.selectors.length > 0 || workloads.labels.length > 0 || workloads.controllers;
}

/** The pods that the API server is asked for. */
export function podScope({ cluster }: Config): PodScope {
  return { namespaces: cluster.namespaces, hasPodSelector: cluster.podSelector.length > 0 };
}

/** Everything between the source and the exposition, for one set of settings. */
export function createCollection(options: CollectionOptions): Collection {
  const { config, store, cache, evictions, scheduler, clock } = options;
  const { cluster, workloads, attribution } = config;
  const lane = scheduler.newLane();
  const resolver = new WorkloadResolver(workloads);
  const showsAllPods = options.showsAllPods ?? !hasWorkloads(config);
  const trackers = new NodeTrackers({
    pods: store,
    resolver,
    contextOf: podContexts(attribution),
    scope: podScope(config),
    showsAllPods,
    maxUnknownPods: options.showsAllPods === true ? Infinity : maxUnknownPods,
    growth: (nodeName) => cache.growth(nodeName),
    ttlMs: config.cache.ttlMs,
    clock,
    nodesSeenAtMs: options.nodesSeenAtMs,
    graceMs: podGraceMs,
    faults: options.faults ?? new NodeFaults(silentLogger),
    memories: options.memories ?? new Map<string, NodeMemory>(),
  });
  const collector = new Collector({
    nodes: store,
    policy: { nodeSelector: cluster.nodeSelector, skipSelectors: cluster.skipNodes, onlyNode: options.onlyNode },
    cache,
    trackers,
    resolver,
    evictions,
    showsAllPods,
    ttlMs: config.cache.ttlMs,
    workloads: new WorkloadCollector({
      backoff: new WorkloadBackoff({ clock, maxBackoffMs: config.cache.maxBackoffMs }),
      pods: store,
      resolver,
      // Exporters of one node each would all serve all of them: only those with pods on the node.
      configured: options.onlyNode === undefined ? resolver.configured() : [],
      lane,
    }),
    lane,
    onNearNodes: options.onNearNodes ?? (() => undefined),
    scheduler,
    clock,
  });
  return { trackers, collector, resolver };
}
