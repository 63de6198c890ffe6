// @module-tag sockets

import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario } from '../../sim/model/scenario.js';
import { systemClock } from '../../src/lib/base/clock.js';
import { ChildCommand } from '../support/child.js';
import { eventually, isInstalled, PrometheusServer, temporaryFolder } from '../support/programs.js';

/** Longer than `cache.ttl`: each scrape needs new data. */
const intervalSeconds = 3;
/** Of Prometheus; shorter than `kubelet.requestTimeout`, four fifths of `cache.ttl`: no scrape has time to wait for the kubelet. */
const timeoutSeconds = 2;
const ttlMs = 2_900;
const scrapeCount = 2;

describe.skipIf(!isInstalled('prometheus3'))('Prometheus (needs prometheus3)', () => {
  it('Prometheus has no failed scrape while a kubelet hangs for longer than the timeout of scrapes', async () => {
    await using cluster = await SimulatedCluster.start({
      clock: systemClock,
      scenario: emptyScenario('node-1', 'node-2', 'node-3'),
    });
    await cluster.setFault('node-3', 'hang');
    await using folder = await temporaryFolder();
    const kubeconfig = path.join(folder.path, 'kubeconfig');
    await writeFile(kubeconfig, cluster.kubeconfig());
    const flags = ['--web.listen-address', '127.0.0.1:0', '--log.format', 'json', '--set', `cache.ttl=${ttlMs}ms`];
    await using exporter = new ChildCommand(['serve', '--kubeconfig', kubeconfig, ...flags]);
    const target = `127.0.0.1:${await exporter.printed(/"ports":"(\d+)"/)}`;
    await eventually('the exporter to be ready', async () =>
      (await fetch(`http://${target}/readyz`)).ok ? true : undefined,
    );
    await using prometheus = await PrometheusServer.start({
      program: 'prometheus3',
      targets: [{ target }],
      intervalSeconds,
      scrape: { scrape_timeout: `${timeoutSeconds}s` },
    });
    await eventually(`${scrapeCount} scrapes`, async () => {
      const [scrapes] = await prometheus.query('count_over_time(up[1m])');
      return (scrapes?.value ?? 0) >= scrapeCount ? true : undefined;
    });
    expect(await prometheus.query('min_over_time(up[1m])')).toMatchObject([{ value: 1 }]);
    const nodes = await prometheus.query('min_over_time(ephemeral_storage_node_data_available[1m])');
    const available = nodes.map(({ metric, value }) => [metric['node'], value]);
    expect(Object.fromEntries(available)).toEqual({ 'node-1': 1, 'node-2': 1, 'node-3': 0 });
  });
});
