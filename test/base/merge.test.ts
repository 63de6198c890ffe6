import { expect, it } from 'vitest';

import { addKnown, getOrAdd, groupBy, leastKnown, mergeByName, retainKeys, setNewest } from '../../src/base/merge.js';

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
