import fc from 'fast-check';
import { expect, it } from 'vitest';

import { byNames, naturalNames, Ranking } from '../../src/lib/base/ranking.js';

it('byNames returns 0 for equal names', () => {
  expect(byNames((name: string) => [name, 'b'])('a', 'a')).toBe(0);
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
