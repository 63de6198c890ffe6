import { scopeText } from '../../cluster/kube/scope.js';
import type { Config } from '../../config/schema.js';
import { formatConfig } from '../../config/settings.js';
import type { EvictionFile } from '../../facts/history/eviction-file.js';
import type { Instant } from '../../lib/base/clock.js';
import { Memo } from '../../lib/base/memo.js';
import type { SeriesCapReport } from '../../metrics/telemetry/scrape-reports.js';
import { noSnapshot } from '../../people/query/cluster-reading.js';
import type { HealthReport } from '../../people/query/status.js';
import { type StatusInputs, type StatusSettings, StatusSource } from '../../people/status/status-source.js';
import { readHomepage } from '../../version.js';
import { StatusHandler } from '../server/status-handler.js';
import type { ProcessParts } from './cluster-place.js';
import type { Core } from './core.js';
import type { CoreHost } from './core-host.js';
import { clusterReading, reportOf } from './core-reading.js';

interface StatusInputsOptions
  extends Pick<StatusInputs, 'checks'>, Pick<ProcessParts, 'credentials' | 'scheduler' | 'metrics' | 'clock'> {
  readonly host: CoreHost;
  readonly evictionFile: Pick<EvictionFile, 'watchedTimes' | 'fault'>;
  readonly seriesCapReport: SeriesCapReport;
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
  const { host, credentials, scheduler, clock, checks } = options;
  const settings = new Memo<StatusSettings>(); // the text of thousands of workloads takes long
  return {
    cluster: async (signal) => {
      const work = scheduler.begin();
      try {
        const { core } = host;
        const askedAtMs = clock.monotonicMs();
        const found = await core.collector.collect(signal, { recordsFailures: false });
        const reading = clusterReading(core, {
          snapshot: found ?? noSnapshot,
          evictions: host.evictions.reports(),
          askedAtMs,
        });
        return { report: found && (await reportOf(core, reading, signal.aborted)), reading };
      } finally {
        work[Symbol.dispose]();
      }
    },
    health: () => healthReport(options),
    settings: () => settings.of([host.core], () => statusSettings(host.core, credentials.server)),
    checks,
  };
}

function healthReport({ host, metrics, seriesCapReport, evictionFile, clock }: StatusInputsOptions): HealthReport {
  const { store, cache } = host.core.place;
  const { stores, settingsLoadedAt, ...counts } = metrics.report();
  const { sinceMs, gaps } = evictionFile.watchedTimes;
  const ageMs = (instant: Instant | undefined): number | undefined =>
    instant && Math.round(clock.monotonicMs() - instant.monotonicMs);
  return {
    ...counts,
    isApiServerAway: store.lists.isServerAway,
    isConfigurationForbidden: cache.isConfigurationForbidden,
    unlisted: store.lists.unsynced().map(({ resource, namespace, reason, message, forMs }) => ({
      ...{ resource, namespace, reason, message },
      forMs: Math.round(forMs),
    })),
    droppedFamilies: seriesCapReport.droppedFamilies,
    settingsAgeMs: ageMs(settingsLoadedAt),
    stores: stores.map(({ resource, objectCount, isConnected, mode, lastProgress }) => ({
      ...{ resource, objectCount, isConnected },
      isPolled: mode === 'polling',
      lastProgressAgeMs: ageMs(lastProgress),
    })),
    evictionsSinceMs: sinceMs,
    evictionGaps: gaps,
    evictionFileFault: evictionFile.fault,
  };
}

/** `server`: the address of the API server. */
function statusSettings({ config, scope }: Core, server: URL): StatusSettings {
  return {
    clusterName: config.web.clusterName ?? server.host,
    links: config.web.links,
    scope: scopeText(scope, config.cluster),
    configuration: formatConfig(config),
    attribution: config.attribution,
    definitions: config.workloads.selectors,
  };
}
