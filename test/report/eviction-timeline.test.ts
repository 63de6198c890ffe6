import { expect, it } from 'vitest';

import { evictionReport } from '../../src/report/eviction-report.js';
import { evictionTimeline } from '../../src/report/eviction-timeline.js';
import { anEvictionRecord } from '../support/eviction-builders.js';

const at = (evictedAtMs: number, cause: 'pod_limit' | 'node_bytes' = 'pod_limit') =>
  evictionReport(anEvictionRecord({ evictedAtMs, cause }));

it('a timeline has the causes that occur, in their order, and a mark for each eviction', () => {
  expect(evictionTimeline([at(9_000, 'node_bytes'), at(5_000), at(1_000)], 11_000)).toEqual({
    startMs: 1_000,
    endMs: 11_000,
    causes: [
      {
        cause: 'pod_limit',
        evictionCount: 2,
        marks: [
          { atMs: 1_000, evictionCount: 1 },
          { atMs: 5_000, evictionCount: 1 },
        ],
      },
      { cause: 'node_bytes', evictionCount: 1, marks: [{ atMs: 9_000, evictionCount: 1 }] },
    ],
  });
});

it('evictions that are close together share a mark, so that their number is bounded', () => {
  const evictions = Array.from({ length: 5_000 }, (_, index) => at(index * 1_000));
  const [cause] = evictionTimeline(evictions, 5_000_000)?.causes ?? [];
  expect(cause?.marks.length).toBeLessThanOrEqual(121);
  expect(cause?.marks.reduce((sum, { evictionCount }) => sum + evictionCount, 0)).toBe(5_000);
});

it('an eviction that is ahead of the clock, or at the present time, is on the timeline', () => {
  expect(evictionTimeline([at(9_000)], 5_000)).toMatchObject({
    startMs: 9_000,
    endMs: 9_000,
    causes: [{ marks: [{ atMs: 9_000 }] }],
  });
});

it('without evictions, there is no timeline', () => {
  expect(evictionTimeline([], 5_000)).toBeUndefined();
});
