// @module-tag sockets

import { expect, it } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario } from '../../sim/model/scenario.js';
import { systemClock } from '../../src/lib/base/clock.js';
import { Exporter } from '../support/exporter.js';
import { MeasuredExporter } from '../support/measured-exporter.js';

it.each(['/livez', '/healthz'])(
  '%s is 503 when timers have not fired for two minutes, says since when, and is in the log once',
  async (path) => {
    await using exporter = await Exporter.start();
    await exporter.synced();
    const since = new Date(exporter.clock.nowMs()).toISOString();
    exporter.clock.passWithoutTimers(121_000);
    for (let probe = 0; probe < 3; probe++) {
      const { status, text } = await exporter.get(path);
      expect([status, text]).toEqual([503, `not alive: no timer has fired since ${since}\n`]);
    }
    expect(exporter.log.filter((line) => line.includes('liveness failed'))).toHaveLength(1);
    await exporter.clock.advance(0);
    expect((await exporter.get(path)).status).toBe(200);
  },
);

it.each([
  { ttl: '55s', requestTimeout: '10s' },
  { ttl: '10m', requestTimeout: '9m' },
])('a process is alive while neither the API server nor any kubelet responds: %o', async (times) => {
  const names = Array.from({ length: 30 }, (_, index) => `node-${index}`);
  const { ttl, requestTimeout } = times;
  const settings = `cache: {ttl: ${ttl}}\nkubelet: {maxConcurrentRequests: 4, requestTimeout: ${requestTimeout}}`;
  await using exporter = await Exporter.start({ scenario: emptyScenario(...names), settings });
  await exporter.synced();
  await exporter.scrape();
  for (const name of names) await exporter.cluster.setFault(name, 'hang');
  await exporter.cluster.setApiFault('down');
  for (let turn = 0; turn < 28; turn++) {
    const scraping = exporter.scrape();
    await exporter.clock.advance(45_000);
    await scraping;
    const { status, text } = await exporter.get('/livez');
    expect([status, text]).toEqual([200, 'ok\n']);
  }
  const last = exporter.scrape();
  await exporter.clock.advance(60_000);
  expect((await last).samples('node_absent_info')).toHaveLength(names.length);
});

/** As in `manifests/base/pod/pod.yaml`. */
const probeTimeoutMs = 5_000;

it('a process whose event loop is blocked does not respond within the timeout of the probe', async () => {
  await using cluster = await SimulatedCluster.start({ clock: systemClock, scenario: emptyScenario('node-1') });
  await using exporter = await MeasuredExporter.start(cluster, '');
  expect((await exporter.get('/livez', AbortSignal.timeout(probeTimeoutMs))).status).toBe(200);
  await exporter.block();
  await expect(exporter.get('/livez', AbortSignal.timeout(probeTimeoutMs))).rejects.toThrow(/abort/i);
});
