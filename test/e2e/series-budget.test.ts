// @module-tag sockets

import { expect, it } from 'vitest';

import { emptyScenario } from '../../sim/model/scenario.js';
import { Exporter, settingsOf } from '../support/exporter.js';
import { parseExposition } from '../support/exposition-parser.js';
import { mib } from '../support/units.js';

const podCount = 4;

/** One Deployment over two nodes; the pods `web-0` to `web-3` have 1, 2, 3 and 4 MiB in their writable layers. */
async function start(settings = ''): Promise<Exporter> {
  const exporter = await Exporter.start({
    settings,
    scenario: {
      ...emptyScenario('node-1', 'node-2'),
      populate: ({ model }) => {
        for (let index = 0; index < podCount; index += 1) {
          model.addPod({
            namespace: 'shop',
            name: `web-${index}`,
            nodeName: `node-${(index % 2) + 1}`,
            owner: { kind: 'ReplicaSet', name: 'web' },
            containers: [{ name: 'app', rootfs: { initialBytes: (index + 1) * mib }, logs: { initialBytes: 0 } }],
            volumes: [{ name: 'cache', source: 'emptyDir', content: { initialBytes: 4096 } }],
          });
        }
      },
    },
  });
  return exporter.settled();
}

async function familiesAt(exporter: Exporter, query: string): Promise<readonly string[]> {
  const answer = await exporter.get(`/metrics?${query}`);
  expect(answer.status).toBe(200);
  return parseExposition(answer.body, 'text').map(({ name }) => name);
}

function capLines(exporter: Exporter): readonly unknown[] {
  return exporter.log.filter((line) => line.includes('maxSeries')).map((line) => JSON.parse(line) as unknown);
}

it('filters of a request narrow what the settings allow and never widen it', async () => {
  await using exporter = await start(
    'metrics: {levels: [workload, node, pod, container], deny: [ephemeral_storage_node_inodes.*]}',
  );
  const pod = 'ephemeral_storage_pod_used_bytes';
  const volume = 'ephemeral_storage_volume_used_bytes';
  expect(await familiesAt(exporter, `name[]=${pod}&name[]=${volume}`)).toEqual([pod]);
  expect(await familiesAt(exporter, 'collect[]=volume')).toEqual([]);
  const ofNodes = await familiesAt(exporter, 'collect=node&collect=exporter');
  expect(ofNodes).toContain('ephemeral_storage_node_used_bytes');
  expect(ofNodes).toContain('ephemeral_storage_exporter_build_info');
  expect(ofNodes).toContain('process_start_time_seconds');
  expect(ofNodes.filter((name) => /_pod_|storage_workload_|_container_|_node_inodes/.test(name))).toEqual([]);
  const own = 'ephemeral_storage_exporter_series';
  expect(await familiesAt(exporter, `name%5B%5D=${own}&name[]=process_start_time_seconds`)).toEqual([
    own,
    'process_start_time_seconds',
  ]);
  const refused = await exporter.get('/metrics?collect[]=everything');
  expect([refused.status, refused.text]).toEqual([
    400,
    'unknown value of collect[]: expected the name of a metric family for name[], one of workload, node, pod, container, volume, exporter for collect[]\n',
  ]);
});

it('metrics.levels, allow and deny take effect on reload, without scraping a kubelet again', async () => {
  await using exporter = await start();
  expect((await exporter.scrape()).samples('volume_used_bytes')).not.toEqual([]);
  await exporter.app.apply(
    settingsOf('metrics: {levels: [workload, node, pod, container], allow: [".*_used_bytes"], deny: [".*_pod_.*"]}'),
  );
  const scraped = await exporter.scrape();
  const ofCluster = scraped.families
    .map(({ name }) => name)
    .filter((name) => /^ephemeral_storage_(?!exporter)/.test(name));
  expect(ofCluster).toEqual(
    [
      'workload_used_bytes',
      'workload_container_used_bytes',
      'workload_container_max_used_bytes',
      'container_used_bytes',
      'container_rootfs_used_bytes',
      'container_logs_used_bytes',
      'node_used_bytes',
      'node_pods_used_bytes',
      'node_images_used_bytes',
    ].map((name) => `ephemeral_storage_${name}`),
  );
  expect(scraped.value('exporter_series', { level: 'volume' })).toBe(0);
  expect(scraped.value('exporter_series', { level: 'container' })).toBe(3 * podCount);
  expect(exporter.requestCounts()).toEqual({ 'node-1': 1, 'node-2': 1 });
});

it('metrics.maxSeries is never exceeded; dropped series are counted, and logged at begin and end', async () => {
  await using exporter = await start('metrics: {maxSeries: 60}');
  const seriesOf = (scraped: Awaited<ReturnType<Exporter['scrape']>>): number =>
    scraped.families
      .filter(({ name }) => /^ephemeral_storage_(?!exporter)/.test(name))
      .reduce((sum, { samples }) => sum + samples.length, 0);
  const first = await exporter.scrape();
  const second = await exporter.scrape();
  expect(seriesOf(first)).toBeLessThanOrEqual(60);
  expect(first.samples('volume_used_bytes')).toEqual([]);
  expect(
    first.value('workload_used_bytes', { namespace: 'shop', workload: 'web', workload_type: 'replicaset' }),
  ).toBeGreaterThan(10 * mib);
  const levels = first.samples('exporter_series');
  expect(levels.reduce((sum, { value }) => sum + value, 0)).toBe(seriesOf(first));
  const dropped = first.value('exporter_series_dropped_total', { reason: 'max_series' }) ?? 0;
  expect(dropped).toBeGreaterThan(0);
  expect(second.value('exporter_series_dropped_total', { reason: 'max_series' })).toBe(2 * dropped);
  expect(capLines(exporter)).toMatchObject([
    {
      level: 'warn',
      maxSeries: 60,
      families: expect.stringMatching(/volume_used_bytes/) as string,
      seriesCount: dropped,
    },
  ]);
  await exporter.app.apply(settingsOf(''));
  expect(seriesOf(await exporter.scrape())).toBe(seriesOf(first) + dropped);
  expect(capLines(exporter).slice(1)).toMatchObject([{ level: 'info' }]);
});

it('a pattern that matches no family causes a warning, at the start and at a reload', async () => {
  await using exporter = await Exporter.start({ settings: 'metrics: {allow: [ephemeral_storage_nothing]}' });
  expect(exporter.log.join('')).toContain('ephemeral_storage_nothing');
  await exporter.synced();
  await exporter.app.apply(settingsOf('metrics: {deny: [pod_info]}'));
  expect(exporter.log.join('')).toMatch(/metrics\.deny\[0\].*pod_info/);
});
