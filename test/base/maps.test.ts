import fc from 'fast-check';
import { expect, it } from 'vitest';

import {
  addKnown,
  getOrAdd,
  groupBy,
  leastKnown,
  mergeByName,
  retainKeys,
  setNewest,
} from '../../src/lib/base/maps.js';
import { RecentValues } from '../../src/lib/base/recent-values.js';

it('items with one key are a group, in their order', () => {
  expect([...groupBy(['ant', 'bee', 'asp'], (name) => name.charAt(0))]).toEqual([
    ['a', ['ant', 'asp']],
    ['b', ['bee']],
  ]);
});

it('a value is made for a key that has none, and not again', () => {
  const lists = new Map<string, number[]>();
  getOrAdd(lists, 'a', () => []).push(1);
  getOrAdd(lists, 'a', () => []).push(2);
  getOrAdd(lists, 'b', () => []).push(3);
  expect([...lists]).toEqual([
    ['a', [1, 2]],
    ['b', [3]],
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

it('only the keys to retain stay in a map', () => {
  const map = new Map([
    ['a', 1],
    ['b', 2],
    ['c', 3],
  ]);
  retainKeys(map, new Set(['b', 'd']));
  expect([...map]).toEqual([['b', 2]]);
});

it('items of one name become one, at the place of the first', () => {
  const items = [
    { name: 'a', bytes: 1 },
    { name: 'b', bytes: 2 },
    { name: 'a', bytes: 4 },
  ];
  expect(mergeByName(items, (a, b) => ({ ...a, bytes: a.bytes + b.bytes }))).toEqual([
    { name: 'a', bytes: 5 },
    { name: 'b', bytes: 2 },
  ]);
});

it('what is unknown counts neither in a sum nor as the least', () => {
  expect([addKnown(1, 2), addKnown(undefined, 2), addKnown(1, undefined)]).toEqual([3, 2, 1]);
  expect([leastKnown(1, 2), leastKnown(undefined, 2), leastKnown(1, undefined)]).toEqual([1, 2, 1]);
  expect([addKnown(undefined, undefined), leastKnown(undefined, undefined)]).toEqual([undefined, undefined]);
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
