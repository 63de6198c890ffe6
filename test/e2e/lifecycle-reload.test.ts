// @module-tag sockets

import { expect, it } from 'vitest';

import type { Rule } from '../../sim/access.js';
import { emptyScenario } from '../../sim/model/scenario.js';
import { Exporter, settingsOf } from '../support/exporter.js';

const rulesFor = (...namespaces: string[]): readonly Rule[] => [
  { verbs: ['list', 'watch'], resources: ['nodes'] },
  { verbs: ['list', 'watch'], resources: ['pods'], namespaces },
];

it('what happens to pods is counted once while a reload waits for its first lists, and after it', async () => {
  const settings = 'cluster: {namespaces: [shop]}';
  await using exporter = await Exporter.start({
    scenario: emptyScenario('node-1'),
    settings,
    rules: rulesFor('shop'),
  });
  await exporter.synced();
  const startedCount = async () =>
    (await exporter.scrape()).value('exporter_lifecycle_events_total', { type: 'started' });
  const start = (name: string): void => {
    const containers = [{ name: 'main', rootfs: { initialBytes: 4096 }, logs: { initialBytes: 4096 } }];
    exporter.cluster.model.addPod({ namespace: 'shop', name, nodeName: 'node-1', containers });
  };
  const applied = exporter.app.apply(settingsOf('cluster: {namespaces: [shop, media]}')).then(() => 'applied');
  await expect.poll(() => exporter.log.join('')).toContain('namespaces/media');
  for (const [index, name] of ['cart-0', 'cart-1', 'cart-2'].entries()) {
    start(name);
    await expect.poll(startedCount).toBe(index + 1);
  }
  exporter.cluster.access.setRules('exporter', rulesFor('shop', 'media'));
  await exporter.clock.advance(50_000);
  expect(await applied).toBe('applied');
  start('cart-3');
  await expect.poll(startedCount).toBe(4);
});
