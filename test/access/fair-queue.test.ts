import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { FairQueue, QueueFullError } from '../../src/serve/access/fair-queue.js';
import { ManualClock } from '../support/manual-clock.js';
import { never } from '../support/signals.js';

/** Work that runs until it is released. */
class HeldWork {
  readonly begun: string[] = [];
  readonly #releases: (() => void)[] = [];

  readonly of = (name: string) => (): Promise<string> => {
    this.begun.push(name);
    return new Promise((resolve) => {
      this.#releases.push(() => {
        resolve(name);
      });
    });
  };

  async release(): Promise<void> {
    this.#releases.shift()?.();
    await new Promise(setImmediate);
  }
}

const limits = {
  ...{ maxRunningCount: 1, maxWaitingCount: 5, maxWaitingCountPerKey: 3 },
  ...{ clock: new ManualClock(), signal: never },
};

describe('FairQueue', () => {
  it('runs what waits by turns of the keys', async () => {
    const queue = new FairQueue(limits);
    const work = new HeldWork();
    const results = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1'].map((name) => queue.run(name.slice(0, 1), work.of(name)));
    for (let count = 0; count < 6; count += 1) await work.release();
    expect(work.begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'a4']);
    expect(await Promise.all(results)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'c1']);
  });

  it('refuses more work of one key, and more work of all', async () => {
    const queue = new FairQueue(limits);
    const work = new HeldWork();
    const running = ['a', 'a', 'a', 'a'].map((key) => queue.run(key, work.of(key)));
    await expect(queue.run('a', work.of('a'))).rejects.toThrow(QueueFullError);
    await work.release();
    running.push(...['b', 'b', 'c'].map((key) => queue.run(key, work.of(key))));
    await expect(queue.run('c', work.of('c'))).rejects.toThrow(QueueFullError);
    for (let count = 0; count < 7; count += 1) await work.release();
    await Promise.all(running);
    const after = queue.run('d', work.of('d'));
    await work.release();
    expect(await after).toBe('d');
  });

  it('gives a newcomer a place of the key that has the most, until all have the same', async () => {
    const queue = new FairQueue(limits);
    const work = new HeldWork();
    const results = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1', 'd1', 'e1', 'f1'].map((name) =>
      queue.run(name.slice(0, 1), work.of(name)).catch((error: unknown) => error),
    );
    for (let count = 0; count < 6; count += 1) await work.release();
    expect(work.begun).toEqual(['a1', 'a2', 'b1', 'c1', 'd1', 'e1']);
    const full = expect.any(QueueFullError) as unknown;
    expect(await Promise.all(results)).toEqual(['a1', 'a2', full, full, 'b1', full, 'c1', 'd1', 'e1', full]);
  });

  it('gives the result before the rest, and the place after it', async () => {
    const queue = new FairQueue(limits);
    const work = new HeldWork();
    const first = queue.run('a', work.of('a1'), () => 1_000);
    const second = queue.run('a', work.of('a2'));
    await work.release();
    expect([await first, work.begun]).toEqual(['a1', ['a1']]);
    await limits.clock.advance(1_000);
    await work.release();
    expect([await second, work.begun]).toEqual(['a2', ['a1', 'a2']]);
  });

  it('goes on after work that fails', async () => {
    const queue = new FairQueue(limits);
    const results = [
      queue.run('a', () => Promise.reject(new Error('broken'))).catch(() => 'failed'),
      queue.run('a', () => Promise.resolve('done')),
    ];
    expect(await Promise.all(results)).toEqual(['failed', 'done']);
  });

  it('never runs more than allowed, and everything that it accepts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 }),
        async (maxRunningCount, keys) => {
          const queue = new FairQueue({ ...limits, maxRunningCount });
          let runningCount = 0;
          let mostRunningCount = 0;
          const work = async (): Promise<void> => {
            runningCount += 1;
            mostRunningCount = Math.max(mostRunningCount, runningCount);
            await new Promise(setImmediate);
            runningCount -= 1;
          };
          const results = await Promise.allSettled(keys.map((key) => queue.run(key, work)));
          expect(mostRunningCount).toBeLessThanOrEqual(maxRunningCount);
          expect(runningCount).toBe(0);
          const refusals = results.filter((result) => result.status === 'rejected');
          expect(refusals.every(({ reason }) => reason instanceof QueueFullError)).toBe(true);
          expect(keys.length - refusals.length).toBeLessThanOrEqual(maxRunningCount + limits.maxWaitingCount);
        },
      ),
    );
  });
});
