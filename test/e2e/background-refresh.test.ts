// @module-tag sockets

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';

import { expect, it } from 'vitest';

import { emptyScenario } from '../../sim/model/scenario.js';
import { Exporter } from '../support/exporter.js';
import { mib } from '../support/units.js';

/**
 * Requests for summaries, from the moment at which this process creates them: what has not been created when the clock has
 * been advanced does not come. https://nodejs.org/api/diagnostics_channel.html#http
 */
class SummaryRequests implements Disposable {
  count = 0;
  readonly #onStart = (message: unknown): void => {
    const { request } = message as { readonly request: ClientRequest };
    if (request.path.startsWith('/stats/summary')) this.count += 1;
  };

  constructor() {
    subscribe(channel, this.#onStart);
  }

  [Symbol.dispose](): void {
    unsubscribe(channel, this.#onStart);
  }
}

const channel = 'http.client.request.start';

it.each([
  { settings: 'nearTtl: 10s', isRefreshed: true },
  { settings: 'nearTtl: 0', isRefreshed: false },
])('a node with a pod near its limit is refreshed without scrapes with $settings: $isRefreshed', async (given) => {
  await using exporter = await Exporter.start({
    scenario: emptyScenario('node-1'),
    settings: `cache: {${given.settings}}`,
  });
  await exporter.synced();
  exporter.cluster.model.addPod({
    namespace: 'shop',
    name: 'cart-0',
    nodeName: 'node-1',
    containers: [{ name: 'main', limitBytes: 10 * mib, rootfs: { initialBytes: 9 * mib }, logs: { initialBytes: 0 } }],
  });
  await expect.poll(async () => (await exporter.scrape()).value('node_pods_running', { node: 'node-1' })).toBe(1);
  await exporter.clock.advance(60_000);
  await exporter.scrape();
  using requests = new SummaryRequests();
  await exporter.clock.advance(120_000);
  expect(requests.count > 0).toBe(given.isRefreshed);
  await exporter.scrape();
  expect(requests.count).toBeGreaterThan(0); // so requests are seen at all
});

it('with a hundred nodes, kubelets are scraped before the first scrape, which requests nothing', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `node-${index}`);
  const once = Object.fromEntries(names.map((name) => [name, 1]));
  await using exporter = await Exporter.start({ scenario: emptyScenario(...names) });
  await exporter.synced();
  await expect
    .poll(async () => {
      await exporter.clock.advance(1_000);
      return exporter.requestCounts();
    })
    .toEqual(once);
  await expect.poll(async () => (await exporter.scrape()).value('node_data_available', { node: 'node-1' })).toBe(1);
  expect(exporter.requestCounts()).toEqual(once);
});
