import { describe, expect, it } from 'vitest';

import { emptyScenario } from '../../sim/model/scenario.js';
import type { PodSpec } from '../../sim/model/specs.js';
import type { Status } from '../../src/status/status.js';
import { Exporter, type Scraped } from '../support/exporter.js';

const hourMs = 3_600_000;
const graceMs = 60_000;
const ttlMs = 55_000;
/** Long enough for grace periods to end. */
const settleMs = 180_000;

const cart = (name: string, nodeName: string): PodSpec => ({
  namespace: 'shop',
  name,
  nodeName,
  owner: { kind: 'StatefulSet', name: 'cart' },
  containers: [{ name: 'main', rootfs: { initialBytes: 4096 }, logs: { initialBytes: 8192 } }],
});

describe('a hundred silent nodes', () => {
  it('H12: are one line in the log, with their number and examples', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `node-${String(index).padStart(2, '0')}`);
    await using exporter = await Exporter.start({ scenario: emptyScenario(...names) });
    await exporter.synced();
    for (const name of names) await exporter.cluster.setFault(name, 'down');
    const scraped = await exporter.scrape();
    expect(scraped.samples('node_absent_info')).toHaveLength(100);
    await exporter.clock.advance(1_000);
    const lines = exporter.log.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    expect(lines.filter(({ level }) => level === 'warn')).toEqual([
      expect.objectContaining({
        msg: 'failed to scrape kubelets',
        nodeCount: 100,
        nodes: 'node-00, node-01, node-02 and 97 more',
        reason: 'connection',
      }),
    ]);
  });
});

describe.each([
  ['set back by an hour', -hourMs],
  ['set forward by a day', 24 * hourMs],
])('a wall clock that is %s', (_case, jumpMs) => {
  /** A measured pod on node-1, and one on node-2, which is silent. */
  const start = async (): Promise<Exporter> => {
    const exporter = await Exporter.start({
      scenario: {
        ...emptyScenario('node-1', 'node-2'),
        populate: ({ model }) => {
          model.addPod(cart('cart-0', 'node-1'));
          model.addPod(cart('cart-1', 'node-2'));
        },
        faults: { 'node-2': 'status:500' },
      },
    });
    await exporter.synced();
    await exporter.clock.advance(settleMs);
    return exporter;
  };
  const podsOf = (scraped: Scraped): number | undefined => scraped.value('workload_pods', { workload: 'cart' });

  it('H11: changes nothing about which pods are expected', async () => {
    await using exporter = await start();
    exporter.clock.jumpWallTime(jumpMs);
    expect(podsOf(await exporter.scrape())).toBe(2);
    exporter.cluster.model.addPod(cart('cart-2', 'node-2'));
    await expect.poll(async () => (await exporter.scrape()).value('pod_workload_info', { pod: 'cart-2' })).toBe(1);
    expect(podsOf(await exporter.scrape())).toBe(2);
    await exporter.clock.advance(graceMs + 1_000);
    const later = await exporter.scrape();
    expect(podsOf(later)).toBe(3);
    expect(later.value('workload_complete', { workload: 'cart' })).toBe(0);
  });

  it('H11: does not make a summary without pods plausible', async () => {
    await using exporter = await start();
    exporter.clock.jumpWallTime(jumpMs);
    await exporter.cluster.setFault('node-1', 'empty');
    await exporter.clock.advance(ttlMs);
    const absent = (await exporter.scrape()).samples('node_absent_info').map(({ labels }) => labels);
    expect(absent).toContainEqual({ node: 'node-1', reason: 'empty' });
  });

  it('H11: ages nothing on the status page', async () => {
    await using exporter = await start();
    exporter.clock.jumpWallTime(jumpMs);
    const { health, problems } = JSON.parse((await exporter.get('/api/v1/status')).text) as Status;
    expect(health.settingsAgeMs).toBe(settleMs);
    for (const { lastProgressAgeMs } of health.stores) expect(lastProgressAgeMs).toBeLessThanOrEqual(settleMs);
    expect(problems.map(({ text }) => text)).toEqual([expect.stringMatching(/node without data/)]);
  });
});
