import { type Clock, instantOf } from '../base/clock.js';
import type { LogFields, Logger } from '../base/logger.js';
import type { Scheduler } from '../base/scheduler.js';
import type { Config } from '../config/schema.js';
import { configHash, formatConfig } from '../config/settings.js';
import { Exposition } from '../exposition/exposition.js';
import { patternsWithoutFamily } from '../exposition/families.js';
import { noFilter } from '../exposition/selection.js';
import type { EvictionLog } from '../history/eviction-log.js';
import type { Node } from '../kube/objects.js';
import { type Scope, scopeText } from '../kube/scope.js';
import { formatSelector } from '../kube/selector.js';
import { contradictorySelectors } from '../kube/virtual-node.js';
import { NodeFaults } from '../node/node-faults.js';
import type { NodeMemory } from '../node/node-memory.js';
import type { StatusSettings } from '../status/status-source.js';
import type { SeriesCapReport } from '../telemetry/scrape-reports.js';
import type { SelfMetrics } from '../telemetry/self-metrics.js';
import type { AgentSlot } from './agent-slot.js';
import type { ClusterSource } from './cluster-source.js';
import { type Collection, createCollection } from './collection.js';

/** One set of settings, and what lives as long as they are in force. Replaced as a whole. */
export interface ActiveSettings {
  readonly config: Config;
  readonly scope: Scope;
  /** Lives longer: until a setting changes that it is made from. */
  readonly source: ClusterSource;
  readonly collection: Collection;
  readonly exposition: Exposition;
  /** Made once: the text of thousands of workloads takes long. */
  readonly statusSettings: StatusSettings;
}

export interface ActivationOptions {
  readonly config: Config;
  readonly scope: Scope;
  readonly source: ClusterSource;
  /** The source in use so far. */
  readonly former?: ClusterSource;
  readonly memories: Map<string, NodeMemory>;
  readonly evictions: EvictionLog;
  readonly agent: AgentSlot;
  readonly metrics: SelfMetrics;
  readonly seriesCapReport: SeriesCapReport;
  /** The address of the API server. */
  readonly server: URL;
  readonly scheduler: Scheduler;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Builds what depends on the settings, and puts them into the metrics and the log. */
export function activate(options: ActivationOptions): ActiveSettings {
  const { config, scope, source, former, evictions, memories, metrics, seriesCapReport, scheduler, clock, logger } =
    options;
  const { store, cache } = source;
  if (source !== former) source.activate();
  const faults = new NodeFaults(logger);
  const active = {
    config,
    scope,
    source,
    collection: createCollection({
      config,
      onlyNode: scope.nodeName,
      store,
      cache,
      evictions,
      faults,
      memories,
      nodesSeenAtMs: () => store.lists.nodesSeenAtMs,
      onNearNodes: (nodeNames) => {
        source.setNearNodes(nodeNames);
      },
      scheduler,
      clock,
    }),
    exposition: new Exposition({
      settings: config.metrics,
      selfMetrics: metrics,
      observer: seriesCapReport,
      faults,
      lane: scheduler.newLane(),
      clock,
    }),
    statusSettings: statusSettings(options),
  };
  evictions.configure(config.evictions);
  options.agent.configure(config);
  metrics.show({ source, scope });
  metrics.settingsLoaded(configHash(config), instantOf(clock));
  metrics.show({ isKubeletTlsUnverified: isKubeletTlsUnverified(config) });
  for (const [text, fields] of settingWarnings(config)) logger.warn(text, fields);
  return active;
}

interface SummarySource {
  readonly cache: Pick<ClusterSource['cache'], 'peek'>;
}

/**
 * Derives and renders the fresh data of a node before the scrape that will serve it; nothing when scrapes read another
 * source.
 */
export async function prepareNode(
  active: {
    readonly source: SummarySource;
    readonly collection: { readonly collector: Pick<Collection['collector'], 'arrived'> };
    readonly exposition: Pick<Exposition, 'prepareNode'>;
  },
  node: Node,
  source: SummarySource,
  signal: AbortSignal,
): Promise<void> {
  const lookup = source === active.source ? source.cache.peek(node) : undefined;
  if (lookup === undefined) return;
  await active.collection.collector.arrived(node, lookup, (view, derived) => {
    if (!signal.aborted) active.exposition.prepareNode(view, derived, noFilter);
  });
}

/** What is allowed but hardly meant, each with what it is about. */
export function settingWarnings(config: Config): readonly (readonly [text: string, fields: LogFields])[] {
  const patterns = patternsWithoutFamily(config.metrics);
  const selectors = contradictorySelectors(config.cluster.skipNodes);
  return [
    ...patterns.map((pattern) => ['pattern matches no metric family (patterns are anchored)', { pattern }] as const),
    ...selectors.map((selector) => [contradictoryText, { selector }] as const),
    ...(isKubeletTlsUnverified(config) ? [[unverifiedText, {}] as const] : []),
  ];
}

const contradictoryText =
  'no node is of two kinds: separate selectors of cluster.skipNodes with ";" in text, or as a list';
const unverifiedText =
  'kubelet TLS verification is disabled: a machine in the middle can read the token; set kubelet.tls.caFile';

function isKubeletTlsUnverified({ kubelet: { access, tls } }: Config): boolean {
  return access === 'direct' && tls.insecureSkipVerify;
}

function statusSettings({ config, scope, server }: ActivationOptions): StatusSettings {
  const { namespaces, nodeSelector, podSelector } = config.cluster;
  return {
    clusterName: config.web.clusterName ?? server.host,
    links: config.web.links,
    scope: scopeText({
      ...scope,
      namespaces,
      nodeSelector: formatSelector(nodeSelector),
      podSelector: formatSelector(podSelector),
    }),
    configuration: formatConfig(config),
    config,
  };
}
