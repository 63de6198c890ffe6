import fc from 'fast-check';
import { expect, it } from 'vitest';

import { connectionBudget } from '../../src/serve/app/connection-budget.js';

function configuredBy(maxConcurrentRequests: number) {
  return { maxConcurrentRequests };
}

/** [requests by the settings, limit of open files, connections of readers, requests, kept connections] */
it.each([
  [64, undefined, 400, 64, 1_024],
  [64, 1_048_576, 400, 64, 1_024],
  [64, 1_024, 400, 64, 460],
  [64, 256, 78, 39, 39],
  [64, 194, 47, 23, 24],
  [64, 128, 25, 13, 13],
  [64, 64, 12, 6, 7],
  [1, 64, 12, 1, 12],
  [10_000, 1_024, 400, 262, 262],
])('a budget for %d requests within %s files gives readers %d, kubelets %d and %d', (configured, limit, ...parts) => {
  const { maxReaderConnections, maxConcurrentRequests, maxKeptConnections } = connectionBudget(
    configuredBy(configured),
    limit,
  );
  expect([maxReaderConnections, maxConcurrentRequests, maxKeptConnections]).toEqual(parts);
});

it('the budget fits in any limit from 64 on, with what the process itself needs', () => {
  fc.assert(
    fc.property(fc.integer({ min: 64, max: 4_096 }), fc.integer({ min: 1, max: 1_000 }), (limit, configured) => {
      const budget = connectionBudget(configuredBy(configured), limit);
      const { maxReaderConnections, maxConcurrentRequests, maxKeptConnections } = budget;
      expect(maxReaderConnections + maxConcurrentRequests + maxKeptConnections + 38).toBeLessThanOrEqual(limit);
      expect(maxReaderConnections).toBeGreaterThanOrEqual(12);
      expect(maxConcurrentRequests).toBeGreaterThanOrEqual(Math.min(4, configured));
    }),
  );
});

it.each([
  [200, 628, 200],
  [1_000, 1_564, 1_000],
  [5_000, 1_588, 1_024],
])('the budget for %d nodes names %d, with which %d connections are kept', (nodeCount, needed, keptCount) => {
  const { neededOpenFiles } = connectionBudget(configuredBy(64));
  expect(neededOpenFiles(nodeCount)).toBe(needed);
  expect(connectionBudget(configuredBy(64), needed)).toMatchObject({
    maxConcurrentRequests: 64,
    maxKeptConnections: keptCount,
  });
  expect(connectionBudget(configuredBy(64), needed - 2).maxKeptConnections).toBeLessThan(keptCount);
});
