import { Memo } from '../base/memo.js';
import type { Config } from '../config/schema.js';
import type { EvictionLog, PodChange } from '../history/eviction-log.js';
import type { EvictionRecord } from '../history/eviction-record.js';
import { currentMs, type EvictionContext } from '../history/last-usage.js';
import type { Node, Pod } from '../kube/objects.js';
import { identityOf } from '../kube/pod-identity.js';
import { isInScope, type Scope } from '../kube/scope.js';
import { matchesSelector } from '../kube/selector.js';
import type { KubeletCache } from '../kubelet/kubelet-cache.js';
import { nodeLayout } from '../node/node-layout.js';
import { type EvictionReport, evictionReport, evictionReports } from '../report/eviction-report.js';
import type { ActiveSettings } from './active-settings.js';
import type { ClusterSource } from './cluster-source.js';
import type { Collection } from './collection.js';

type MeasuringSettings = Pick<ActiveSettings, 'config' | 'scope' | 'source' | 'collection'>;

/** Fills the log of evictions from the sources, and keeps it to the scope of the settings in force. */
export class EvictionTracker {
  readonly log: EvictionLog;
  readonly #active: () => MeasuringSettings;
  readonly #reports = new Memo<readonly EvictionReport[]>();
  readonly #reportOf = new WeakMap<
    EvictionRecord,
    { readonly most: EvictionRecord; readonly report: EvictionReport }
  >();
  #isReloading = false;

  /** `active`: the settings in force. */
  constructor(log: EvictionLog, active: () => MeasuringSettings) {
    this.log = log;
    this.#active = active;
  }

  /** All that are known, the newest first; the same array until it changes. */
  reports(): readonly EvictionReport[] {
    const { records } = this.log;
    return this.#reports.of([records], () => evictionReports(records, (...of) => this.#report(...of)));
  }

  /** The same as long as no pod of its workload needs more: an eviction more does not make a thousand texts again. */
  #report(record: EvictionRecord, earlier: readonly EvictionReport[], most: EvictionRecord): EvictionReport {
    const known = this.#reportOf.get(record);
    const report = known?.most === most ? known.report : evictionReport(record, earlier, most);
    this.#reportOf.set(record, { most, report });
    return report;
  }

  /**
   * `cluster`: the settings of the source. While a new source syncs, both report changes, of their own scopes.
   */
  podChanged(change: PodChange, { store, cache }: ClusterSource, { cluster }: Config): void {
    const { config, collection } = this.#active();
    recordPodChange(change, {
      log: this.log,
      config: { ...config, cluster },
      collection,
      nodes: store,
      cache,
    });
  }

  /** Nothing is forgotten before the reload ends: the new source has listed evictions of the new scope by then. */
  async duringReload(reload: () => Promise<void>): Promise<void> {
    this.#isReloading = true;
    try {
      await reload();
    } finally {
      this.#isReloading = false;
      this.retain();
    }
  }

  /** What was read from the file may be of other settings. Which nodes are selected shows only when they are listed. */
  async retainAtStart(lists: Pick<ClusterSource['store']['lists'], 'listedNodes'>): Promise<void> {
    this.retain();
    await lists.listedNodes();
    this.retain();
  }

  /** Forgets what is out of scope: of former settings, of settings that were not applied, of nodes that were not known. */
  retain(): void {
    if (this.#isReloading) return;
    const { config, scope, source } = this.#active();
    this.log.retain((record) => isRecordInScope(record, { config, scope, nodes: source.store }));
  }
}

interface EvictionRecorderOptions {
  readonly log: EvictionLog;
  readonly config: Config;
  readonly collection: Pick<Collection, 'trackers' | 'resolver'>;
  readonly nodes: {
    findNode(name: string): Node | undefined;
    /** Whether a node that is not known may have been in scope before it left the cluster. */
    mayBeGone(name: string): boolean;
  };
  readonly cache: Pick<KubeletCache, 'history'>;
}

/** Passes a change of a pod to the log, with what is known of its node and its last values. */
export function recordPodChange(change: PodChange, options: EvictionRecorderOptions): void {
  const { log, config, nodes } = options;
  const { nodeName = '', eviction } = change.object;
  if (eviction === undefined || !isNodeSelected(nodeName, nodes, config)) return;
  log.podChanged(change, (pod) => contextOf(pod, options));
}

function contextOf(
  pod: Pod,
  { config, collection: { trackers, resolver }, nodes, cache }: EvictionRecorderOptions,
): EvictionContext {
  const { nodeName = '' } = pod;
  const history = cache.history(nodeName);
  const { summary } = history ?? {};
  return {
    node: nodes.findNode(nodeName),
    layout: trackers.layout(nodeName) ?? (summary && nodeLayout(summary)),
    measurement: history?.find(identityOf(pod)),
    snapshot: trackers.snapshot(nodeName),
    maxAgeMs: Math.max(currentMs, 2 * config.cache.ttlMs),
    samplesOf: (of) => history?.find(of)?.samples ?? [],
    workloads: resolver.workloadsOf(pod),
    attribution: config.attribution,
  };
}

/** Whether the pod of a record would be measured under these settings. */
function isRecordInScope(
  record: EvictionRecord,
  { config, scope, nodes }: Pick<EvictionRecorderOptions, 'config' | 'nodes'> & { readonly scope: Scope },
): boolean {
  const { namespaces, podSelector } = config.cluster;
  return (
    isInScope(scope, record.node) &&
    (namespaces.length === 0 || namespaces.includes(record.namespace)) &&
    matchesSelector(podSelector, record.labels) &&
    isNodeSelected(record.node, nodes, config)
  );
}

function isNodeSelected(name: string, nodes: EvictionRecorderOptions['nodes'], { cluster }: Config): boolean {
  const node = nodes.findNode(name);
  return node === undefined ? nodes.mayBeGone(name) : matchesSelector(cluster.nodeSelector, node.labels);
}
