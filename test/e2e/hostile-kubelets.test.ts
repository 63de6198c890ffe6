// @module-tag sockets

import { gzipSync } from 'node:zlib';

import { describe, expect, it } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario } from '../../sim/model/scenario.js';
import { Exporter, type Scraped } from '../support/exporter.js';
import { answerWith, hostileBodies } from '../support/hostile-bodies.js';
import type { HttpAnswer } from '../support/http-get.js';
import { type Measured, MeasuredExporter } from '../support/measured-exporter.js';
import { atNight } from '../support/nightly.js';

const mebibyte = 2 ** 20;
const ttlMs = 55_000;

/** Returns the UID of the pod on the node `bad`, whose kubelet is. */
function addPods(cluster: SimulatedCluster): string {
  const containers = [{ name: 'app', rootfs: { initialBytes: mebibyte }, logs: { initialBytes: 0 } }];
  const volumes = [{ name: 'cache', source: 'emptyDir' as const, content: { initialBytes: 4096 } }];
  cluster.model.addPod({ namespace: 'shop', name: 'web-0', nodeName: 'good', containers });
  return cluster.model.addPod({ namespace: 'shop', name: 'known', nodeName: 'bad', containers, volumes }).uid;
}

async function start(settings = ''): Promise<Exporter> {
  const exporter = await Exporter.start({ settings, scenario: emptyScenario('good', 'bad') });
  addPods(exporter.cluster);
  return exporter.synced();
}

const knownUid = ({ cluster }: Exporter): string => cluster.model.podsOn('bad')[0]?.uid ?? '';

function sum(scraped: Scraped, family: string, node: string): number {
  return scraped
    .samples(family)
    .filter(({ labels }) => labels['node'] === node)
    .reduce((total, { value }) => total + value, 0);
}

const absenceOf = (scraped: Scraped): string | undefined =>
  scraped.samples('node_absent_info').find(({ labels }) => labels['node'] === 'bad')?.labels['reason'];

it('a kubelet with any body is absent for a reason, and the other nodes are served', async () => {
  await using exporter = await start('kubelet: {maxBodySize: 1Mi}');
  const reasons: Record<string, string | undefined> = {};
  for (const { name, of } of hostileBodies(knownUid(exporter))) {
    exporter.cluster.setSummaryAnswer('bad', answerWith(of(2 * mebibyte)));
    await exporter.clock.advance(2 * ttlMs);
    const scraped = await exporter.scrape();
    expect(scraped.value('pod_used_bytes', { node: 'good', pod: 'web-0' }), name).toBeGreaterThan(0);
    reasons[name] = absenceOf(scraped);
  }
  expect(reasons).toMatchInlineSnapshot(`
      {
        "[[[[…": "decode",
        "[[],[],…": "decode",
        "a name of a pod": "too_large",
        "blanks": "too_large",
        "containers of one pod": "too_large",
        "containers of pods": "too_large",
        "members of one pod": "decode",
        "members of pods": "too_large",
        "members of the node": "too_large",
        "members of the summary": "decode",
        "objects in pods": "too_large",
        "pods with statistics": "too_large",
        "pods without anything": "too_large",
        "pods: [[[[…": "decode",
        "pods: [[],[],…": "too_large",
        "pods: [{},{},…": "too_large",
        "text": "decode",
        "the most containers": undefined,
        "the most containers of the known pod": undefined,
        "the most entries": "too_large",
        "the most pods": "too_large",
        "the most volumes": undefined,
        "the most volumes of the known pod": undefined,
        "volumes of one pod": "too_large",
        "{"a":{"a":…": "decode",
        "{} × n": "decode",
      }
    `);
});

it.each([
  ['blanks', `{"node":{"nodeName":"bad"},"pods":[${' '.repeat(mebibyte)}]}`],
  ['pods', `{"node":{"nodeName":"bad"},"pods":[${'{},'.repeat(4_000)}{"x":"${'x'.repeat(mebibyte)}"}]}`],
])('a compressed body that exceeds the limit is cut off: %s', async (_case, body) => {
  await using exporter = await start('kubelet: {maxBodySize: 1Mi}');
  exporter.cluster.setSummaryAnswer('bad', answerWith(gzipSync(body), { 'content-encoding': 'gzip' }));
  expect(absenceOf(await exporter.scrape())).toBe('too_large');
});

it.skipIf(process.platform !== 'linux')('no body costs time or memory', { retry: 3, timeout: 60_000 }, async () => {
  await using cluster = await SimulatedCluster.start({ scenario: emptyScenario('good', 'bad') });
  const uid = addPods(cluster);
  await using exporter = await MeasuredExporter.start(cluster, 'cache: {ttl: 0}\nworkloads: {controllers: false}');
  for (let count = 0; count < 3; count += 1) await exporter.scrape(); // until what is used is compiled
  const worst = [
    ...['{"a":{"a":…', 'the most pods'],
    ...atNight(['the most entries', 'objects in pods', 'members of the node'], []),
    ...atNight(['containers of one pod', 'volumes of one pod'], []),
  ];
  for (const { name, of } of hostileBodies(uid).filter((body) => worst.includes(body.name))) {
    cluster.setSummaryAnswer('bad', answerWith(of(8 * mebibyte - 10_000)));
    await exporter.scrape();
    const scrapes: Measured<HttpAnswer>[] = [];
    while (scrapes.length < 3) scrapes.push(await exporter.measured(() => exporter.scrape()));
    for (const { result, idleBytes, peakBytes } of scrapes) {
      expect(result.status).toBe(200);
      expect(peakBytes - idleBytes, name).toBeLessThan(150 * mebibyte);
    }
    // Other processes make a block longer, never shorter.
    expect(Math.min(...scrapes.map(({ blockedMs }) => blockedMs)), name).toBeLessThan(100);
  }
});

