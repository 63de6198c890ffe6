import { missingNode, reportsUnknownPods, snapshotCounts } from '../../facts/scrape/snapshot-counts.js';
import { MissingNodeReport } from '../../metrics/telemetry/scrape-reports.js';
import { MetricsHandler } from '../server/metrics-handler.js';
import type { AgentSlot } from './agent-slot.js';
import type { ProcessParts } from './cluster-place.js';
import type { CoreHost } from './core-host.js';
import { noSuchNode } from './resolve-scope.js';

/** Answers scrapes, each from the core that is in force when it begins. */
export function metricsEndpoint(
  options: ProcessParts & { readonly host: CoreHost; readonly agent: AgentSlot },
): MetricsHandler {
  const { host, agent, metrics, logger } = options;
  const missingNodeReport = new MissingNodeReport(logger);
  return new MetricsHandler({
    ...options,
    observer: metrics,
    core: () => {
      const { config, place, collector, resolver, exposition } = host.core;
      return {
        exposition,
        settings: config.scrape,
        collect: async (...scrape) => {
          place.scraped();
          const snapshot = await collector.collect(...scrape);
          if (snapshot !== undefined) {
            metrics.show({ collected: snapshotCounts(snapshot) });
            place.store.doubt(reportsUnknownPods(snapshot));
            missingNodeReport.scraped(missingNode(snapshot), noSuchNode);
          }
          metrics.show({ workloadNameClashCount: resolver.clashCount });
          return snapshot && agent.addTo(snapshot);
        },
      };
    },
  });
}
