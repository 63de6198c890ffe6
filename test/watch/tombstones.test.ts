import { expect, it } from 'vitest';

import { Tombstones } from '../../src/cluster/watch/tombstones.js';
import { ManualClock } from '../support/manual-clock.js';

/** One that remembers for a minute. */
function aMemory() {
  const clock = new ManualClock();
  const tombstones = new Tombstones(clock);
  tombstones.keepAtLeast(60_000);
  return { clock, tombstones, has: (...ids: string[]) => ids.map((id) => tombstones.has(id)) };
}

it('an ID is remembered for the given time after the last removal, and no other', async () => {
  const { clock, tombstones, has } = aMemory();
  tombstones.add('a');
  await clock.advance(30_000);
  tombstones.add('b');
  tombstones.add('a');
  await clock.advance(59_999);
  expect(has('a', 'b', 'c')).toEqual([true, true, false]);
  await clock.advance(1);
  expect(has('a', 'b')).toEqual([false, false]);
});

it.each([
  ['an ID is remembered for longer once longer is wanted: a summary may list it for longer', 30_000, true],
  ['an ID that was forgotten before is not remembered again', 60_000, false],
])('%s', async (_case, wantedAfterMs, isRemembered) => {
  const { clock, tombstones, has } = aMemory();
  tombstones.add('a');
  await clock.advance(wantedAfterMs);
  tombstones.keepAtLeast(100_000);
  await clock.advance(99_999 - wantedAfterMs);
  expect(has('a')).toEqual([isRemembered]);
  await clock.advance(1);
  expect(has('a')).toEqual([false]);
});

it('an ID that is in use again is forgotten', () => {
  const { tombstones, has } = aMemory();
  expect(tombstones.isEmpty).toBe(true);
  tombstones.add('a');
  expect(tombstones.isEmpty).toBe(false);
  tombstones.delete('a');
  tombstones.delete('never added');
  expect([tombstones.isEmpty, ...has('a')]).toEqual([true, false]);
});

it('the oldest IDs are forgotten first when there are more than 50,000', () => {
  const { tombstones, has } = aMemory();
  for (let index = 0; index <= 50_000; index += 1) tombstones.add(`uid-${index}`);
  expect(has('uid-0', 'uid-1', 'uid-50000')).toEqual([false, true, true]);
});
