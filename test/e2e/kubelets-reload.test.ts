// @module-tag sockets

import { expect, it } from 'vitest';

import { Exporter } from '../support/exporter.js';

/** An exporter that has just asked a kubelet which takes 40 s to respond. */
async function waiting(): Promise<Exporter> {
  const exporter = await Exporter.start({ settings: 'kubelet: {requestTimeout: 50s}' });
  await exporter.synced();
  await exporter.cluster.setFault('node-1', 'slow:40000');
  const scraped = exporter.scrape({ 'X-Prometheus-Scrape-Timeout-Seconds': '1' });
  await expect.poll(() => exporter.requestCounts()['node-1']).toBe(1);
  await exporter.clock.advance(1_000);
  expect((await scraped).value('node_data_available', { node: 'node-1' })).toBe(0);
  return exporter;
}

/** Waits for the request in flight. */
const isAvailable = async (exporter: Exporter): Promise<boolean> =>
  (await exporter.scrape()).value('node_data_available', { node: 'node-1' }) === 1;

it('a request in flight goes on when new settings reach kubelets in the same way', async () => {
  await using exporter = await waiting();
  await exporter.apply('kubelet: {requestTimeout: 45s, maxBodySize: 1Mi}');
  await exporter.apply('kubelet: {requestTimeout: 46s}');
  await exporter.clock.advance(40_000);
  expect(await isAvailable(exporter)).toBe(true);
  expect(exporter.requestCounts()).toEqual({ 'node-1': 1 });
});

it('a request in flight is sent again when new settings reach kubelets in another way', async () => {
  await using exporter = await waiting();
  await exporter.cluster.setFault('node-1', undefined);
  await exporter.apply('kubelet: {requestTimeout: 50s, tls: {serverName: "{node}"}}');
  await expect.poll(() => exporter.requestCounts()['node-1']).toBe(2);
  expect(await isAvailable(exporter)).toBe(true);
  expect(exporter.requestCounts()).toEqual({ 'node-1': 2 });
});

it('connections to kubelets are kept', async () => {
  await using exporter = await Exporter.start({});
  await exporter.synced();
  await exporter.scrape();
  expect(await exporter.cluster.kubeletConnectionCount('node-1')).toBe(1);
});
