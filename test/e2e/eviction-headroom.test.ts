// @module-tag sockets

import { expect, it } from 'vitest';

import type { Rule } from '../../sim/access.js';
import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import { scenarioOf } from '../../sim/scenarios/catalogue.js';
import type { ListedNodeReport } from '../../src/people/report/node-report.js';
import { Exporter, leastRules, type Scraped } from '../support/exporter.js';
import { gib } from '../support/units.js';

const tenMinutesMs = 600_000;
const configzRule: Rule = { verbs: ['get'], resources: ['nodes/configz'] };

const scenario: Scenario = {
  ...emptyScenario(),
  nodes: [
    { name: 'default', capacityBytes: 100 * gib },
    {
      name: 'tight',
      capacityBytes: 100 * gib,
      imageFsCapacityBytes: 40 * gib,
      evictionHard: { 'nodefs.available': '90Gi', 'imagefs.inodesFree': '1k' },
    },
    { name: 'careless', evictionHard: {} },
  ],
};

const fullProfile = 'metrics: {profile: full}';

async function start(settings: string, rules: readonly Rule[]): Promise<Exporter> {
  return (await Exporter.start({ scenario, settings: `${settings}\n${fullProfile}`, rules })).synced();
}

/** The first scrape that finds `count` requests for configurations ended, which go on in the background. */
async function scrapeAfter(exporter: Exporter, result: string, count: number): Promise<Scraped> {
  const counted = async () => configRequests(await exporter.scrape(), result);
  await expect.poll(counted, { interval: 10 }).toBe(count);
  return exporter.scrape();
}

function configRequests(scraped: Scraped, result: string): number {
  return scraped.value('exporter_kubelet_config_requests_total', { result }) ?? NaN;
}

/** Where the thresholds are from, on all nodes. */
function origins(scraped: Scraped): readonly (string | undefined)[] {
  return [...new Set(scraped.samples('node_eviction_headroom_bytes').map(({ labels }) => labels['threshold']))];
}

/** How often a configuration is read at most. */
const configurationGateMs = 600_000;

it.each([
  { access: 'direct', rule: configzRule },
  { access: 'proxy', rule: { verbs: ['get'], resources: ['nodes/proxy'] } },
])('headroom is served once the kubelets gave their configuration: $access', async ({ access, rule }) => {
  await using exporter = await start(`kubelet: {access: ${access}, readConfig: true}`, [...leastRules, rule]);
  const scraped = await scrapeAfter(exporter, 'success', 3);

  expect(origins(scraped)).toEqual(['configured']);
  const ofTight = { node: 'tight', filesystem: 'nodefs', threshold: 'configured' };
  expect(scraped.value('node_eviction_threshold_bytes', ofTight)).toBe(90 * gib);
  expect(scraped.value('node_eviction_headroom_bytes', ofTight)).toBeLessThan(0);
  const nodes = scraped.samples('node_eviction_threshold_bytes').map(({ labels }) => labels['node']);
  expect(nodes).not.toContain('careless');
  expect(scraped.samples('node_data_available').map(({ value }) => value)).toEqual([1, 1, 1]);
  expect(exporter.requestCounts()).toEqual({ default: 2, tight: 2, careless: 2 });
});

it('headroom is assumed without the permission: everything else is unchanged, and the log has one line', async () => {
  await using exporter = await start('kubelet: {readConfig: true}', leastRules);
  const first = await scrapeAfter(exporter, 'forbidden', 3);
  expect(origins(first)).toEqual(['assumed']);
  expect(first.samples('node_data_available').map(({ value }) => value)).toEqual([1, 1, 1]);
  expect(first.value('exporter_kubelet_requests_total', { result: 'forbidden' })).toBe(0);

  await exporter.clock.advance(tenMinutesMs - 1);
  await exporter.scrape();
  expect(exporter.requestCounts()).toEqual({ default: 3, tight: 3, careless: 3 });
  await exporter.clock.advance(1);
  const later = await scrapeAfter(exporter, 'forbidden', 6);
  expect(later.samples('node_data_available').map(({ value }) => value)).toEqual([1, 1, 1]);
  const lines = exporter.log.filter((line) => line.includes('failed to read kubelet configuration'));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('"nodeCount":3,"nodes":"careless, default, tight"');
  for (const line of lines) expect(line).toMatch(/"level":"info".*nodes\/configz/);
});

