// @module-tag sockets

import { expect, it } from 'vitest';

import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import { Exporter } from '../support/exporter.js';
import { cartPod } from '../support/pod-specs.js';

const ttlMs = 300_000;
/** Unknown pods count after a minute. */
const graceMs = 60_000;

const scenario: Scenario = {
  ...emptyScenario('node-1'),
  populate: ({ model }) => {
    for (const name of ['cart-0', 'cart-1']) model.addPod(cartPod(name, 'node-1'));
  },
};

/** The pods of `node-1` that the API server does not know, a minute after another pod has changed the node. */
async function unknownCount(exporter: Exporter, newPod: string): Promise<number | undefined> {
  const { cluster, clock } = exporter;
  cluster.model.addPod(cartPod(newPod, 'node-1'));
  const isKnown = async () => (await exporter.scrape()).value('pod_workload_info', { pod: newPod });
  await expect.poll(isKnown, { interval: 5 }).toBe(1);
  await clock.advance(graceMs + 1_000);
  return (await exporter.scrape()).value('node_pods_dangling', { node: 'node-1' });
}

it('a pod is known to be deleted as long as a summary from before is served, also over a reload', async () => {
  await using exporter = await Exporter.start({ scenario, settings: 'cache: {ttl: 5m}' });
  await exporter.synced();
  const { cluster, clock } = exporter;
  await clock.advance(graceMs);
  expect((await exporter.scrape()).samples('pod_used_bytes')).toHaveLength(2);
  await cluster.setFault('node-1', 'status:500');
  cluster.model.deletePod('shop', 'cart-0');
  await clock.advance(graceMs);
  expect(await unknownCount(exporter, 'cart-2')).toBe(0);
  await exporter.apply('{cache: {ttl: 5m}, cluster: {namespaces: [shop]}}');
  expect(await unknownCount(exporter, 'cart-3')).toBe(0);
  await clock.advance(ttlMs);
  const last = await exporter.scrape();
  expect(last.value('node_data_available', { node: 'node-1' })).toBe(1);
  expect(last.value('node_pods_dangling', { node: 'node-1' })).toBe(0);
});
