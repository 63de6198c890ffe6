import type { Clock } from './base/clock.js';
import type { Config } from './config/schema.js';
import { Collector, type ConfigReader, type NodeLister, type SummaryCache } from './scrape/collector.js';
import { DanglingPods } from './scrape/dangling-pods.js';
import { NodeCoverages } from './scrape/node-coverage.js';
import { NodeSnapshots, type PodLister, type ThresholdLister } from './scrape/node-snapshots.js';
import { TopPods } from './scrape/top-pods.js';
import { WorkloadCollector } from './scrape/workload-collector.js';
import { WorkloadBackoff } from './workload/backoff.js';
import { IdentityResolver } from './workload/identity.js';

/** How long a pod may run before its node's summary must have it. */
export const podGraceMs = 60_000;

export interface CollectionOptions {
  readonly config: Config;
  /** The only node that is measured; undefined when it is not one alone. */
  readonly onlyNode?: string | undefined;
  readonly store: NodeLister & PodLister;
  readonly cache: SummaryCache;
  /** Without it configurations of kubelets are not read. */
  readonly configs?: (ConfigReader & ThresholdLister) | undefined;
  /** Those of the collection before this one, whose grace periods go on; without them new ones. */
  readonly danglingPods?: DanglingPods;
  readonly clock: Clock;
  /** Every pod has detail series, whatever its identities and `metrics.top`; without it all have when no identity is asked for. */
  readonly showsAllPods?: boolean;
}

export interface Collection {
  readonly danglingPods: DanglingPods;
  readonly collector: Pick<Collector, 'collect'>;
  /** The same with all pods that have detail series, whatever `metrics.top`. */
  readonly wholeCollector: Pick<Collector, 'collect'>;
  readonly identities: IdentityResolver;
}

/** Whether pods are asked for by identity; then those that belong to none have no detail series. */
export function hasIdentities({ identity }: Config): boolean {
  return identity.workloads.length > 0 || identity.labels.length > 0 || identity.controllers;
}

/** Everything between the sources and the exposition, for one set of settings. */
export function createCollection(options: CollectionOptions): Collection {
  const { config, store, cache, configs, clock } = options;
  const { danglingPods = new DanglingPods({ clock, graceMs: podGraceMs }) } = options;
  const { cluster, identity, attribution, enforcement } = config;
  const identities = new IdentityResolver(identity);
  const collector = new Collector({
    nodes: store,
    policy: { nodeSelector: cluster.nodeSelector, skipSelectors: cluster.skipNodes, onlyNode: options.onlyNode },
    cache,
    configs,
    snapshots: new NodeSnapshots({
      pods: store,
      configs,
      identities,
      attribution,
      scope: { namespaces: cluster.namespaces, hasPodSelector: cluster.podSelector.length > 0 },
      showsAllPods: options.showsAllPods ?? !hasIdentities(config),
      enforcesSidecars: enforcement.sidecars,
    }),
    danglingPods,
    coverages: new NodeCoverages({ pods: store, identities, clock, graceMs: podGraceMs }),
    identities,
    workloads: new WorkloadCollector({
      backoff: new WorkloadBackoff({ clock, maxBackoffMs: config.cache.maxBackoffMs }),
      onMissingNode: identity.onMissingNode,
      // Exporters of one node each would all serve all of them: only those with pods on the node.
      configured: options.onlyNode === undefined ? identities.configured() : [],
      clock,
    }),
    clock,
  });
  const count = options.showsAllPods === true ? undefined : config.metrics.top;
  return {
    danglingPods,
    collector: count === undefined ? collector : new TopPods({ source: collector, count, clock }),
    wholeCollector: collector,
    identities,
  };
}
