import { describe, expect, it } from 'vitest';

import { SelfMetrics } from '../../src/telemetry/self-metrics.js';
import { readSelfReport } from '../../src/telemetry/self-report.js';

function aSelfMetrics(): SelfMetrics {
  return new SelfMetrics({ version: '1.2.3', nodeVersion: 'v20.20.2', watchResults: [] });
}

describe('a report on the exporter', () => {
  it('has no figure of what has not happened yet', async () => {
    expect(await readSelfReport(aSelfMetrics().registry)).toMatchObject({
      stores: [],
      seriesCount: undefined,
      seriesDroppedCount: 0,
      isLastReloadSuccessful: undefined,
      settingsLoadedAtMs: undefined,
      isKubeletTlsUnverified: false,
    });
  });

  it('has what the metrics were told', async () => {
    const metrics = aSelfMetrics();
    const stores = metrics.createStoreMetrics();
    stores.trackStore({ resource: 'pods', scopes: ['shop', 'media'], objectCount: () => 7 });
    stores.trackStore({ resource: 'nodes', scopes: [''], objectCount: () => 2 });
    metrics.showStores(stores);
    stores.watchConnected('nodes', '', true);
    stores.watchConnected('pods', 'shop', true);
    stores.progressed('nodes', '', 12_500);
    stores.progressed('pods', 'shop', 12_500);
    metrics.scrapeFinished('success', 10);
    metrics.scrapeRejected();
    metrics.requestFinished('tls', 10);
    metrics.setSeries({ pod: 3, node: 4 });
    metrics.seriesDropped('max_series', 5);
    metrics.configReloaded(1, 1_500);
    metrics.configReloadFailed();
    metrics.tlsVerificationDisabled(true);
    metrics.setWorkloadNameClashes(2);
    expect(await readSelfReport(metrics.registry)).toMatchObject({
      stores: [
        { resource: 'pods', objectCount: 7, isConnected: false, lastProgressAtMs: undefined },
        { resource: 'nodes', objectCount: 2, isConnected: true, lastProgressAtMs: 12_500 },
      ],
      scrapes: { success: 1, rejected: 1, error: 0 },
      kubeletRequests: { success: 0, tls: 1 },
      seriesCount: 7,
      seriesDroppedCount: 5,
      isLastReloadSuccessful: false,
      settingsLoadedAtMs: 1_500,
      isKubeletTlsUnverified: true,
      workloadNameClashCount: 2,
    });
  });
});
