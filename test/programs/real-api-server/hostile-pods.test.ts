import { writeFile } from 'node:fs/promises';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { emptyScenario } from '../../../sim/model/scenario.js';
import type { ClusterReport } from '../../../src/people/report/cluster-report.js';
import {
  indexed,
  largestPod,
  manyContainers,
  mountedEmptyDirs,
  type PodParts,
  unmountedEmptyDirs,
} from '../../support/hostile-pods.js';
import type { HttpAnswer } from '../../support/http-get.js';
import { MeasuredExporter } from '../../support/measured-exporter.js';
import { adminToken, hasRealApiServer } from '../../support/real-api-server.js';
import { RealCluster } from '../../support/real-cluster.js';
import { createAll, namespace } from './cluster-objects.js';

const mebibyte = 2 ** 20;

function podObject(name: string, spec: PodParts, labels: Readonly<Record<string, string>> = {}): object {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels }, spec: { nodeName: 'node-1', ...spec } };
}

const countOf = ({ text }: HttpAnswer, pattern: RegExp): number =>
  text.split('\n').filter((line) => pattern.test(line)).length;

describe.skipIf(!hasRealApiServer() || process.platform !== 'linux')(
  'pods that a real API server accepts from everyone who may create pods (needs api-server and kubectl)',
  { timeout: 600_000 },
  () => {
    let cluster: RealCluster;
    let settings: string;
    beforeAll(async () => {
      cluster = await RealCluster.start({ scenario: emptyScenario('node-1') });
      const { server, simulated } = cluster;
      const containers = [{ name: 'app', rootfs: { initialBytes: mebibyte }, logs: { initialBytes: 0 } }];
      simulated.model.addPod({ namespace: 'other', name: 'web-0', nodeName: 'node-1', containers });
      await cluster.settled();
      await createAll(server, 'namespaces', [namespace('shop')]);
      await writeFile(server.file('kubelets.crt'), simulated.caPem);
      settings = `metrics: {profile: full}\nkubelet: {tls: {caFile: ${server.file('kubelets.crt')}}}`;
    });
    afterAll(async () => {
      await cluster[Symbol.asyncDispose]();
    });

    const start = (): Promise<MeasuredExporter> =>
      MeasuredExporter.start(
        { apiUrl: cluster.server.url, caPem: cluster.server.caPem, issueToken: () => adminToken },
        settings,
        { maxHeapMib: 256 },
      );

    async function expectServed(exporter: MeasuredExporter): Promise<HttpAnswer> {
      await exporter.scrape();
      const { result, blockedMs } = await exporter.measured(() => exporter.scrape());
      expect(result.status).toBe(200);
      expect(countOf(result, /^ephemeral_storage_pod_used_bytes{namespace="other",pod="web-0"/)).toBe(1);
      expect(blockedMs).toBeLessThan(1_000);
      const paths = ['/', '/api/v1/status', '/livez'];
      const answers = await Promise.all(paths.map((path) => exporter.get(path)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      return result;
    }

    it('hostile pods cost a bounded part of an exporter that watches them, and of one that starts', async () => {
      await using watching = await start();
      await watching.scrape();
      const beforeBytes = await watching.usedBytes();
      const attacks = [
        ...indexed(3, (index) => podObject(`unmounted-${index}`, unmountedEmptyDirs(60_000))),
        podObject('mounted', mountedEmptyDirs(25_000, 40_000)),
        podObject('containers', manyContainers(2_000)),
        podObject('above-a-bound', manyContainers(501)),
      ];
      // One by one: the API server itself takes seconds for one.
      for (const attack of attacks) await createAll(cluster.server, 'pods', [attack]);
      const infos = /^ephemeral_storage_pod_info{namespace="shop"/;
      await expect
        .poll(async () => countOf(await watching.scrape(), infos), { timeout: 120_000, interval: 500 })
        .toBe(attacks.length);
      const scraped = await expectServed(watching);
      expect(countOf(scraped, /^ephemeral_storage_volume_limit_bytes{.*pod="unmounted/)).toBe(0);
      expect(countOf(scraped, /^ephemeral_storage_volume_limit_bytes{.*pod="mounted"/)).toBe(100);
      expect(scraped.text).toContain(
        `ephemeral_storage_pod_limit_bytes{namespace="shop",pod="containers",node="node-1"} ${2_000 * mebibyte}\n`,
      );
      expect((await watching.usedBytes()) - beforeBytes).toBeLessThan(50 * mebibyte);
      await using starting = await start();
      await expectServed(starting);
    });

    it('hostile pods are served when 110 of one node have names and labels of the largest size', async () => {
      const pods = indexed(110, (index) => largestPod(index));
      await createAll(
        cluster.server,
        'pods',
        pods.map(({ name, labels, spec }) => podObject(name, spec, labels)),
      );
      await using exporter = await start();
      const { text } = await expectServed(exporter);
      for (const { name } of pods) {
        const series = countOf({ text } as HttpAnswer, new RegExp(`pod="${name}"`));
        expect(series).toBeGreaterThan(100);
        expect(series).toBeLessThanOrEqual(1_000);
      }
    });

    it('hostile pods are named in findings', async () => {
      await using exporter = await start();
      await exporter.scrape();
      const { cluster: report } = JSON.parse((await exporter.get('/api/v1/status')).text) as { cluster: ClusterReport };
      const kinds = report.findings.map(({ kind, findingCount }) => [kind, findingCount]);
      expect(kinds).toContainEqual(['not_in_detail', 6]);
      expect(kinds).toContainEqual(['volume_not_mounted', 3]);
    });
  },
);
