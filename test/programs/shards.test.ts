import { readFile } from 'node:fs/promises';

import { expect, it } from 'vitest';

import { demoScenario } from '../../sim/model/demo-scenario.js';
import { Exporter } from '../support/exporter.js';
import { eventually, PrometheusServer } from '../support/programs.js';
import { describeInEachPrometheus } from '../support/prometheus-versions.js';
import { queriesOf } from '../support/rules.js';

const workloadLabels = ['namespace', 'workload', 'workload_type'];

/** One string for the three labels. */
const keyOf = (labels: Readonly<Record<string, string>>): string =>
  workloadLabels.map((name) => labels[name] ?? '').join('/');

const resolver =
  'workloads: {selectors: [{name: all, selector: ""}, {name: nobody, selector: app=nobody}], controllers: true}';

describeInEachPrometheus('shards, one of them with two exporters,', (programs) => {
  it('shards add up by the query of the docs to the values of one exporter for the whole cluster', async () => {
    await using whole = await Exporter.start({ scenario: demoScenario, settings: resolver });
    const settingsOf = (shard: number): string => `cluster: {shard: ${shard}, totalShards: 2}\n${resolver}`;
    await using first = await whole.another({ settings: settingsOf(0) });
    await using replica = await whole.another({ settings: settingsOf(0) });
    await using second = await whole.another({ settings: settingsOf(1) });
    const shards = [first, replica, second];
    await Promise.all([whole, ...shards].map((exporter) => exporter.synced()));
    await whole.clock.advance(180_000);
    const scraped = await whole.scrape();
    const targets = shards.map(({ app }) => ({ target: `127.0.0.1:${app.ports[0] ?? 0}` }));
    await using prometheus = await PrometheusServer.start({ ...programs, targets });
    await eventually('all targets to be scraped', async () => {
      const [targets] = await prometheus.query('count(ephemeral_storage_exporter_scope_info)');
      return targets?.value === shards.length ? true : undefined;
    });
    const [documented = ''] = queriesOf(await readFile('docs/operate.md', 'utf8'));
    for (const family of ['used_bytes', 'limit_bytes', 'request_bytes', 'pods', 'pods_measured']) {
      const expected = scraped
        .samples(`workload_${family}`)
        .map(({ labels, value }) => [keyOf(labels), value] as const);
      const found = await prometheus.query(documented.replace('used_bytes', family));
      expect(expected.length).toBeGreaterThan(3);
      expect(new Map(found.map(({ metric, value }) => [keyOf(metric), value]))).toEqual(new Map(expected));
    }
  });
});
