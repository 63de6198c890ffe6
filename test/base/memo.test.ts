import { expect, it } from 'vitest';

import { haveSameItems, Memo, singleFlight } from '../../src/lib/base/memo.js';

it('a memo keeps the former value when the next one cannot be made', () => {
  const memo = new Memo<string>();
  memo.of([1], () => 'one');
  const fail = (): string => {
    throw new Error('no value');
  };
  expect(() => memo.of([2], fail)).toThrow('no value');
  expect(memo.last).toBe('one');
  expect(memo.of([1], fail)).toBe('one');
});

it('a memo makes a forgotten value again', () => {
  const memo = new Memo<object>();
  const first = memo.of([1], () => ({}));
  memo.forget();
  expect(memo.last).toBeUndefined();
  expect(memo.of([1], () => ({}))).not.toBe(first);
});

it('lists have the same items when each is the same object at the same place', () => {
  const [a, b] = [{}, {}];
  expect(haveSameItems([a, b], [a, b])).toBe(true);
  expect(haveSameItems([a, b], [b, a])).toBe(false);
  expect(haveSameItems([a], [a, undefined])).toBe(false);
  expect(haveSameItems([a], [{}])).toBe(false);
});

it('a single flight shares the work that is under way, by its key', async () => {
  const flight = singleFlight<string>();
  let startCount = 0;
  const start = (): Promise<string> => {
    startCount += 1;
    return Promise.resolve(`result ${startCount}`);
  };
  const results = [flight(start, 'a'), flight(start, 'a'), flight(start, 'b')];
  expect(await Promise.all(results)).toEqual(['result 1', 'result 1', 'result 2']);
  expect(await flight(start, 'a')).toBe('result 3');
});

it('a single flight starts again after a failure that all have shared', async () => {
  const flight = singleFlight<string>();
  const fail = (): Promise<string> => Promise.reject(new Error('failed'));
  const results = await Promise.allSettled([flight(fail), flight(() => Promise.resolve('not started'))]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await flight(() => Promise.resolve('works'))).toBe('works');
});
