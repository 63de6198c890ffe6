import { expect, test } from 'vitest';

import { ConfigWatcher } from '../../src/config/reload.js';
import type { Config } from '../../src/config/schema.js';
import { UserError } from '../../src/lib/base/errors.js';
import { ManualClock } from '../support/manual-clock.js';
import { loadText } from './support.js';

const pollMs = 5000;
/** Longer than two reads that agree. */
const readMs = 250;

/** A watched file in memory, with the applied settings and the reports. */
class World {
  readonly clock = new ManualClock();
  text = 'cache: {ttl: 20s}';
  readError: Error | undefined;
  read = (): Promise<string> =>
    this.readError === undefined ? Promise.resolve(this.text) : Promise.reject(this.readError);
  apply: (config: Config) => Promise<void> = () => Promise.resolve();
  readonly applied: number[] = [];
  readonly reported: string[] = [];
  readonly watcher = new ConfigWatcher({
    clock: this.clock,
    initialText: this.text,
    readFile: () => this.read(),
    load: loadText,
    apply: async (config) => {
      await this.apply(config);
      this.applied.push(config.cache.ttlMs);
    },
    onReload: (failure) =>
      this.reported.push(
        failure === undefined ? `reloaded ${this.applied.at(-1) ?? 0}` : `failed: ${failure.message.slice(0, 24)}`,
      ),
  });
}

const it = test.extend('world', () => new World());

/** A reload on demand; the clock moves for as long as the file is read. */
async function reload({ watcher, clock }: World): Promise<Error | undefined> {
  const reloading = watcher.trigger();
  await clock.advance(readMs);
  return reloading;
}

/** Runs the watcher during `steps`. */
async function watching(world: World, steps: () => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const running = world.watcher.run(stop.signal);
  await steps();
  stop.abort();
  await running;
  expect(world.clock.sleeperCount).toBe(0);
}

it('the watcher applies a change of the content once', async ({ world }) => {
  await watching(world, async () => {
    world.text = 'cache: {ttl: 30s}';
    await world.clock.advance(3 * pollMs);
  });
  expect(world.applied).toEqual([30_000]);
  expect(world.reported).toEqual(['reloaded 30000']);
});

it('the watcher keeps the last good settings when the file has faults, and reports these once', async ({ world }) => {
  await watching(world, async () => {
    world.text = 'cache: {ttl: never}';
    await world.clock.advance(5 * pollMs);
    world.text = 'cache: {ttl: always}';
    await world.clock.advance(5 * pollMs);
    world.text = 'cache: {ttl: 20s}';
    await world.clock.advance(5 * pollMs);
  });
  expect(world.applied).toEqual([20_000]);
  expect(world.reported).toEqual([
    'failed: cache.ttl: found "never"',
    'failed: cache.ttl: found "always',
    'reloaded 20000',
  ]);
});

it('the watcher reports once that the file cannot be read, and recovers', async ({ world }) => {
  await watching(world, async () => {
    world.readError = new Error('no such file');
    await world.clock.advance(5 * pollMs);
    world.readError = undefined;
    await world.clock.advance(pollMs);
  });
  expect(world.reported).toEqual(['failed: no such file', 'reloaded 20000']);
});

it('the watcher reports settings that cannot be applied, and does not retry them by itself', async ({ world }) => {
  world.apply = () => Promise.reject(new Error('port in use'));
  await watching(world, async () => {
    world.text = 'cache: {ttl: 30s}';
    await world.clock.advance(5 * pollMs);
    world.apply = () => Promise.resolve();
    expect(await reload(world)).toBeUndefined();
  });
  expect(world.reported).toEqual(['failed: port in use', 'reloaded 30000']);
  expect(world.applied).toEqual([30_000]);
});

it('the watcher tries settings again a minute after each temporary failure', async ({ world }) => {
  const attemptedAtMs: number[] = [];
  const startMs = world.clock.monotonicMs();
  world.apply = () => {
    attemptedAtMs.push(Math.floor((world.clock.monotonicMs() - startMs) / pollMs) * pollMs);
    const isAway = attemptedAtMs.length < 3;
    return isAway ? Promise.reject(new UserError('no lists', { isTemporary: true })) : Promise.resolve();
  };
  await watching(world, async () => {
    world.text = 'cache: {ttl: 30s}';
    await world.clock.advance(300_000);
  });
  expect(attemptedAtMs).toEqual([5_000, 65_000, 125_000]);
  expect(world.reported).toEqual(['failed: no lists', 'failed: no lists', 'reloaded 30000']);
});

