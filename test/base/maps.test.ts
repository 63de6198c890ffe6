import fc from 'fast-check';
import { expect, it } from 'vitest';

import { groupBy, setNewest } from '../../src/lib/base/maps.js';
import { RecentValues } from '../../src/lib/base/recent-values.js';

it('items with one key are a group, in their order', () => {
  expect([...groupBy(['ant', 'bee', 'asp'], (name) => name.charAt(0))]).toEqual([
    ['a', ['ant', 'asp']],
    ['b', ['bee']],
  ]);
});

it('a map with too many keys forgets those that were not set for longest', () => {
  const map = new Map<string, number>();
  for (const [value, key] of ['a', 'b', 'a', 'c'].entries()) setNewest(map, key, value, 2);
  expect([...map]).toEqual([
    ['a', 2],
    ['c', 3],
  ]);
});

it('recent values are forgotten when enough others come, unless somebody asks for them', () => {
  const values = new RecentValues<number, string>(4);
  for (let key = 0; key < 10; key += 1) {
    values.set(key, `value ${key}`);
    values.get(0);
  }
  expect(values.get(0)).toBe('value 0');
  expect(values.get(1)).toBeUndefined();
  expect(values.get(9)).toBe('value 9');
});

it('recent values are at least half of as many as may be kept, each as it was set', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 9 }), fc.array(fc.nat(20)), (maxCount, keys) => {
      const recent = keys.slice(Math.max(0, keys.length - Math.floor(maxCount / 2)));
      for (const asked of recent) {
        const values = new RecentValues<number, string>(maxCount);
        for (const key of keys) values.set(key, `value ${key}`);
        expect(values.get(asked)).toBe(`value ${asked}`);
      }
    }),
  );
});

it('recent values weigh at most as much as may be kept, and include the last ones up to half of it', () => {
  const weightOf = (key: number): number => key % 5;
  const sum = (keys: readonly number[]): number => keys.reduce((total, key) => total + weightOf(key), 0);
  fc.assert(
    fc.property(fc.integer({ min: 10, max: 40 }), fc.array(fc.nat(20)), (maxWeight, keys) => {
      const valuesOf = (): RecentValues<number, string> => {
        const values = new RecentValues<number, string>(maxWeight, weightOf);
        for (const key of keys) values.set(key, `value ${key}`);
        return values;
      };
      const kept = [...new Set(keys)].filter((key) => valuesOf().get(key) !== undefined);
      expect(sum(kept)).toBeLessThanOrEqual(maxWeight);
      const last = keys.filter((_, index) => sum(keys.slice(index)) <= Math.floor(maxWeight / 2));
      for (const key of last) expect(valuesOf().get(key)).toBe(`value ${key}`);
    }),
  );
});
