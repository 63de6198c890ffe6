import fc from 'fast-check';
import { expect, it } from 'vitest';

import { ListItems, type ListPage, listPage } from '../../src/people/query/list-page.js';
import { sortedPart } from '../../src/people/query/sorted-part.js';
import { atOnce } from '../support/lanes.js';

const ascending = (a: number, b: number): number => a - b;

/** As many as are not sorted at once, some of them equal. */
const manyNumbers = fc
  .record({ count: fc.integer({ min: 0, max: 9_000 }), factor: fc.integer({ min: 1, max: 97 }), kinds: fc.nat(9_000) })
  .map(({ count, factor, kinds }) => Array.from({ length: count }, (_, index) => (index * factor) % (kinds + 1)));

it('a part of the sorted items is the same as of all of them sorted', async () => {
  await fc.assert(
    fc.asyncProperty(manyNumbers, fc.nat(10_000), fc.nat(2_000), async (numbers, from, count) => {
      const part = await sortedPart(numbers, { from, to: from + count }, ascending, atOnce);
      expect(part).toEqual(numbers.toSorted(ascending).slice(from, from + count));
    }),
    { numRuns: 60 },
  );
});

it('a part is found without sorting all items', async () => {
  const numbers = Array.from({ length: 100_000 }, (_, index) => (index * 7_919) % 100_003);
  let comparisonCount = 0;
  const counting = (a: number, b: number): number => {
    comparisonCount += 1;
    return ascending(a, b);
  };
  for (const from of [0, 50_000, 99_000]) {
    comparisonCount = 0;
    await sortedPart(numbers, { from, to: from + 1_000 }, counting, atOnce);
    expect(comparisonCount).toBeLessThan(4 * numbers.length);
  }
});

it('pages of a long list are all of its items, in their order', async () => {
  const numbers = Array.from({ length: 6_500 }, (_, index) => (index * 31) % 2_000);
  const pages: number[] = [];
  for (let offset = 0; offset < numbers.length; offset += 1_000) {
    const items = new ListItems({ offset, limit: 1_000 }, ascending);
    for (const number of numbers) items.add(number);
    const page = await items.page((number) => number, atOnce);
    expect(page).toMatchObject({ totalCount: numbers.length, offset, limit: 1_000 });
    pages.push(...page.items);
  }
  expect(pages).toEqual(numbers.toSorted(ascending));
});

it('equal items keep the order in which they were added, whatever page is asked for', async () => {
  const all = Array.from({ length: 5_000 }, (_, index) => ({ index, rank: (index * 7) % 3 }));
  const byRank = (a: (typeof all)[number], b: (typeof all)[number]): number => a.rank - b.rank;
  for (const { offset, limit } of [
    { offset: 0, limit: 1 },
    { offset: 40, limit: 20 },
    { offset: 1_700, limit: 100 },
    { offset: 4_990, limit: 100 },
  ]) {
    const items = new ListItems({ offset, limit }, byRank);
    for (const item of all) items.add(item);
    const page = await items.page(({ index }) => index, atOnce);
    const expected = all.toSorted(byRank).slice(offset, offset + limit);
    expect(page.items).toEqual(expected.map(({ index }) => index));
  }
});

it.each([
  [0, 50],
  [1_000, 1_000],
])('items behind the page from %d on are compared once, and not kept', async (offset, limit) => {
  let comparisonCount = 0;
  const items = new ListItems<number>({ offset, limit }, (a, b) => {
    comparisonCount += 1;
    return a - b;
  });
  for (let index = 0; index < 100_000; index += 1) items.add(index);
  const before = comparisonCount;
  await items.page((number) => number, atOnce);
  expect(before).toBeLessThan(2 * 100_000);
  expect(comparisonCount - before).toBeLessThan(4 * 2 * (offset + limit) + 500);
});

/** A page of the numbers of many sources, and how many numbers were added to find it. */
async function pageOf(
  sources: readonly (readonly number[])[],
  query: { readonly offset: number; readonly limit: number },
): Promise<{ readonly page: ListPage<number>; readonly addedCount: number }> {
  let addedCount = 0;
  const addItems = (items: ListItems<number>, source: readonly number[]): void => {
    addedCount += source.length;
    for (const number of source) items.add(number);
  };
  const page = await listPage({ sources, addItems, compare: ascending, reportOf: (number) => number }, query, atOnce);
  return { page, addedCount };
}

/** So many that a page far from their beginning is sought near where a sample expects it; the sample may mislead. */
const manySources = fc
  .record({
    sourceCount: fc.integer({ min: 900, max: 3_000 }),
    itemCount: fc.integer({ min: 0, max: 6 }),
    kinds: fc.constantFrom(1, 50, 100_000),
    misleads: fc.boolean(),
  })
  .map(({ sourceCount, itemCount, kinds, misleads }) =>
    Array.from({ length: sourceCount }, (_, index) => {
      const shift = misleads && index % Math.floor(sourceCount / 256) === 0 ? kinds : 0;
      const count = itemCount + (shift > 0 ? 5 : 0);
      return Array.from({ length: count }, (__, item) => (((index * 7 + item) * 7_919) % kinds) + shift);
    }),
  );

it('any page of a long list is the same as of all items sorted', async () => {
  await fc.assert(
    fc.asyncProperty(
      manySources,
      fc.nat(20_000),
      fc.integer({ min: 1, max: 1_000 }),
      async (sources, offset, limit) => {
        const { page } = await pageOf(sources, { offset, limit });
        const sorted = sources.flat().sort(ascending);
        const items = sorted.slice(offset, offset + limit);
        expect(page).toEqual({ items, totalCount: sorted.length, offset, limit });
      },
    ),
    { numRuns: 100 },
  );
});

it.each([2_000, 15_000, 29_950, 40_000])(
  'the page of a long list from %d on is found by one sample of the items',
  async (offset) => {
    const sources = Array.from({ length: 3_000 }, (_, index) =>
      Array.from({ length: 10 }, (__, item) => ((index * 10 + item) * 7_919) % 30_011),
    );
    const { addedCount } = await pageOf(sources, { offset, limit: 50 });
    expect(addedCount).toBeGreaterThan(30_000);
    expect(addedCount).toBeLessThan(1.2 * 30_000);
  },
);

it('items that are known to come after the page are counted only', async () => {
  const items = new ListItems<number>({ offset: 0, limit: 2 }, ascending);
  expect(items.isBehind(9)).toBe(false);
  for (const number of [3, 1, 4, 2]) items.add(number);
  expect([2, 3].map((number) => items.isBehind(number))).toEqual([true, true]);
  expect(items.isBehind(1)).toBe(false);
  items.addBehind(10);
  expect(await items.page((number) => number, atOnce)).toMatchObject({ items: [1, 2], totalCount: 14 });
});
