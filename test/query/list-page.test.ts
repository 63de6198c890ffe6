import fc from 'fast-check';
import { expect, it } from 'vitest';

import type { Ranking } from '../../src/lib/base/ranking.js';
import { listPage } from '../../src/people/query/list-page.js';
import { atOnce } from '../support/lanes.js';

const byRank = (a: readonly [number, number], b: readonly [number, number]): number => a[0] - b[0];

it('a page is the first items of all of them sorted, equal ones in the order in which they were added', async () => {
  const items = fc.array(fc.tuple(fc.nat(9), fc.nat()), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(fc.array(items, { maxLength: 8 }), fc.integer({ min: 1, max: 50 }), async (sources, limit) => {
      const addItems = (found: Ranking<readonly [number, number]>, source: readonly (readonly [number, number])[]) => {
        for (const item of source) found.add(item);
      };
      const list = { sources, addItems, compare: byRank, reportOf: (item: readonly [number, number]) => item };
      const all = sources.flat().sort(byRank);
      expect(await listPage(list, { limit }, atOnce)).toEqual({
        items: all.slice(0, limit),
        totalCount: all.length,
        limit,
        isComplete: all.length <= limit,
      });
    }),
  );
});

it.each([50, 1_000])('items behind the first %d are compared once, and not kept', async (limit) => {
  let comparisonCount = 0;
  const compare = (a: number, b: number): number => {
    comparisonCount += 1;
    return a - b;
  };
  const addItems = (items: Ranking<number>, source: number): void => {
    items.add(source);
  };
  const sources = Array.from({ length: 100_000 }, (_, index) => index);
  await listPage({ sources, addItems, compare, reportOf: (number) => number }, { limit }, atOnce);
  expect(comparisonCount).toBeLessThan(1.2 * sources.length);
});
