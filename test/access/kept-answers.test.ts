import { expect, it } from 'vitest';

import { KeptAnswers } from '../../src/access/kept-answers.js';
import { ManualClock } from '../support/manual-clock.js';

interface World {
  readonly clock: ManualClock;
  readonly asked: string[];
  readonly failing: Set<string>;
  readonly gone: Set<string>;
  readonly get: (key: string) => Promise<string | undefined>;
}

/** Keys with an `n` have no value; `broken` fails, and so does what is in `failing`; what is in `gone` has no value now. */
function aWorld(maxCount = 100): World {
  const clock = new ManualClock();
  const keep = { keepMs: 60_000, keepFailingMs: 600_000, keepNoneMs: 10_000 };
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
  return { clock, asked, failing, gone, get: (key) => answers.get(key, () => ask(key)) };
}

it('keeps values and their absence, each for its time', async () => {
  const { clock, asked, get } = aWorld();
  const both = () => Promise.all([get('a'), get('n')]);
  const expected = ['value of a', undefined];
  expect(await both()).toEqual(expected);
  await clock.advance(9_999);
  expect([await both(), asked]).toEqual([expected, ['a', 'n']]);
  await clock.advance(1);
  expect([await both(), asked]).toEqual([expected, ['a', 'n', 'n']]);
  await clock.advance(50_000);
  await get('a');
  expect(asked).toEqual(['a', 'n', 'n', 'a']);
});

it('asks once for what is being asked', async () => {
  const { asked, get } = aWorld();
  expect(await Promise.all([get('a'), get('a'), get('a')])).toEqual(['value of a', 'value of a', 'value of a']);
  expect(asked).toEqual(['a']);
});

it('does not keep failures', async () => {
  const { asked, get } = aWorld();
  const results = await Promise.allSettled([get('broken'), get('broken')]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(get('broken')).rejects.toThrow('broken');
  expect(asked).toEqual(['broken', 'broken']);
});

it('serves a value for longer while asking again fails', async () => {
  const { clock, asked, failing, get } = aWorld();
  await get('a');
  failing.add('a');
  await clock.advance(599_999);
  expect([await get('a'), asked]).toEqual(['value of a', ['a', 'a']]);
  await clock.advance(1);
  await expect(get('a')).rejects.toThrow('broken');
});

it('asks again as soon as that works', async () => {
  const { clock, asked, failing, get } = aWorld();
  await get('a');
  failing.add('a');
  await clock.advance(60_000);
  await get('a');
  failing.clear();
  await get('a');
  await get('a');
  expect(asked).toEqual(['a', 'a', 'a']);
});

it('never serves a value again that has gone', async () => {
  const { clock, failing, gone, get } = aWorld();
  await get('a');
  gone.add('a');
  await clock.advance(60_000);
  expect(await get('a')).toBeUndefined();
  failing.add('a');
  await clock.advance(10_000);
  await expect(get('a')).rejects.toThrow('broken');
});

it('keeps values whatever has none', async () => {
  const { asked, get } = aWorld(3);
  await get('a');
  for (let count = 0; count < 100; count += 1) await get(`n${count}`);
  asked.length = 0;
  await get('a');
  expect(asked).toEqual([]);
});
