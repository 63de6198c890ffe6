// @module-tag sockets

import { expect, it } from 'vitest';

import { emptyScenario } from '../../sim/model/scenario.js';
import { Exporter } from '../support/exporter.js';
import { cartPod } from '../support/pod-specs.js';

const cart = cartPod('cart-0', 'node-1');
const cartBytes = 16_384;
const started = 'exporter_lifecycle_events_total';

it.each([
  { nearTtl: '10s', requestCount: 2, usedBytes: cartBytes },
  { nearTtl: '0', requestCount: 1, usedBytes: undefined },
])('a pod that starts has values in the scrape 15 s later with nearTtl $nearTtl: $usedBytes', async (expected) => {
  await using exporter = await Exporter.start({
    scenario: emptyScenario('node-1'),
    settings: `cache: {nearTtl: ${expected.nearTtl}}`,
  });
  await exporter.synced();
  await exporter.scrape();
  await exporter.clock.advance(3_000);
  exporter.cluster.model.addPod(cart);
  await expect.poll(async () => (await exporter.scrape()).value(started, { type: 'started' })).toBe(1);
  expect(exporter.requestCounts()['node-1']).toBe(1);
  await exporter.clock.advance(12_000);
  const scraped = await exporter.scrape();
  expect(scraped.value('pod_used_bytes', { pod: 'cart-0' })).toBe(expected.usedBytes);
  expect(exporter.requestCounts()['node-1']).toBe(expected.requestCount);
});

it('a pod has values in the first scrape that can have them, though the first summary lacked it', async () => {
  await using exporter = await Exporter.start({ scenario: emptyScenario('node-1') });
  await exporter.synced();
  await exporter.scrape();
  await exporter.clock.advance(28_500);
  exporter.cluster.model.addPod({ ...cart, listedAfterMs: 3_000 });
  await expect.poll(() => exporter.app.metrics.registry.metrics()).toContain('type="started"} 1');
  await exporter.clock.advance(1_500);
  expect((await exporter.scrape()).value('pod_used_bytes', { pod: 'cart-0' })).toBeUndefined();
  await exporter.clock.advance(15_000);
  expect((await exporter.scrape()).value('pod_used_bytes', { pod: 'cart-0' })).toBe(cartBytes);
});
