// @module-tag sockets

/** The complete exporter, while somebody who may create pods in one namespace creates what an API server accepts. */
import { describe, expect, it } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario } from '../../sim/model/scenario.js';
import type { PodSpec } from '../../sim/model/specs.js';
import { parseExposition } from '../support/exposition-parser.js';
import { indexed, largestPod, mountedEmptyDirs, type PodParts, unmountedEmptyDirs } from '../support/hostile-pods.js';
import type { HttpAnswer } from '../support/http-get.js';
import { MeasuredExporter } from '../support/measured-exporter.js';
import { atNight } from '../support/nightly.js';

const mebibyte = 2 ** 20;

/** The kubelet measures one container. */
function podOf(name: string, parts: PodParts, nodeName = 'node-1'): PodSpec {
  const containers = [{ name: 'app', rootfs: { initialBytes: mebibyte }, logs: { initialBytes: 0 } }];
  return { namespace: 'attacker', name, nodeName, containers, asIs: { ...parts } };
}

/** One pod of another namespace on the same node. */
async function startCluster(): Promise<SimulatedCluster> {
  const cluster = await SimulatedCluster.start({ scenario: emptyScenario('node-1', 'node-2') });
  const containers = [{ name: 'app', rootfs: { initialBytes: 3 * mebibyte }, logs: { initialBytes: 0 } }];
  cluster.model.addPod({ namespace: 'shop', name: 'web-0', nodeName: 'node-1', containers });
  return cluster;
}

function linesOf({ text }: HttpAnswer, pattern: RegExp): readonly string[] {
  return text.split('\n').filter((line) => !line.startsWith('#') && pattern.test(line));
}

async function hasPods(exporter: MeasuredExporter, count: number): Promise<void> {
  const pattern = /^ephemeral_storage_exporter_store_objects\{.*resource="pods".*\} /;
  await expect
    .poll(
      async () => linesOf(await exporter.get('/metrics?collect[]=exporter'), pattern).map((line) => line.split(' ')[1]),
      {
        timeout: 120_000,
        interval: 250,
      },
    )
    .toEqual([String(count)]);
}

/** What was there before is served as before. */
function expectOthersServed(scraped: HttpAnswer): void {
  expect(scraped.status).toBe(200);
  expect(linesOf(scraped, /^ephemeral_storage_pod_used_bytes\{namespace="shop",pod="web-0"/)).toHaveLength(1);
  expect(linesOf(scraped, /^ephemeral_storage_node_data_available\{.*\} 1$/)).toHaveLength(2);
}

const measures = { retry: 2, timeout: 300_000 };
const [addedCount, largestCount] = [atNight(20, 2), atNight(110, 10)];

describe.skipIf(process.platform !== 'linux')('pods with 60,000 emptyDirs that no container mounts', () => {
  it(
    `${addedCount} pods with 60,000 unmounted emptyDirs take next to no memory and time, one by one`,
    measures,
    async () => {
      await using cluster = await startCluster();
      await using exporter = await MeasuredExporter.start(cluster, '', { maxHeapMib: 160 });
      for (let count = 0; count < 3; count += 1) await exporter.scrape();
      const beforeBytes = await exporter.usedBytes();
      for (const index of indexed(addedCount, (at) => at)) {
        cluster.model.addPod(podOf(`a${index}`, unmountedEmptyDirs(60_000, `a${index}-`)));
        await hasPods(exporter, index + 2);
      }
      const { result, blockedMs } = await exporter.measured(() => exporter.scrape());
      expectOthersServed(result);
      expect(linesOf(result, /^ephemeral_storage_volume_limit_bytes/)).toEqual([]);
      expect(result.body.length).toBeLessThan(mebibyte);
      expect(blockedMs).toBeLessThan(1_000);
      expect((await exporter.usedBytes()) - beforeBytes).toBeLessThan(50 * mebibyte);
    },
  );

  it.each(atNight([14, 20], [1]))(
    'a process starts among %i pods with 60,000 unmounted emptyDirs',
    measures,
    async (podCount) => {
      await using cluster = await startCluster();
      for (const index of indexed(podCount, (at) => at)) {
        cluster.model.addPod(podOf(`a${index}`, unmountedEmptyDirs(60_000, `a${index}-`)));
      }
      await using exporter = await MeasuredExporter.start(cluster, 'metrics: {profile: full}', { maxHeapMib: 160 });
      await exporter.scrape();
      const { result, blockedMs } = await exporter.measured(() => exporter.scrape());
      expectOthersServed(result);
      expect(result.body.length).toBeLessThan(mebibyte);
      expect(blockedMs).toBeLessThan(1_000);
      expect(await exporter.usedBytes()).toBeLessThan(120 * mebibyte);
    },
  );
});

describe.skipIf(process.platform !== 'linux')('pods with 25,000 emptyDirs and 40,000 mounts', () => {
  it.each(atNight(['/', '/api/v1/status'], ['/']))(
    'pods with 40,000 mounts do not block %s',
    measures,
    async (path) => {
      await using cluster = await startCluster();
      for (const index of atNight([0, 1, 2], [0])) {
        cluster.model.addPod(podOf(`a${index}`, mountedEmptyDirs(25_000, 40_000, `a${index}-`)));
      }
      await using exporter = await MeasuredExporter.start(cluster, '');
      await exporter.scrape();
      const { result, blockedMs } = await exporter.measured(async () => {
        const page = exporter.get(path);
        const probes = indexed(5, () => exporter.get('/livez'));
        const [{ status }, ...alive] = await Promise.all([page, ...probes]);
        return [status, ...alive.map((probe) => probe.status)];
      });
      expect(result).toEqual([200, 200, 200, 200, 200, 200]);
      expect(blockedMs).toBeLessThan(1_000);
    },
  );
});

describe.skipIf(process.platform !== 'linux')('pods with names and labels of the largest size on one node', () => {
  it(
    `${largestCount} pods with largest names have at most 1,000 series each; others are served`,
    measures,
    async () => {
      await using cluster = await startCluster();
      const pods = indexed(largestCount, (index) => largestPod(index));
      for (const { name, labels, spec } of pods) {
        cluster.model.addPod({ ...podOf(name, spec, 'node-2'), labels });
      }
      await using exporter = await MeasuredExporter.start(cluster, 'metrics: {profile: full}', { maxHeapMib: 400 });
      await exporter.scrape();
      const { result, blockedMs } = await exporter.measured(() => exporter.scrape());
      expectOthersServed(result);
      expect(blockedMs).toBeLessThan(1_000);
      const families = parseExposition(result.body, 'text');
      const counts = new Map<string, number>();
      for (const { labels } of families.flatMap(({ samples }) => samples)) {
        if (labels['namespace'] === 'attacker')
          counts.set(labels['pod'] ?? '', (counts.get(labels['pod'] ?? '') ?? 0) + 1);
      }
      expect([...counts.keys()].filter((pod) => pod !== '').sort()).toEqual(pods.map(({ name }) => name).sort());
      counts.delete('');
      expect(Math.max(...counts.values())).toBeLessThanOrEqual(1_000);
      expect((await exporter.get('/')).status).toBe(200);
      expect((await exporter.get('/livez')).status).toBe(200);
    },
  );
});
