// @module-tag sockets

import { expect, it } from 'vitest';

import { emptyScenario } from '../../sim/model/scenario.js';
import type { ContainerSpec, PodSpec, VolumeSpec } from '../../sim/model/specs.js';
import type { Status } from '../../src/people/query/status.js';
import { Exporter, type Scraped, settleMs } from '../support/exporter.js';
import { sumOf } from '../support/figures.js';
import { indexed } from '../support/hostile-pods.js';
import { containerSpec } from '../support/pod-specs.js';
import { mib } from '../support/units.js';

const ttlMs = 55_000;

const container = (name: string, bytes: number, mounts: readonly string[] = []): ContainerSpec =>
  containerSpec(bytes, bytes, { name, limitBytes: 100 * mib, mounts });
const emptyDir = (name: string, bytes: number): VolumeSpec => ({
  name,
  source: 'emptyDir',
  sizeLimitBytes: mib,
  content: { initialBytes: bytes },
});

/** Of pods that anybody may create who may create pods in one namespace. */
const hostilePods: Readonly<Record<string, Required<Pick<PodSpec, 'containers' | 'volumes'>>>> = {
  '501 emptyDirs': {
    containers: [
      container(
        'app',
        4096,
        indexed(501, (at) => `v${at}`),
      ),
    ],
    volumes: indexed(501, (at) => emptyDir(`v${at}`, 4096 * (1 + (at % 7)))),
  },
  '501 containers': { containers: indexed(501, (at) => container(`c${at}`, 4096 * (1 + (at % 5)))), volumes: [] },
  '4,000 emptyDirs': {
    containers: [
      container(
        'app',
        4096,
        indexed(4_000, (at) => `v${at}`),
      ),
    ],
    volumes: indexed(4_000, (at) => emptyDir(`v${at}`, 4096)),
  },
};

function specOf(name: string): Required<Pick<PodSpec, 'containers' | 'volumes'>> {
  const spec = hostilePods[name];
  if (spec === undefined) throw new Error(`no pod ${name}`);
  return spec;
}

const hostilePod = (name: string, kind: string): PodSpec => ({
  namespace: 'evil',
  name,
  nodeName: 'node-1',
  ...specOf(kind),
});

function totalOf({ containers, volumes }: ReturnType<typeof specOf>): number {
  const own = containers.reduce((sum, { rootfs, logs }) => sum + rootfs.initialBytes + logs.initialBytes, 0);
  return 4096 + own + volumes.reduce((sum, { content }) => sum + content.initialBytes, 0);
}

async function start(): Promise<Exporter> {
  const scenario = emptyScenario('node-1', 'node-2');
  // Nothing is requested beside scrapes: the clock would run past it.
  const settings = 'metrics: {profile: full}\ncache: {ttl: 55s, nearTtl: 0s}';
  const exporter = await Exporter.start({ scenario, settings });
  for (const nodeName of ['node-1', 'node-2']) {
    exporter.cluster.model.addPod({
      namespace: 'shop',
      name: `cart-${nodeName}`,
      nodeName,
      containers: [container('app', 12_288, ['data'])],
      volumes: [emptyDir('data', 4096)],
    });
  }
  return exporter.synced();
}

function seriesOf(scraped: Scraped, labels: Readonly<Record<string, string>>): readonly (readonly [string, number])[] {
  return scraped.families.flatMap(({ samples }) =>
    samples
      .filter((sample) => Object.entries(labels).every(([name, text]) => sample.labels[name] === text))
      .map((sample) => [`${sample.name} ${JSON.stringify(sample.labels)}`, sample.value] as const),
  );
}

it.each(Object.keys(hostilePods))('a pod of any size and its node have their total: %s', async (name) => {
  const spec = specOf(name);
  await using exporter = await start();
  await exporter.clock.advance(settleMs);
  const others = { namespace: 'shop' };
  const before = seriesOf(await exporter.scrape(), others);
  const hostile = { namespace: 'evil', name: 'large', nodeName: 'node-1', ...spec };
  exporter.cluster.model.addPod(hostile);
  await exporter.clock.advance(settleMs);
  const scraped = await exporter.scrape();

  expect(scraped.value('node_data_available', { node: 'node-1' })).toBe(1);
  expect(scraped.samples('node_absent_info')).toEqual([]);
  const after = new Map(seriesOf(scraped, others));
  for (const [name, value] of before) if (name.includes('used_bytes')) expect(after.get(name), name).toBe(value);
  expect(before.length).toBeGreaterThan(20);

  const labels = { namespace: 'evil', pod: 'large' };
  const valuesOf = (family: string): readonly number[] =>
    scraped
      .samples(family)
      .filter((sample) => sample.labels['pod'] === 'large')
      .map(({ value }) => value);
  expect(scraped.value('pod_used_bytes', labels)).toBe(totalOf(spec));
  expect(sumOf(valuesOf('container_used_bytes'))).toBe(totalOf(spec));
  expect(sumOf(valuesOf('pod_component_used_bytes'))).toBe(totalOf(spec));
  expect(sumOf(valuesOf('volume_used_bytes'))).toBe(sumOf(spec.volumes.map(({ content }) => content.initialBytes)));
  expect(valuesOf('container_used_bytes').length).toBe(Math.min(101, spec.containers.length));
  expect(valuesOf('volume_used_bytes').length).toBe(Math.min(101, spec.volumes.length));
  expect(scraped.value('limit_ratio', { ...labels, rule: 'pod' })).toBe(
    totalOf(spec) / (100 * mib * spec.containers.length),
  );
});

it('a pod of any size is named in a finding, and counted', async () => {
  await using exporter = await start();
  for (const [index, name] of ['501 emptyDirs', '501 containers'].entries())
    exporter.cluster.model.addPod(hostilePod(`large-${index}`, name));
  const scraped = await measured(exporter, 'large-0', 'large-1');
  expect(scraped.value('exporter_unknown_items', { kind: 'volume' })).toBe(401);
  expect(scraped.value('exporter_unknown_items', { kind: 'container' })).toBe(401);
  const { cluster } = JSON.parse((await exporter.get('/api/v1/status')).text) as Status;
  const finding = cluster?.findings.find(({ kind }) => kind === 'not_in_detail');
  expect(finding?.items.map(({ namespace, pod }) => `${namespace}/${pod}`)).toEqual(['evil/large-0', 'evil/large-1']);
});

/** A scrape when the API server has told of the pods and their volumes are measured. */
async function measured(exporter: Exporter, ...pods: readonly string[]): Promise<Scraped> {
  const known = async (): Promise<readonly (string | undefined)[]> => {
    const names = (await exporter.scrape()).samples('pod_limit_bytes').map(({ labels }) => labels['pod']);
    return names.filter((name) => name !== undefined && pods.includes(name));
  };
  await expect.poll(known).toHaveLength(pods.length);
  await exporter.clock.advance(settleMs + ttlMs);
  return exporter.scrape();
}