it('the watcher applies a change at once after a temporary failure', async ({ world }) => {
  world.apply = ({ cache }) =>
    cache.ttlMs === 30_000 ? Promise.reject(new UserError('no lists', { isTemporary: true })) : Promise.resolve();
  await watching(world, async () => {
    world.text = 'cache: {ttl: 30s}';
    await world.clock.advance(2 * pollMs);
    world.text = 'cache: {ttl: never}';
    await world.clock.advance(120_000);
    world.text = 'cache: {ttl: 40s}';
    await world.clock.advance(120_000);
  });
  expect(world.reported).toEqual(['failed: no lists', 'failed: cache.ttl: found "never"', 'reloaded 40000']);
});

it('the watcher reloads on demand, even without a change, before the next poll', async ({ world }) => {
  expect(await reload(world)).toBeUndefined();
  world.text = 'cache: {ttl: 30s}';
  expect(await reload(world)).toBeUndefined();
  expect(world.applied).toEqual([20_000, 30_000]);
  await watching(world, () => world.clock.advance(2 * pollMs));
  expect(world.applied).toHaveLength(2);
});

it('the watcher returns the error of a reload on demand', async ({ world }) => {
  world.text = 'cache: {ttl: never}';
  expect((await reload(world))?.message).toMatch(/^cache\.ttl: found "never"/);
});

it('the watcher runs one reload at a time, and waiting calls share the next one', async ({ world }) => {
  const gates: (() => void)[] = [];
  world.apply = () => new Promise((resolve) => gates.push(resolve));
  const first = world.watcher.trigger();
  await world.clock.advance(readMs);
  const waiting = [world.watcher.trigger(), world.watcher.trigger(), world.watcher.trigger()];
  world.text = 'cache: {ttl: 30s}';
  await world.clock.advance(0);
  expect(gates).toHaveLength(1);
  gates[0]?.();
  expect(await first).toBeUndefined();
  expect(world.applied).toEqual([20_000]);
  await world.clock.advance(readMs);
  expect(gates).toHaveLength(2);
  gates[1]?.();
  expect(await Promise.all(waiting)).toEqual([undefined, undefined, undefined]);
  expect(world.applied).toEqual([20_000, 30_000]);
});

it('the watcher does not repeat a reload for content that a running reload has read', async ({ world }) => {
  let open: (() => void) | undefined;
  world.apply = () => new Promise((resolve) => (open = resolve));
  await watching(world, async () => {
    world.text = 'cache: {ttl: 30s}';
    const reloading = world.watcher.trigger();
    await world.clock.advance(pollMs);
    open?.();
    await reloading;
    await world.clock.advance(pollMs);
  });
  expect(world.applied).toEqual([30_000]);
});

it('the watcher reads a file that is being written until two reads agree', async ({ world }) => {
  const reads = ['', 'cache: {ttl', 'cache: {ttl: 30s}', 'cache: {ttl: 30s}'];
  world.read = () => Promise.resolve(reads.shift() ?? 'cache: {ttl: 30s}');
  const reloading = world.watcher.trigger();
  await world.clock.advance(1_000);
  expect(await reloading).toBeUndefined();
  expect(world.reported).toEqual(['reloaded 30000']);
});

it('the watcher reports a file that never stays the same, and loads it once it does', async ({ world }) => {
  let count = 0;
  world.read = () => Promise.resolve(`cache: {ttl: ${(count += 1)}s}`);
  await watching(world, async () => {
    await world.clock.advance(2 * pollMs);
    world.read = () => Promise.resolve('cache: {ttl: 30s}');
    await world.clock.advance(2 * pollMs);
  });
  expect(world.reported).toEqual(['failed: the file has changed at ', 'reloaded 30000']);
});

it('the watcher ends with its signal, after the running reload', async ({ world }) => {
  let open: (() => void) | undefined;
  world.apply = () => new Promise((resolve) => (open = resolve));
  const stop = new AbortController();
  let hasEnded = false;
  const running = world.watcher.run(stop.signal).then(() => (hasEnded = true));
  void world.watcher.trigger();
  stop.abort();
  await world.clock.advance(pollMs);
  expect(hasEnded).toBe(false);
  open?.();
  await running;
  expect(world.reported).toEqual(['reloaded 20000']);
});
