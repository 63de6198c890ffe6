import { expect, it } from 'vitest';

import { snapshotCounts } from '../../src/facts/scrape/snapshot-counts.js';
import { aNodeSummary } from '../support/builders.js';
import {
  aClusterSnapshot,
  aFreshNode,
  anAbsentNode,
  aNodeSnapshot,
  aWorkloadSnapshot,
} from '../support/snapshot-builders.js';

it('what a scrape leaves out is counted over all nodes with data', () => {
  const node = aFreshNode(
    aNodeSnapshot({
      summary: aNodeSummary({ saturatedCount: 2 }),
      unknownItems: { containerCount: 3, volumeCount: 5 },
      skippedPods: new Map([['no_usage', 7]]),
    }),
  );
  const workloads = [0, 1_000].map((backoffMs) => aWorkloadSnapshot({ backoffMs }));
  const counts = snapshotCounts(aClusterSnapshot({ nodes: [node, anAbsentNode('away', 'timeout'), node], workloads }));
  expect(counts).toMatchObject({
    unknownItems: { containerCount: 6, volumeCount: 10 },
    saturatedValueCount: 4,
    backedOffWorkloadCount: 1,
  });
  expect(counts.skippedPods.get('no_usage')).toBe(14);
  expect(counts.skippedPods.get('unknown_pod')).toBe(0);
});
