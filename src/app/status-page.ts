import type { Clock } from '../base/clock.js';
import type { Scheduler } from '../base/scheduler.js';
import type { Config } from '../config/schema.js';
import type { EvictionFile } from '../history/eviction-file.js';
import { noSnapshot } from '../query/cluster-reading.js';
import { KnownSnapshots } from '../query/snapshot-pods.js';
import { clusterReport } from '../report/cluster-report.js';
import { healthReport } from '../report/health-report.js';
import type { ClusterSnapshot } from '../scrape/snapshot.js';
import { StatusHandler } from '../server/status-handler.js';
import { type StatusInputs, StatusSource } from '../status/status-source.js';
import type { SeriesCapReport } from '../telemetry/scrape-reports.js';
import type { SelfMetrics } from '../telemetry/self-metrics.js';
import { readHomepage } from '../version.js';
import type { ActiveSettings } from './active-settings.js';
import { clusterReportInput } from './cluster-report-input.js';
import { clusterReading } from './status-reading.js';

interface StatusInputsOptions extends Pick<StatusInputs, 'evictions' | 'checks'> {
  readonly active: () => ActiveSettings;
  /** Runs a collection; the source stays until it has ended. */
  readonly track: (collecting: Promise<ClusterSnapshot | undefined>) => Promise<ClusterSnapshot | undefined>;
  readonly scheduler: Scheduler;
  readonly metrics: SelfMetrics;
  readonly evictionFile: Pick<EvictionFile, 'watchedTimes' | 'fault'>;
  readonly seriesCapReport: SeriesCapReport;
  readonly clock: Clock;
}

/** The status page and its JSON. Only this module leads to their code: it is to be imported when they are needed. */
export function statusPage(
  options: StatusInputsOptions &
    Omit<ConstructorParameters<typeof StatusSource>[0], 'inputs'> & { readonly config: Pick<Config, 'web'> },
): StatusHandler {
  const source = new StatusSource({ ...options, inputs: statusInputs(options) });
  const { telemetryPath: metricsPath } = options.config.web;
  const lane = options.scheduler.readers;
  return new StatusHandler({ ...options, source, lane, metricsPath, documentationUrl: readHomepage() });
}

/** What the status page shows. It is not a scrape: it triggers no refresh, no workload backs off after it, and it is not counted. */
function statusInputs(options: StatusInputsOptions): StatusInputs {
  const { active, track, scheduler, metrics, seriesCapReport, clock, evictions, evictionFile, checks } = options;
  const known = new KnownSnapshots();
  return {
    cluster: async (signal) => {
      const work = scheduler.begin();
      try {
        const current = active();
        const askedAtMs = clock.monotonicMs();
        const found = await track(current.collection.collector.collect(signal, { recordsFailures: false }));
        const snapshot = found ?? noSnapshot;
        const collected = { snapshot, evictions: evictions(), isPartial: signal.aborted, askedAtMs };
        const input = clusterReportInput({ ...current, ...collected, scheduler, clock });
        const reading = clusterReading({ ...current, input, known, clock });
        return { report: found && (await clusterReport(input)), reading };
      } finally {
        work[Symbol.dispose]();
      }
    },
    health: () => {
      const { store, cache } = active().source;
      const { lists } = store;
      const { sinceMs, gaps } = evictionFile.watchedTimes;
      return healthReport({
        report: metrics.report(),
        isApiServerAway: lists.isServerAway,
        isConfigurationForbidden: cache.isConfigurationForbidden,
        unlisted: lists.unsynced(),
        droppedFamilies: seriesCapReport.droppedFamilies,
        nowMs: clock.monotonicMs(),
        evictionsSinceMs: sinceMs,
        evictionGaps: gaps,
        evictionFileFault: evictionFile.fault,
      });
    },
    settings: () => active().statusSettings,
    evictions,
    checks,
  };
}
