import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { demoScenario } from '../../../sim/model/demo-scenario.js';
import type { PodSpec } from '../../../sim/model/specs.js';
import { predictCluster, type Semantics } from '../../oracle/predict.js';
import type { RawNode, RawPod, RawSummary } from '../../oracle/raw.js';
import { differences, seriesKey, type SeriesTable } from '../../oracle/series.js';
import { callKubelet } from '../../sim/wire.js';
import { ManualClock } from '../../support/manual-clock.js';
import { cartPod, containerSpec } from '../../support/pod-specs.js';
import { adminToken, hasRealApiServer, readerToken } from '../../support/real-api-server.js';
import { RealCluster } from '../../support/real-cluster.js';
import { type Scraped, ServedExporter } from './served-exporter.js';
import { serviceAccount } from './shipped.js';

const semantics: Semantics = { attribution: 'measured', controllers: true };

const cart = (name: string): PodSpec =>
  cartPod(name, 'node-3', { containers: [containerSpec(4096, 8192, { limitBytes: 2 ** 30 })] });

/** With 4 KiB of the kubelet's own. */
const cartBytes = 16_384;

const bytesOf = (pod: string): string => seriesKey('pod_used_bytes', { namespace: 'shop', pod, node: 'node-3' });

const keysWith = (table: SeriesTable, text: string): readonly string[] =>
  [...table.keys()].filter((key) => key.includes(text));

const infosOf = ({ present }: Scraped, pod: string): readonly string[] =>
  keysWith(present, 'pod_info{').filter((key) => key.includes(`pod="${pod}"`));

describe.skipIf(!hasRealApiServer())(
  'the exporter of a real API server with simulated kubelets (needs api-server and kubectl)',
  () => {
    /** That of the kubelets: their summaries change when a test says so, and their past is as long as the tests need. */
    let clock: ManualClock;
    let cluster: RealCluster;
    let exporter: ServedExporter;
    beforeAll(async () => {
      clock = new ManualClock({ nowMs: Date.now() - 600_000 });
      cluster = await RealCluster.start({ clock, scenario: { ...demoScenario, faultSchedules: [] } });
      exporter = await ServedExporter.start(cluster);
    });
    afterAll(async () => {
      await exporter[Symbol.asyncDispose]();
      await cluster[Symbol.asyncDispose]();
    });

    /** What follows from the kubelets' and the API server's own words. */
    async function predicted(): Promise<SeriesTable> {
      const listed = async (resource: string): Promise<readonly unknown[]> => {
        const { items } = await cluster.server.request(`/api/v1/${resource}`);
        return items as readonly unknown[];
      };
      const nodes = (await listed('nodes')) as readonly RawNode[];
      const pods = (await listed('pods')) as readonly RawPod[];
      const summaries = await Promise.all(
        nodes.map(async ({ metadata: { name } }) => {
          const { text } = await callKubelet(cluster.simulated, name, { token: adminToken });
          return JSON.parse(text) as RawSummary;
        }),
      );
      return predictCluster({ summaries, pods, nodes }, semantics);
    }

    /** Waits until an exposition is as predicted, and returns it. */
    async function scrapedAsPredicted(): Promise<Scraped> {
      await cluster.settled();
      const expected = await predicted();
      let scraped = await exporter.scrape();
      await expect
        .poll(async () => {
          scraped = await exporter.scrape();
          return differences(expected, scraped.present);
        })
        .toEqual([]);
      return scraped;
    }

    async function watchesAre(connected: 0 | 1): Promise<void> {
      const connections = async (): Promise<readonly (number | undefined)[]> => {
        const { others } = await exporter.scrape();
        return ['nodes', 'pods'].map((resource) =>
          others.get(seriesKey('exporter_store_watch_connected', { resource })),
        );
      };
      // The longest pause between two attempts is half a minute.
      await expect.poll(connections, { timeout: 60_000 }).toEqual([connected, connected]);
    }

    it('the exporter has the series and values that follow from the summaries and the objects, and no others', async () => {
      const { present } = await scrapedAsPredicted();
      expect(keysWith(present, 'pod_used_bytes').length).toBeGreaterThan(15);
      expect(keysWith(present, 'node_data_available')).toHaveLength(5);
    });

    it('the exporter reads summaries that its service account may read, and nobody without nodes/stats', async () => {
      const { namespace, name } = serviceAccount;
      const token = await cluster.server.serviceAccountToken(namespace, name);
      const statusOf = async (sent?: string): Promise<number> =>
        (await callKubelet(cluster.simulated, 'node-1', { token: sent })).status;
      expect(await Promise.all([token, readerToken, 'unknown', undefined].map(statusOf))).toEqual([200, 403, 401, 401]);
    });

    it('a pod has its bytes in the first scrape that knows it, and nothing when it is deleted', async () => {
      cluster.simulated.model.addPod(cart('cart-0'));
      await cluster.settled();
      let first = await exporter.scrape();
      await expect
        .poll(async () => {
          first = await exporter.scrape();
          return infosOf(first, 'cart-0').length;
        })
        .toBe(1);
      expect(first.present.get(bytesOf('cart-0'))).toBe(cartBytes);
      await scrapedAsPredicted();
      cluster.simulated.model.deletePod('shop', 'cart-0');
      const { present } = await scrapedAsPredicted();
      expect(keysWith(present, '"cart-0"')).toEqual([]);
    });

    it('another pod of the same name is known by its own UID', async () => {
      cluster.simulated.model.addPod(cart('cart-1'));
      const before = await scrapedAsPredicted();
      cluster.simulated.model.deletePod('shop', 'cart-1');
      cluster.simulated.model.addPod(cart('cart-1'));
      const after = await scrapedAsPredicted();
      expect(infosOf(before, 'cart-1')).toHaveLength(1);
      expect(infosOf(after, 'cart-1')).toHaveLength(1);
      expect(infosOf(after, 'cart-1')).not.toEqual(infosOf(before, 'cart-1'));
    });

    it('the exporter follows jobs, restarts and evictions of five minutes', async () => {
      const reports = { namespace: 'ops', workload: 'report', workload_type: 'cronjob' };
      const key = seriesKey('workload_evictions_total', { ...reports, cause: 'emptydir_limit' });
      expect((await exporter.scrape()).others.get(key)).toBe(0);
      for (let minute = 0; minute < 5; minute += 1) {
        await clock.advance(60_000);
        await scrapedAsPredicted();
      }
      expect((await exporter.scrape()).others.get(key)).toBe(1);
    });

    it('the exporter has nothing of a node that is deleted, and its data again when it is back', async () => {
      const spec = cluster.simulated.model.node('node-5')?.spec;
      if (spec === undefined) throw new Error('no node-5');
      await cluster.simulated.removeNode('node-5');
      expect(keysWith((await scrapedAsPredicted()).present, 'node="node-5"')).toEqual([]);
      await cluster.simulated.addNode(spec);
      const { present } = await scrapedAsPredicted();
      expect(present.get(seriesKey('node_data_available', { node: 'node-5' }))).toBe(1);
    });

    it('the exporter goes on while the API server restarts, and then knows what is new', async () => {
      const before = await scrapedAsPredicted();
      await watchesAre(1);
      await cluster.server.stopProcess();
      await watchesAre(0);
      expect(differences(before.present, (await exporter.scrape()).present)).toEqual([]);
      await cluster.server.startProcess();
      await watchesAre(1);
      cluster.simulated.model.addPod(cart('cart-2'));
      expect((await scrapedAsPredicted()).present.get(bytesOf('cart-2'))).toBe(cartBytes);
    });
  },
);
