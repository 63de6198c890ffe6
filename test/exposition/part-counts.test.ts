import { describe, expect, it } from 'vitest';

import type { FamilyGroup } from '../../src/exposition/family.js';
import { PartCounts } from '../../src/exposition/part-counts.js';

/** The number of series in each of three families, which is what an item and its part are. */
type Counts = readonly [number, number, number];

const counts = new PartCounts<Counts, Counts>(
  [
    {
      families: [{}, {}, {}],
      count: (part: Counts, into: Uint32Array, first: number) => {
        for (const [index, count] of part.entries()) into[first + index] = (into[first + index] ?? 0) + count;
      },
    } as unknown as FamilyGroup<Counts>,
  ],
  { maxSeriesCount: 10, sizeOf: (item) => Math.max(...item) },
);

describe('a part that may have ten series', () => {
  it.each<[string, Counts, readonly number[] | undefined]>([
    ['none when all fit for certain', [3, 3, 3], undefined],
    ['none when all fit', [8, 1, 1], undefined],
    ['the one that does not fit, and none of those behind it that do', [4, 9, 4], [1]],
    ['all that do not fit', [11, 12, 10], [0, 1]],
  ])('leaves out of its families %s', (_, item, leftOut) => {
    expect(counts.leftOut(item, item)).toEqual(leftOut && new Set(leftOut));
    const sums = new Uint32Array(3);
    const leftOutCount = leftOut?.reduce((sum, family) => sum + (item[family] ?? 0), 0) ?? 0;
    expect(counts.add(item, item, sums)).toBe(leftOutCount);
    expect([...sums]).toEqual(item.map((count, family) => (leftOut?.includes(family) === true ? 0 : count)));
  });

  it('has no bound for parts of which one may have more', () => {
    expect(
      counts.most([
        [1, 2, 1],
        [3, 0, 0],
      ]),
    ).toBe(15);
    expect(
      counts.most([
        [1, 2, 1],
        [4, 0, 0],
      ]),
    ).toBe(Infinity);
  });
});
