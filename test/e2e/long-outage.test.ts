// @module-tag sockets

import { expect, it } from 'vitest';

import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import type { ApiFault } from '../../sim/simulated-faults.js';
import { cartPod } from '../support/cart-pod.js';
import { Exporter, type Scraped } from '../support/exporter.js';
import { atNight } from '../support/nightly.js';

const outageMs = atNight(600_000, 150_000);
const windowMs = 10_000;
/** By then the pauses are at their longest. */
const backedOffAfterMs = 60_000;
/** The longest pause of a list or watch, and a second for the list. */
const longestPauseMs = 31_000;

const scenario: Scenario = {
  ...emptyScenario('node-1', 'node-2'),
  populate: ({ model }) => {
    for (const nodeName of ['node-1', 'node-2']) model.addPod(cartPod(`cart-${nodeName}`, nodeName));
  },
};

async function start(settings = ''): Promise<Exporter> {
  const exporter = await Exporter.start({ scenario, settings });
  await exporter.settled();
  expect(podsOf(await exporter.scrape())).toEqual(['cart-node-1', 'cart-node-2']);
  return exporter;
}

function podsOf(scraped: Scraped): readonly (string | undefined)[] {
  return scraped
    .samples('pod_used_bytes')
    .map(({ labels }) => labels['pod'])
    .sort();
}

const ofCart = { namespace: 'shop', workload: 'cart' };

it.each<ApiFault>(['status:503', 'status:429'])(
  'an API server that is away for minutes is asked seldom, and what is known is served: %s',
  async (fault) => {
    await using exporter = await start();
    const { cluster, clock } = exporter;
    const before = await exporter.scrape();
    const progress = before.samples('exporter_store_last_progress_timestamp_seconds').map(({ value }) => value);
    await cluster.setApiFault(fault);
    cluster.dropWatches();
    cluster.model.addPod(cartPod('late', 'node-1'));
    const requestCounts: number[] = [];
    for (let elapsedMs = 0; elapsedMs < outageMs; elapsedMs += windowMs) {
      const seenCount = cluster.apiRequests.length;
      await clock.advance(windowMs);
      const scraped = await exporter.scrape();
      const requested = cluster.apiRequests.slice(seenCount).map(({ path }) => path);
      if (elapsedMs >= backedOffAfterMs) {
        for (const path of ['/api/v1/nodes', '/api/v1/pods']) {
          requestCounts.push(requested.filter((one) => one === path).length);
        }
      }
      expect(podsOf(scraped)).toEqual(['cart-node-1', 'cart-node-2']);
      expect(scraped.value('workload_pods_measured', ofCart)).toBe(2);
    }
    expect(Math.max(...requestCounts)).toBeLessThanOrEqual(2);
    const after = await exporter.scrape();
    expect(after.samples('exporter_store_last_progress_timestamp_seconds').map(({ value }) => value)).toEqual(progress);
    expect(after.value('exporter_store_watch_connected', { resource: 'pods' })).toBe(0);
    const readiness = await exporter.get('/readyz?verbose');
    expect(readiness.status).toBe(200);
    expect(readiness.text).toMatch(
      atNight(/\[\+\]pods ok: .*last progress 1\dm/, /\[\+\]pods ok: .*last progress [23]m/),
    );

    await cluster.setApiFault(undefined);
    const startMs = clock.monotonicMs();
    const isWhole = async (): Promise<boolean> => {
      await clock.advance(1_000);
      return podsOf(await exporter.scrape()).includes('late');
    };
    await expect.poll(isWhole, { interval: 5, timeout: 15_000 }).toBe(true);
    const summaryMs = 55_000; // of the node's last summary, which does not have the pod
    expect(clock.monotonicMs() - startMs).toBeLessThanOrEqual(longestPauseMs + summaryMs);
  },
);

it('a cluster is whole again within the longest pause of an API server and a list', async () => {
  await using exporter = await start();
  const { cluster, clock } = exporter;
  await cluster.setApiFault('down');
  cluster.model.addPod(cartPod('late', 'node-1'));
  cluster.model.deletePod('shop', 'cart-node-2');
  await clock.advance(outageMs);
  await cluster.setApiFault(undefined);
  const startMs = clock.monotonicMs();
  const known = async (): Promise<readonly (string | undefined)[]> => {
    await clock.advance(1_000);
    const scraped = await exporter.scrape();
    return scraped.samples('pod_workload_info').map(({ labels }) => labels['pod']);
  };
  await expect.poll(known, { interval: 5, timeout: 15_000 }).toEqual(expect.arrayContaining(['late']));
  expect(clock.monotonicMs() - startMs).toBeLessThanOrEqual(longestPauseMs);
  expect(await known()).not.toContain('cart-node-2');
});

it('workloads are back in the first scrape after their nodes are, after minutes', async () => {
  await using exporter = await start('workloads: {controllers: true}');
  const { cluster, clock } = exporter;
  for (const nodeName of ['node-1', 'node-2']) await cluster.setFault(nodeName, 'status:503');
  for (let elapsedMs = 0; elapsedMs < outageMs; elapsedMs += 30_000) {
    await clock.advance(30_000);
    await exporter.scrape();
  }
  expect((await exporter.scrape()).value('workload_used_bytes', ofCart)).toBe(undefined);
  for (const nodeName of ['node-1', 'node-2']) await cluster.setFault(nodeName, undefined);
  for (;;) {
    const scraped = await exporter.scrape();
    const nodes = scraped.samples('node_data_available').map(({ value }) => value);
    const isBack = nodes.every((value) => value === 1);
    expect(scraped.value('workload_complete', ofCart) === 1).toBe(isBack);
    if (isBack) break;
    await clock.advance(1_000);
  }
});
