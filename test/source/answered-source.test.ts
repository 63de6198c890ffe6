import { expect, it } from 'vitest';

import { untilAnswered } from '../../src/serve/source/exporter-views.js';
import type { ViewReader } from '../../src/serve/source/view-source.js';
import { ManualClock } from '../support/manual-clock.js';
import { never } from '../support/signals.js';
import { aClusterSnapshot, anAbsentNode, aReading } from '../support/snapshot-builders.js';
import { viewsOf } from '../support/views.js';

it.each<[what: string, awaitedCounts: readonly number[], askedAtMs: readonly number[]]>([
  ['has all responses', [0], [0]],
  ['has them a moment later', [2, 0], [0, 250]],
  ['has a kubelet that hangs', [1], [0, 250, 750, 1_750]],
  ['has one that hangs beside others that are slow', [9, 5, 1], [0, 250, 750, 1_750]],
  ['is asked on while more respond', [5, 4, 3, 2, 1], [0, 250, 750, 1_750, 2_750]],
  ['loses data meanwhile', [1, 2, 2, 0], [0, 250, 750, 1_750]],
])('an exporter that %s is asked when it may have more', async (_what, awaitedCounts, expected) => {
  const clock = new ManualClock();
  const startMs = clock.monotonicMs();
  const askedAtMs: number[] = [];
  const reader: ViewReader = {
    object: () => Promise.reject(new Error('not asked')),
    list: async (...question) => {
      const count = awaitedCounts[Math.min(askedAtMs.length, awaitedCounts.length - 1)] ?? 0; // the last one holds on
      askedAtMs.push(clock.monotonicMs() - startMs);
      const nodes = Array.from({ length: count }, (_, index) => anAbsentNode(`node-${index}`, 'timeout'));
      const views = await viewsOf(aReading({ snapshot: aClusterSnapshot({ nodes, workloads: [] }) }));
      return views.list(...question);
    },
  };
  const waiting = untilAnswered(reader, clock, never);
  await clock.advance(10_000);
  await waiting;
  expect(askedAtMs).toEqual(expected);
  expect(clock.sleeperCount).toBe(0);
});
