import { setImmediate as nextTurn } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { TimeSlicer } from '../../src/base/time-slicer.js';

/** Time passes only where a task says so. */
function setUp() {
  let elapsedMs = 0;
  const slicer = new TimeSlicer({
    nowMs: () => 0,
    monotonicMs: () => elapsedMs,
    steadyNowMs: () => elapsedMs,
    sleep: () => Promise.resolve(),
  });
  const events: string[] = [];
  const task = (name: string, durationMs: number) => () => {
    elapsedMs += durationMs;
    events.push(name);
    return name;
  };
  /** Turns of the event loop show up among the events. */
  const watchTurns = async (count: number): Promise<void> => {
    for (let turn = 0; turn < count; turn++) {
      await nextTurn();
      events.push('turn');
    }
  };
  return { slicer, events, task, watchTurns };
}

describe('a time slicer', () => {
  it('runs tasks in the order of the calls and returns their results', async () => {
    const { slicer, events, task } = setUp();
    const results = await Promise.all([slicer.run(task('a', 1)), slicer.run(task('b', 1)), slicer.run(task('c', 1))]);
    expect(results).toEqual(['a', 'b', 'c']);
    expect(events).toEqual(['a', 'b', 'c']);
  });

  it('runs short tasks within one turn of the event loop', async () => {
    const { slicer, events, task, watchTurns } = setUp();
    const turns = watchTurns(1);
    await Promise.all([slicer.run(task('a', 1)), slicer.run(task('b', 1)), slicer.run(task('c', 1))]);
    await turns;
    expect(events).toEqual(['a', 'b', 'c', 'turn']);
  });

  it('yields to the event loop when a time slice is over', async () => {
    const { slicer, events, task, watchTurns } = setUp();
    const turns = watchTurns(1);
    await Promise.all([slicer.run(task('a', 3)), slicer.run(task('b', 3)), slicer.run(task('c', 3))]);
    await turns;
    expect(events).toEqual(['a', 'b', 'turn', 'c']);
  });

  it('rejects with the error of a task, and continues with the next one', async () => {
    const { slicer, task } = setUp();
    const failing = slicer.run(() => {
      throw new Error('broken');
    });
    const next = slicer.run(task('next', 1));
    await expect(failing).rejects.toThrow('broken');
    expect(await next).toBe('next');
  });

  it('runs all items of one slice in one turn, and yields between slices', async () => {
    const { slicer, events, task, watchTurns } = setUp();
    const turns = watchTurns(1);
    await slicer.forEach(['a', 'b', 'c'], (name) => task(name, 3)());
    await turns;
    expect(events).toEqual(['a', 'b', 'turn', 'c']);
  });

  it('takes an item only when its turn has come', async () => {
    const { slicer, events, task } = setUp();
    function* items() {
      yield task('ask a', 1)();
      yield task('ask b', 1)();
    }
    await slicer.forEach(items(), (name) => events.push(`do ${name}`));
    expect(events).toEqual(['ask a', 'do ask a', 'ask b', 'do ask b']);
  });

  it('stops at the first item that fails', async () => {
    const { slicer, events } = setUp();
    const failing = slicer.forEach(['a', 'b'], (name) => {
      events.push(name);
      throw new Error('broken');
    });
    await expect(failing).rejects.toThrow('broken');
    expect(events).toEqual(['a']);
  });
});
