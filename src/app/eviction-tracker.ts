import { Memo } from '../base/memo.js';
import type { Config } from '../config/schema.js';
import type { EvictionLog, PodChange } from '../history/eviction-log.js';
import { type EvictionReport, evictionReport } from '../report/eviction-report.js';
import type { ActiveSettings } from './active-settings.js';
import type { ClusterSource } from './cluster-source.js';
import { isRecordInScope, recordPodChange } from './eviction-recorder.js';

type MeasuringSettings = Pick<ActiveSettings, 'config' | 'scope' | 'source' | 'collection'>;

export interface EvictionTrackerOptions {
  readonly log: EvictionLog;
  /** The settings in force. */
  readonly active: () => MeasuringSettings;
}

/** Fills the log of evictions from the sources, and keeps it to the scope of the settings in force. */
export class EvictionTracker {
  readonly log: EvictionLog;
  readonly #active: () => MeasuringSettings;
  readonly #reports = new Memo<readonly EvictionReport[]>();
  #isReloading = false;

  constructor({ log, active }: EvictionTrackerOptions) {
    this.log = log;
    this.#active = active;
  }

  /** All that are known, the newest first; the same array until it changes. */
  reports(): readonly EvictionReport[] {
    const { records } = this.log;
    return this.#reports.of([records], () => records.map(evictionReport));
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

  /** Forgets what is out of scope: of former settings, of settings that were not applied, of nodes that were not known. */
  retain(): void {
    if (this.#isReloading) return;
    const { config, scope, source } = this.#active();
    this.log.retain((record) => isRecordInScope(record, { config, scope, nodes: source.store }));
  }
}
