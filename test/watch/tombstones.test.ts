import { describe, expect, it } from 'vitest';

import { Tombstones } from '../../src/watch/tombstones.js';
import { ManualClock } from '../support/manual-clock.js';

function rememberingFor(keepMs: number, clock = new ManualClock()): Tombstones {
  const tombstones = new Tombstones(clock);
  tombstones.keepAtLeast(keepMs);
  return tombstones;
}

describe('Tombstones', () => {
  it('remembers a UID for the given time', async () => {
    const clock = new ManualClock();
    const tombstones = rememberingFor(60_000, clock);
    tombstones.add('a');
    await clock.advance(59_999);
    expect(tombstones.has('a')).toBe(true);
    await clock.advance(1);
    expect(tombstones.has('a')).toBe(false);
  });

  it('remembers a UID for longer once longer is wanted: a summary that lists it may be served for longer', async () => {
    const clock = new ManualClock();
    const tombstones = rememberingFor(60_000, clock);
    tombstones.add('a');
    await clock.advance(30_000);
    tombstones.keepAtLeast(100_000);
    await clock.advance(69_999);
    expect(tombstones.has('a')).toBe(true);
    await clock.advance(1);
    expect(tombstones.has('a')).toBe(false);
  });

  it('does not remember a UID again that was forgotten before longer was wanted', async () => {
    const clock = new ManualClock();
    const tombstones = rememberingFor(60_000, clock);
    tombstones.add('a');
    await clock.advance(60_000);
    tombstones.keepAtLeast(100_000);
    expect(tombstones.has('a')).toBe(false);
  });

  it('does not remember other UIDs', () => {
    const tombstones = rememberingFor(60_000);
    tombstones.add('a');
    expect(tombstones.has('b')).toBe(false);
  });

  it('counts the time from the last deletion', async () => {
    const clock = new ManualClock();
    const tombstones = rememberingFor(60_000, clock);
    tombstones.add('a');
    await clock.advance(30_000);
    tombstones.add('b');
    tombstones.add('a');
    await clock.advance(59_999);
    expect([tombstones.has('a'), tombstones.has('b')]).toEqual([true, true]);
    await clock.advance(1);
    expect([tombstones.has('a'), tombstones.has('b')]).toEqual([false, false]);
  });

  it('forgets a UID that is in use again', () => {
    const tombstones = rememberingFor(60_000);
    expect(tombstones.isEmpty).toBe(true);
    tombstones.add('a');
    expect(tombstones.isEmpty).toBe(false);
    tombstones.delete('a');
    expect(tombstones.isEmpty).toBe(true);
    tombstones.delete('never added');
    expect(tombstones.has('a')).toBe(false);
  });

  it('inherits the UIDs of another one, for its own time', async () => {
    const clock = new ManualClock();
    const former = rememberingFor(60_000, clock);
    former.add('forgotten');
    await clock.advance(59_999);
    former.add('a');
    await clock.advance(1);
    const tombstones = rememberingFor(20_000, clock);
    tombstones.inherit(former);
    expect([tombstones.has('forgotten'), tombstones.has('a')]).toEqual([false, true]);
    await clock.advance(20_000);
    expect(tombstones.has('a')).toBe(false);
  });

  it('forgets the oldest first when there are more than 50,000', () => {
    const tombstones = rememberingFor(60_000);
    for (let index = 0; index <= 50_000; index += 1) tombstones.add(`uid-${index}`);
    expect(tombstones.has('uid-0')).toBe(false);
    expect(tombstones.has('uid-1')).toBe(true);
    expect(tombstones.has('uid-50000')).toBe(true);
  });
});
