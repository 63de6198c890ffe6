// @module-tag sockets

import { setTimeout as wait } from 'node:timers/promises';

import { expect, it } from 'vitest';

import { emptyScenario } from '../../sim/model/scenario.js';
import { Exporter } from '../support/exporter.js';

/** Enough for what only takes turns of the event loop, were it to happen. */
const someTurnsMs = 50;

it('a stop lets the running scrape finish, then ends background tasks and watches, and is done', async () => {
  await using exporter = await Exporter.start({
    scenario: emptyScenario(...Array.from({ length: 100 }, (_, index) => `node-${index}`)),
  });
  await exporter.synced();
  await expect.poll(() => exporter.cluster.openWatchCount, { interval: 5 }).toBe(2);
  await exporter.cluster.setFault('node-1', 'hang');
  const scraping = exporter.scrape();
  await expect.poll(() => exporter.requestCounts()['node-1'], { interval: 5 }).toBe(1);
  const order: string[] = [];
  void exporter.app.done.then(() => order.push('done'));
  const stopping = exporter.app[Symbol.asyncDispose]().then(() => order.push('stopped'));
  await wait(someTurnsMs);
  expect([order, exporter.cluster.openWatchCount]).toEqual([[], 2]);
  const isStopped = async (): Promise<boolean> => {
    await exporter.clock.advance(100);
    return order.includes('stopped');
  };
  await expect.poll(isStopped, { interval: 5 }).toBe(true);
  const scraped = await scraping;
  expect(['node-1', 'node-2'].map((node) => scraped.value('node_data_available', { node }))).toEqual([0, 1]);
  expect(order).toEqual(['done', 'stopped']);
  await stopping;
  await expect.poll(() => exporter.cluster.openWatchCount, { interval: 5 }).toBe(0);
  const counts = exporter.requestCounts();
  await exporter.clock.advance(600_000);
  expect(exporter.requestCounts()).toEqual(counts);
});
