import { expect, it } from 'vitest';

import { QueueFullError } from '../../src/serve/access/fair-queue.js';
import { ExpiringCache, KeptAnswers } from '../../src/serve/access/kept-answers.js';
import { ManualClock } from '../support/manual-clock.js';

interface World {
  /** Lets what is asked in the background end. */
  readonly settle: () => Promise<void>;
  readonly clock: ManualClock;
  readonly asked: string[];
  readonly failing: Set<string>;
  readonly gone: Set<string>;
  readonly answers: KeptAnswers<string>;
  readonly get: (key: string) => Promise<string | undefined>;
}

/** Keys with an `n` have no value; `broken` fails, and so does what is in `failing`; what is in `gone` has no value now. */
function aWorld(maxCount = 100): World {
  const clock = new ManualClock();
  const keep = { keepMs: 60_000, keepFailingMs: 600_000, keepNoneMs: 10_000, keepFailureMs: 5_000 };
  const answers = new KeptAnswers<string>({ clock, maxCount, ...keep });
  const asked: string[] = [];
  const failing = new Set(['broken']);
  const gone = new Set<string>();
  const ask = async (key: string): Promise<string | undefined> => {
    asked.push(key);
    await Promise.resolve();
    if (failing.has(key)) throw new Error('broken');
    return key.startsWith('n') || gone.has(key) ? undefined : `value of ${key}`;
  };
  return {
    settle: () => clock.advance(0),
    clock,
    asked,
    failing,
    gone,
    answers,
    get: (key) => answers.get(key, () => ask(key)),
  };
}

it('keeps values and their absence, each for its time', async () => {
  const { clock, asked, get, settle } = aWorld();
  const both = () => Promise.all([get('a'), get('n')]);
  const expected = ['value of a', undefined];
  expect(await both()).toEqual(expected);
  await clock.advance(9_999);
  expect([await both(), asked]).toEqual([expected, ['a', 'n']]);
  await clock.advance(1);
  expect([await both(), asked]).toEqual([expected, ['a', 'n', 'n']]);
  await clock.advance(50_000);
  await get('a');
  await settle();
  expect(asked).toEqual(['a', 'n', 'n', 'a']);
});

it('asks once, however many wait for the same answer', async () => {
  const { asked, get } = aWorld();
  expect(await Promise.all([get('a'), get('a'), get('a')])).toEqual(['value of a', 'value of a', 'value of a']);
  expect(asked).toEqual(['a']);
});

it('asks again for what could not be answered only after its time', async () => {
  const { clock, asked, failing, get } = aWorld();
  const results = await Promise.allSettled([get('broken'), get('broken')]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await clock.advance(4_999);
  await expect(get('broken')).rejects.toThrow('broken');
  expect(asked).toEqual(['broken']);
  await clock.advance(1);
  failing.clear();
  expect([await get('broken'), asked]).toEqual(['value of broken', ['broken', 'broken']]);
});

it('keeps no failure of a question that was not begun', async () => {
  const { answers } = aWorld();
  await expect(answers.get('a', () => Promise.reject(new QueueFullError()))).rejects.toThrow(QueueFullError);
  expect(await answers.get('a', () => Promise.resolve('value'))).toBe('value');
});

it('serves a value that is due at once, and asks for it again in the background', async () => {
  const { clock, answers } = aWorld();
  await answers.get('a', () => Promise.resolve('former'));
  await clock.advance(60_000);
  let end: (value: string) => void = () => undefined;
  const asked = new Promise<string>((resolve) => (end = resolve));
  expect(await answers.get('a', () => asked)).toBe('former');
  end('new');
  await clock.advance(0);
  expect(await answers.get('a', () => Promise.reject(new Error('asked again')))).toBe('new');
});

it('asks again for a value that is due only after the time of a failure', async () => {
  const { clock, asked, failing, get, settle } = aWorld();
  await get('a');
  failing.add('a');
  await clock.advance(60_000);
  for (const waitMs of [0, 4_999, 1, 0]) {
    await clock.advance(waitMs);
    expect(await get('a')).toBe('value of a');
    await settle();
  }
  expect(asked).toEqual(['a', 'a', 'a']);
});

it('serves a value for its whole time after the first failure, however old it was then', async () => {
  const { clock, failing, get, settle } = aWorld();
  await get('a');
  await clock.advance(599_999);
  failing.add('a');
  for (const waitMs of [0, 300_000, 299_999]) {
    await clock.advance(waitMs);
    expect(await get('a')).toBe('value of a');
    await settle();
  }
  await clock.advance(1);
  await expect(get('a')).rejects.toThrow('broken');
});

it('serves no value at once that nobody asked for all its time', async () => {
  const { clock, asked, failing, get } = aWorld();
  await get('a');
  failing.add('a');
  await clock.advance(600_000);
  await expect(get('a')).rejects.toThrow('broken');
  expect(asked).toEqual(['a', 'a']);
});

it('counts the time of a value from each answer', async () => {
  const { clock, failing, get, settle } = aWorld();
  await get('a');
  failing.add('a');
  await clock.advance(60_000);
  await get('a');
  await settle();
  failing.clear();
  await clock.advance(590_000);
  await get('a');
  await settle();
  failing.add('a');
  await clock.advance(590_000);
  expect(await get('a')).toBe('value of a');
  await settle();
  await clock.advance(599_999);
  expect(await get('a')).toBe('value of a');
});

it('never serves a value again that has gone', async () => {
  const { clock, failing, gone, get, settle } = aWorld();
  await get('a');
  gone.add('a');
  await clock.advance(60_000);
  expect(await get('a')).toBe('value of a');
  await settle();
  expect(await get('a')).toBeUndefined();
  failing.add('a');
  await clock.advance(10_000);
  await expect(get('a')).rejects.toThrow('broken');
});

it('keeps values, whatever has none', async () => {
  const { asked, get } = aWorld(3);
  await get('a');
  for (let count = 0; count < 100; count += 1) await get(`n${count}`);
  asked.length = 0;
  await get('a');
  expect(asked).toEqual([]);
});

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
