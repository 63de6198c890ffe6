import { expect, it } from 'vitest';

import { ExpiringCache } from '../../src/access/expiring-cache.js';
import { ManualClock } from '../support/manual-clock.js';

it('keeps a value for its time', async () => {
  const clock = new ManualClock();
  const cache = new ExpiringCache<number>(clock, 10);
  cache.set('a', 1, 1_000);
  cache.set('b', 2, Infinity);
  await clock.advance(999);
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([1, 2, undefined]);
  await clock.advance(1);
  expect([cache.get('a'), cache.get('b')]).toEqual([undefined, 2]);
});

it('makes room by the value that was used the longest ago', () => {
  const cache = new ExpiringCache<number>(new ManualClock(), 2);
  cache.set('a', 1, Infinity);
  cache.set('b', 2, Infinity);
  cache.get('a');
  cache.set('c', 3, Infinity);
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([1, undefined, 3]);
  cache.set('c', 4, Infinity);
  expect([cache.get('a'), cache.get('c')]).toEqual([1, 4]);
});
