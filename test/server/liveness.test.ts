import { expect, it } from 'vitest';

import { Liveness, type TimedTask } from '../../src/serve/server/liveness.js';
import { ManualClock } from '../support/manual-clock.js';
import { aLogger } from './test-server.js';

const maxRunMs = 300_000;

function setUp(run?: Omit<TimedTask, 'maxRunMs'>) {
  const clock = new ManualClock();
  const logger = aLogger();
  const liveness = new Liveness({ oldestTask: () => run && { ...run, maxRunMs }, clock, logger });
  const stop = new AbortController();
  const running = liveness.run(stop.signal);
  return {
    clock,
    liveness,
    logger,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await running;
      expect(clock.sleeperCount).toBe(0);
    },
  };
}

it('a process is alive while its timers fire', async () => {
  await using world = setUp();
  for (let hour = 0; hour < 24; hour++) {
    await world.clock.advance(3_600_000);
    expect(world.liveness.failure()).toBeUndefined();
  }
  expect(world.logger.lines).toEqual([]);
});

it('a process whose timers have not fired for two minutes is not alive, and says since when', async () => {
  await using world = setUp();
  await world.clock.advance(10_000);
  world.clock.passWithoutTimers(120_000);
  expect(world.liveness.failure()).toBeUndefined();
  world.clock.passWithoutTimers(1);
  expect(world.liveness.failure()).toBe('no timer has fired since 2026-01-01T00:00:10.000Z');
  await world.clock.advance(0);
  expect(world.liveness.failure()).toBeUndefined();
});

it.each([
  { runsForMs: 0, failure: undefined },
  { runsForMs: 300_000, failure: undefined },
  {
    runsForMs: 300_001,
    failure: 'task refresh/node-3 has been running since 2026-01-01T00:00:00.000Z, more than 5m',
  },
])('a task that has been running for $runsForMs ms has the failure $failure', async ({ runsForMs, failure }) => {
  await using world = setUp({ task: 'refresh/node-3', sinceMs: 5_000 });
  await world.clock.advance(runsForMs);
  expect(world.liveness.failure()).toBe(failure);
});

it('a failure names a task on one line, whatever its name', async () => {
  await using world = setUp({ task: 'refresh/a\nb', sinceMs: 5_000 });
  await world.clock.advance(400_000);
  expect(world.liveness.failure()).toMatch(/^task refresh\/a b has .*$/);
});

it('a failure has one line in the log each time', async () => {
  const run = { task: 'refresh/node-3', sinceMs: 5_000 };
  await using world = setUp(run);
  await world.clock.advance(400_000);
  for (let probe = 0; probe < 5; probe++) world.liveness.failure();
  run.sinceMs = world.clock.monotonicMs();
  expect(world.liveness.failure()).toBeUndefined();
  await world.clock.advance(400_000);
  for (let probe = 0; probe < 5; probe++) world.liveness.failure();
  expect(world.logger.lines).toHaveLength(2);
  expect(world.logger.lines[0]).toMatch(/^error liveness failed: task refresh\/node-3 has been running since/);
});
