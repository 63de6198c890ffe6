import type { Pod } from '../../cluster/kube/objects.js';
import { identityOf } from '../../cluster/kube/pod-identity.js';
import { isInScope } from '../../cluster/kube/scope.js';
import { matchesSelector } from '../../cluster/kube/selector.js';
import { servedMs } from '../../cluster/kubelet/lookup.js';
import type { EvictionLog, PodChange } from '../../facts/history/eviction-log.js';
import { currentMs, type EvictionRecord } from '../../facts/history/eviction-record.js';
import type { EvictionContext } from '../../facts/history/last-usage.js';
import { nodeLayout } from '../../facts/node/node-layout.js';
import { Memo } from '../../lib/base/memo.js';
import { type EvictionReport, evictionReport, evictionReports } from '../../people/report/eviction-report.js';
import type { Core } from './core.js';

type MeasuringCore = Pick<Core, 'config' | 'scope' | 'place' | 'trackers' | 'resolver'>;

/** Fills the log of evictions, and keeps it to the scope of the core in force. */
export class EvictionTracker {
  readonly log: EvictionLog;
  readonly #active: () => MeasuringCore;
  readonly #reports = new Memo<readonly EvictionReport[]>();
  readonly #reportOf = new WeakMap<
    EvictionRecord,
    { readonly most: EvictionRecord; readonly report: EvictionReport }
  >();
  #isReloading = false;

  /** `active`: the core in force. */
  constructor(log: EvictionLog, active: () => MeasuringCore) {
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

  /** Passes a change in the place of a core to the log. While new settings wait for their first lists, two report changes. */
  podChanged(change: PodChange, core: MeasuringCore): void {
    const { nodeName = '', eviction } = change.object;
    if (eviction === undefined || !isNodeSelected(nodeName, core)) return;
    this.log.podChanged(change, (pod) => contextOf(pod, core, this.#active()));
  }

  /** Nothing is forgotten before the reload ends: the new core has listed evictions of the new scope by then. */
  async duringReload(reload: () => Promise<void>): Promise<void> {
    this.#isReloading = true;
    try {
      await reload();
    } finally {
      this.#isReloading = false;
      this.retain();
    }
  }

  /** Forgets what is out of scope: of former settings, of settings that were not applied, of nodes that were not known. */
  retain(): void {
    if (this.#isReloading) return;
    const core = this.#active();
    this.log.retain((record) => isRecordInScope(record, core));
  }
}

/** `active`: the core that has measured the pod's node. */
function contextOf(pod: Pod, { config, place }: MeasuringCore, active: MeasuringCore): EvictionContext {
  const { nodeName = '' } = pod;
  const history = place.cache.history(nodeName);
  const { summary } = history ?? {};
  return {
    node: place.store.findNode(nodeName),
    layout: active.trackers.layout(nodeName) ?? (summary && nodeLayout(summary)),
    measurement: history?.find(identityOf(pod)),
    snapshot: active.trackers.snapshot(nodeName),
    maxAgeMs: Math.max(currentMs, servedMs(config.cache.ttlMs)),
    samplesOf: (of) => history?.find(of)?.samples ?? [],
    workloads: active.resolver.workloadsOf(pod),
    attribution: config.attribution,
  };
}

/** Whether the pod of a record would be measured. */
function isRecordInScope(record: EvictionRecord, core: MeasuringCore): boolean {
  const { namespaces, podSelector } = core.config.cluster;
  return (
    isInScope(core.scope, record.node) &&
    (namespaces.length === 0 || namespaces.includes(record.namespace)) &&
    matchesSelector(podSelector, record.labels) &&
    isNodeSelected(record.node, core)
  );
}

function isNodeSelected(name: string, { config, place: { store } }: MeasuringCore): boolean {
  const node = store.findNode(name);
  return node === undefined ? store.mayBeGone(name) : matchesSelector(config.cluster.nodeSelector, node.labels);
}