it('headroom is the configured one within 10 minutes after the permission was granted', async () => {
  await using exporter = await start('kubelet: {readConfig: true}', leastRules);
  await scrapeAfter(exporter, 'forbidden', 3);
  exporter.cluster.access.setRules('exporter', [...leastRules, configzRule]);
  await exporter.clock.advance(tenMinutesMs);
  const scraped = await scrapeAfter(exporter, 'success', 3);
  expect(origins(scraped)).toEqual(['configured']);
  await exporter.clock.advance(1_000);
  expect(exporter.log.filter((line) => line.includes('kubelet configurations are readable again'))).toHaveLength(1);
});

it('headroom has no gap when new settings of the sources come, and no request is sent before it is due', async () => {
  await using exporter = await start('kubelet: {readConfig: true}', [...leastRules, configzRule]);
  await scrapeAfter(exporter, 'success', 3);
  await exporter.apply(`kubelet: {readConfig: true, requestTimeout: 5s}\n${fullProfile}`);
  expect(origins(await exporter.scrape())).toEqual(['configured']);
  await scrapeAfter(exporter, 'success', 3);
  await exporter.clock.advance(configurationGateMs);
  await exporter.scrape();
  await scrapeAfter(exporter, 'success', 6);
});

it('headroom is assumed without the setting', async () => {
  await using exporter = await start('', [...leastRules, configzRule]);
  await exporter.scrape();
  const scraped = await exporter.scrape();
  expect(origins(scraped)).toEqual(['assumed']);
  expect(exporter.requestCounts()).toEqual({ default: 1, tight: 1, careless: 1 });
});

it('the warning of a disk that images fill in pulses stays from the first forecast to the threshold', async () => {
  const images = scenarioOf({ name: 'images-full', nodeCount: 2, podCount: undefined });
  await using exporter = await Exporter.start({ scenario: images, settings: 'cache: {ttl: 10s}' });
  await exporter.synced();
  const changes: unknown[] = [];
  for (let turn = 0; turn < 19; turn += 1) {
    await exporter.clock.advance(10_000);
    const { items } = JSON.parse((await exporter.get('/api/v1/nodes')).text) as { items: ListedNodeReport[] };
    const { verdict, pressure } = items.find(({ node }) => node === 'node-2') ?? {};
    const state = verdict && ((pressure?.headroom ?? 0) < 0 ? 'short' : 'near');
    if (state !== changes.at(-1)) changes.push(state);
  }
  expect(changes).toEqual(['near', 'short']);
});

const evictionHard = { 'nodefs.available': '1Gi' };
const full = { name: 'full', capacityBytes: 100 * gib, systemBytes: 84 * gib, evictionHard };

it.each([
  { when: 'are refuted within three minutes', fault: undefined, turns: 12, isRefuted: true },
  { when: 'are not refuted while the API server is away', fault: 'down', turns: 20, isRefuted: false },
] as const)('such thresholds $when', async ({ fault, turns, isRefuted }) => {
  await using exporter = await Exporter.start({ scenario: { ...emptyScenario(), nodes: [full] } });
  const files = { initialBytes: 4096 };
  const containers = [{ name: 'app', rootfs: files, logs: files }];
  exporter.cluster.model.addPod({ namespace: 'shop', name: 'cart', nodeName: 'full', containers });
  await exporter.synced();
  await exporter.cluster.setApiFault(fault);
  const served: unknown[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    await exporter.clock.advance(15_000);
    const scraped = await exporter.scrape();
    const ofBytes = { node: 'full', filesystem: 'nodefs', threshold: 'assumed' };
    const isAssumed = scraped.value('node_eviction_headroom_bytes', ofBytes) !== undefined;
    served.push([scraped.samples('pod_eviction_rank').length > 0, isAssumed]);
  }
  expect([served[0], served.at(-1)]).toEqual([
    [true, true],
    [!isRefuted, !isRefuted],
  ]);
});
