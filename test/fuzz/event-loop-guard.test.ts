import { setImmediate as nextTurn } from 'node:timers/promises';

import { expect, it } from 'vitest';

import { EventLoopGuard } from '../support/fuzz/event-loop-guard.js';

/** By the clock and by the processor, which others use too. */
function block(durationMs: number): void {
  const endMs = performance.now() + durationMs;
  const start = process.cpuUsage();
  const isOver = (): boolean => {
    const { user, system } = process.cpuUsage(start);
    return performance.now() >= endMs && user + system >= durationMs * 1_000;
  };
  while (!isOver());
}

it('passes on the result of work that leaves the event loop free', async () => {
  const guard = new EventLoopGuard();
  const work = async (): Promise<string> => {
    await nextTurn();
    return 'done';
  };
  expect(await guard.run(work)).toBe('done');
  expect(guard.longestTurnMs).toBeGreaterThan(0);
});

it.each(['at once', 'later'])('refuses work that blocks it %s', async (when) => {
  const work = async (): Promise<void> => {
    if (when === 'later') await nextTurn();
    block(60);
    await nextTurn();
  };
  await expect(new EventLoopGuard().run(work)).rejects.toThrow(/blocks the event loop for \d+ ms/);
});

it('lets work off that blocks it once, as a garbage collection may', async () => {
  let attemptCount = 0;
  const work = (): Promise<number> => {
    attemptCount += 1;
    if (attemptCount === 1) block(60);
    return Promise.resolve(attemptCount);
  };
  expect(await new EventLoopGuard().run(work)).toBeGreaterThan(1);
});

it('passes on an error', async () => {
  await expect(new EventLoopGuard().run(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
});
