import fc from 'fast-check';
import { expect, it } from 'vitest';

import { byNames, largestFirst, naturalNames, Ranking } from '../../src/lib/base/ranking.js';

const items = [
  { namespace: 'shop', pod: 'b', usedBytes: 5 },
  { namespace: 'shop', pod: 'a', usedBytes: undefined },
  { namespace: 'shop', pod: 'a-b', usedBytes: 7 },
  { namespace: 'db', pod: 'z', usedBytes: 5 },
  { namespace: 'Shop', pod: 'b', usedBytes: 0 },
];
const namesOf = (item: (typeof items)[number]): readonly string[] => [item.namespace, item.pod];
const ordered = (compare: (a: (typeof items)[number], b: (typeof items)[number]) => number): readonly string[] =>
  [...items].sort(compare).map((item) => namesOf(item).join('/'));

it('byNames compares the first names, then the second ones, by code units', () => {
  expect(ordered(byNames(namesOf))).toEqual(['Shop/b', 'db/z', 'shop/a', 'shop/a-b', 'shop/b']);
});

it('byNames returns 0 for equal names', () => {
  expect(byNames(namesOf)({ namespace: 'a', pod: 'b', usedBytes: 1 }, { namespace: 'a', pod: 'b', usedBytes: 2 })).toBe(
    0,
  );
});

it('largestFirst orders equal values by name, and unknown ones last', () => {
  expect(ordered(largestFirst(({ usedBytes }) => usedBytes, namesOf))).toEqual([
    'shop/a-b',
    'db/z',
    'shop/b',
    'Shop/b',
    'shop/a',
  ]);
});

it('Ranking returns the same items as sorting all of them, whenever it is asked', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer()), fc.integer({ min: 1, max: 8 }), fc.nat(), (values, count, askedAt) => {
      const ranking = new Ranking<number>(count, (a, b) => b - a);
      for (const [index, item] of values.entries()) {
        if (index === askedAt) ranking.top();
        ranking.add(item);
      }
      expect(ranking.top()).toEqual([...values].sort((a, b) => b - a).slice(0, count));
    }),
  );
});

it('numbers in names of nodes count, and equal ones are in the order of their texts', () => {
  const names = ['node-10', 'node-9', 'node-1-b', 'node-01', 'node-1', 'a-2'];
  expect(names.toSorted(byNames(naturalNames))).toEqual(['a-2', 'node-01', 'node-1', 'node-1-b', 'node-9', 'node-10']);
});
