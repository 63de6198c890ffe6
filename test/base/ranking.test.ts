import fc from 'fast-check';
import { expect, it } from 'vitest';

import { Ranking } from '../../src/base/ranking.js';

it('gives what sorting and cutting all items gives, whenever it is asked', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer()), fc.integer({ min: 1, max: 8 }), fc.nat(), (items, count, askedAt) => {
      const ranking = new Ranking<number>(count, (a, b) => b - a);
      for (const [index, item] of items.entries()) {
        if (index === askedAt) ranking.top();
        ranking.add(item);
      }
      expect(ranking.top()).toEqual([...items].sort((a, b) => b - a).slice(0, count));
    }),
  );
});