describe('a kubelet that makes names up', () => {
  const pod = (name: string, uid: string, used: number, more = ''): string =>
    `{"podRef":{"namespace":"shop","name":"${name}","uid":"${uid}"},"ephemeral-storage":{"usedBytes":${used}}${more}}`;
  const list = (count: number, item: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => item(index)).join(',');
  const summary = (...pods: string[]): string => `{"node":{"nodeName":"bad"},"pods":[${pods.join(',')}]}`;

  it('a kubelet that makes names up causes a bounded number of series, and sums stay right to the byte', async () => {
    await using exporter = await start(
      'metrics: {profile: full}\nworkloads: {controllers: false, selectors: [{name: all, selector: {}}]}',
    );
    const containers = list(400, (at) => `{"name":"c${at}","rootfs":{"usedBytes":10},"logs":{"usedBytes":1}}`);
    const volumes = list(400, (at) => `{"name":"v${at}","usedBytes":2}`);
    const own = '{"name":"app","rootfs":{"usedBytes":100},"logs":{"usedBytes":7}}';
    const known = `,"containers":[${own},${containers}],"volume":[{"name":"cache","usedBytes":50},${volumes}]`;
    const strange = `,"containers":[${containers}],"volume":[${volumes}]`;
    exporter.cluster.setSummaryAnswer(
      'bad',
      answerWith(
        summary(
          pod('known', knownUid(exporter), 10_003, known),
          ...Array.from({ length: 30 }, (_unused, at) => pod(`strange-${10 + at}`, `u${at}`, 5_000 + at, strange)),
        ),
      ),
    );
    const scraped = await exporter.scrape();
    const of = (family: string, labels: Readonly<Record<string, string>>) =>
      scraped
        .samples(family)
        .filter((sample) => Object.entries(labels).every(([key, text]) => sample.labels[key] === text));
    const used = 10_003 + 30 * 5_000 + (29 * 30) / 2;
    for (const family of ['pod_used_bytes', 'pod_component_used_bytes', 'container_used_bytes']) {
      expect(sum(scraped, family, 'bad'), family).toBe(used);
    }
    expect(scraped.value('workload_used_bytes', { workload: 'all' })).toBe(
      used + sum(scraped, 'pod_used_bytes', 'good'),
    );
    const ofWorkload = of('workload_container_used_bytes', { workload: 'all' });
    expect(ofWorkload.reduce((total, { value }) => total + value, 0)).toBe(
      scraped.value('workload_used_bytes', { workload: 'all' }),
    );
    expect(of('container_used_bytes', { pod: 'known' }).map(({ labels }) => labels['container'])).toEqual(['app', '']);
    expect(
      of('volume_used_bytes', { pod: 'known' }).map(({ labels, value }) => [labels['volume'] ?? '', value]),
    ).toEqual([
      ['cache', 50],
      ['', 800],
    ]);
    expect(of('pod_used_bytes', { node: 'bad' }).map(({ labels }) => labels['pod'])).toEqual([
      'known',
      ...Array.from({ length: 20 }, (_unused, at) => `strange-${10 + at}`),
      '',
    ]);
    expect(of('container_used_bytes', { pod: 'strange-10' })).toHaveLength(21);
    expect(of('container_used_bytes', { node: 'bad', pod: '' })).toHaveLength(1);
    expect(ofWorkload.length).toBeLessThan(30);
    expect(scraped.value('exporter_unknown_items', { kind: 'container' })).toBe(400 + 20 * 380 + 10 * 400);
    expect(scraped.value('exporter_pods_skipped', { reason: 'unknown_pod' })).toBe(30);
  });

  it('a kubelet that makes up names that differ in half a surrogate pair causes no series twice', async () => {
    await using exporter = await start('metrics: {profile: full}\nworkloads: {controllers: false}');
    const halves = [String.raw`\ud800`, String.raw`\ud801`];
    const containers = halves.map((half) => `{"name":"${half}","rootfs":{"usedBytes":1}}`).join(',');
    const strange = halves.map((half) => pod(half, half, 3, `,"containers":[${containers}],"volume":[${containers}]`));
    const known = pod('known', knownUid(exporter), 5, `,"containers":[${containers}]`);
    exporter.cluster.setSummaryAnswer('bad', answerWith(summary(known, ...strange)));
    const scraped = await exporter.scrape();
    const keys = scraped.families.flatMap(({ samples }) =>
      samples.map(({ name, labels }) => `${name} ${JSON.stringify(Object.entries(labels).sort())}`),
    );
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
    expect(scraped.value('container_used_bytes', { node: 'bad', pod: '\uFFFD' })).toBe(3);
  });
});
