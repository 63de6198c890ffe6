import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Clock } from '../../src/lib/base/clock.js';
import { silentLogger } from '../../src/lib/base/logger.js';
import { WorkQueue } from '../../src/lib/base/work-queue.js';
import { ManualClock } from '../support/manual-clock.js';
import { recordingLogger } from '../support/recording-logger.js';
import { never } from '../support/signals.js';

/** What one run of a task does. */
interface Plan {
  readonly durationMs: number;
  readonly result: 'done' | 'failed' | number;
}

/** A queue on a manual clock. The n-th run of each task follows the n-th plan; the last one counts for all later runs. */
class World implements AsyncDisposable {
  readonly clock = new ManualClock({ monotonicMs: 0 });
  /** Start and end of each run, by task. */
  readonly runs = new Map<string, [startMs: number, endMs: number | undefined][]>();
  readonly lines: string[] = [];
  retriedCount = 0;
  readonly queue: WorkQueue;
  readonly #plans: readonly Plan[];
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(plans: readonly Plan[] = [{ durationMs: 0, result: 'done' }]) {
    this.#plans = plans;
    this.queue = new WorkQueue({
      kind: 'read',
      handle: (name, signal) => this.#handle(name, signal),
      clock: this.clock,
      random: () => 1, // the longest delays: 1 s, 2 s, 4 s
      logger: recordingLogger(this.lines),
      onRetry: () => {
        this.retriedCount += 1;
      },
    });
  }

  start(): this {
    this.#running = this.queue.run(this.#stop.signal);
    return this;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  startsOf(task: string): number[] {
    return this.runs.get(task)?.map(([startMs]) => startMs) ?? [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    expect(this.clock.sleeperCount).toBe(0);
    expect(this.queue.oldestRun).toBeUndefined();
    expect(this.queue.depth()).toBe(0);
  }

  async #handle(task: string, signal: AbortSignal): Promise<number | undefined> {
    const runs = this.runs.get(task) ?? [];
    this.runs.set(task, runs);
    expect(runs.filter(([, endMs]) => endMs === undefined)).toEqual([]);
    const { durationMs, result } = this.#plans[Math.min(runs.length, this.#plans.length - 1)] ?? fail();
    const run: [number, number | undefined] = [this.clock.monotonicMs(), undefined];
    runs.push(run);
    if (durationMs > 0) await this.clock.sleep(durationMs, signal);
    run[1] = this.clock.monotonicMs();
    if (result === 'failed') throw new Error('no luck');
    return result === 'done' ? undefined : result;
  }
}

function fail(): never {
  throw new Error('no plan');
}

const failed: Plan = { durationMs: 0, result: 'failed' };
const done: Plan = { durationMs: 0, result: 'done' };

it('a task runs when it is due, once, and is gone then', async () => {
  await using world = new World().start();
  world.queue.add('a', 300);
  world.queue.add('b');
  expect(world.queue.depth()).toBe(2);
  await world.clock.advance(10_000);
  expect(Object.fromEntries(world.runs)).toEqual({ a: [[300, 300]], b: [[0, 0]] });
  expect(world.queue.depth()).toBe(0);
  expect(world.clock.sleeperCount).toBe(0);
});

it('a task does not wait for others', async () => {
  await using world = new World([{ durationMs: 60_000, result: 'done' }]).start();
  world.queue.add('a');
  world.queue.add('b', 10);
  await world.clock.advance(10);
  expect(world.startsOf('b')).toEqual([10]);
  expect(world.queue.oldestRun).toEqual({ task: 'read/a', sinceMs: 0 });
  await world.clock.advance(59_995);
  expect(world.queue.oldestRun).toEqual({ task: 'read/b', sinceMs: 10 });
});

it('a task that fails is retried with growing delays up to a minute, without end', async () => {
  await using world = new World([failed]).start();
  world.queue.add('a');
  await world.clock.advance(3_600_000);
  const starts = world.startsOf('a');
  const delaysMs = starts.slice(1).map((startMs, index) => startMs - (starts[index] ?? NaN));
  expect(delaysMs.slice(0, 8)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  expect(delaysMs.length).toBeGreaterThan(60);
  expect(world.retriedCount).toBe(starts.length);
});

it('a task that fails is logged once for each run of failures, and once when it succeeds', async () => {
  await using world = new World([failed, failed, done]).start();
  world.queue.add('a');
  await world.clock.advance(10_000);
  expect(world.lines).toEqual([
    'warn: task failed {"task":"read/a","attempt":1,"error":"no luck"}',
    'debug: task failed {"task":"read/a","attempt":2,"error":"no luck"}',
    'info: task succeeded after 2 failed attempts {"task":"read/a"}',
  ]);
  expect(world.retriedCount).toBe(2);
});

it('a stop discards what waits, ends what is in process, and takes nothing more', async () => {
  const world = new World([{ durationMs: 60_000, result: 'failed' }]).start();
  world.queue.add('a');
  world.queue.add('b', 1_000);
  await world.clock.advance(500);
  await world.stop();
  world.queue.add('c');
  await world.clock.advance(3_600_000);
  expect([...world.runs.keys()]).toEqual(['a']);
  expect([world.lines, world.queue.depth(), world.clock.sleeperCount]).toEqual([[], 0, 0]);
});

it('a stop waits for a task that ends late', async () => {
  const clock = new ManualClock();
  const queue = new WorkQueue({
    kind: 'read',
    handle: () => clock.sleep(700).then(() => undefined),
    clock,
    random: () => 0,
    logger: silentLogger,
    onRetry: () => undefined,
  });
  const stop = new AbortController();
  let hasEnded = false;
  const running = queue.run(stop.signal).then(() => (hasEnded = true));
  queue.add('a');
  await clock.advance(100);
  stop.abort();
  await clock.advance(500);
  expect([hasEnded, queue.depth()]).toEqual([false, 1]);
  await clock.advance(100);
  expect([hasEnded, queue.depth()]).toEqual([true, 0]);
  await running;
});

it('a stop may come before the start', async () => {
  const world = new World();
  world.queue.add('a');
  await world.queue.run(AbortSignal.abort());
  await world.clock.advance(1_000);
  expect([world.runs.size, world.queue.depth()]).toEqual([0, 0]);
});

/** One task by the contract's words, without timer or concurrency. */
class Model {
  readonly runs: [startMs: number, endMs: number | undefined][] = [];
  readonly #plans: readonly Plan[];
  #nowMs = 0;
  #dueMs: number | undefined;
  #run: { readonly endMs: number; readonly result: Plan['result'] } | undefined;
  #failureCount = 0;
  /** Of the last failure. */
  #notBeforeMs = 0;

  constructor(plans: readonly Plan[]) {
    this.#plans = plans;
  }

  add(delayMs: number): void {
    this.#dueMs = Math.max(Math.min(this.#dueMs ?? Infinity, this.#nowMs + delayMs), this.#notBeforeMs);
  }

  advance(durationMs: number): void {
    const endMs = this.#nowMs + durationMs;
    for (let atMs = this.#nextMs(); atMs <= endMs; atMs = this.#nextMs()) {
      this.#nowMs = Math.max(this.#nowMs, atMs);
      if (this.#run === undefined) this.#start();
      else this.#end(this.#run);
    }
    this.#nowMs = endMs;
  }

  #nextMs(): number {
    return this.#run?.endMs ?? this.#dueMs ?? Infinity;
  }

  #start(): void {
    const plan = this.#plans[Math.min(this.runs.length, this.#plans.length - 1)] ?? fail();
    this.#run = { endMs: this.#nowMs + plan.durationMs, result: plan.result };
    this.runs.push([this.#nowMs, undefined]);
    this.#dueMs = undefined;
  }

  #end({ result }: Pick<Plan, 'result'>): void {
    const run = this.runs.at(-1) ?? fail();
    run[1] = this.#nowMs;
    this.#run = undefined;
    if (result === 'failed') {
      const delayMs = Math.min(60_000, 1_000 * 2 ** this.#failureCount++);
      this.#notBeforeMs = this.#nowMs + delayMs;
      this.add(delayMs);
    } else this.#failureCount = 0;
    if (typeof result === 'number') this.add(result);
  }
}

type Step =
  | { readonly type: 'add'; readonly name: string; readonly delayMs: number }
  | { readonly type: 'advance'; readonly durationMs: number };

describe('any sequence of steps', () => {
  const names = Array.from({ length: 12 }, (_, index) => `n${index}`);
  const name = fc.constantFrom(...names);
  const delay = fc.integer({ min: 0, max: 5_000 });
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 4, arbitrary: fc.record({ type: fc.constant('add' as const), name, delayMs: delay }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('advance' as const), durationMs: delay }) },
  );
  const plan: fc.Arbitrary<Plan> = fc.record({
    durationMs: fc.oneof(fc.constant(0), delay),
    result: fc.oneof(fc.constant('done' as const), fc.constant('failed' as const), fc.integer({ min: 1, max: 5_000 })),
  });

  it('any steps run each task when the model does, and never twice at a time', { timeout: 60_000 }, async () => {
    // The last plan, of all later runs: a task comes to its end.
    const plans = fc.array(plan, { minLength: 1, maxLength: 6 }).map((some) => [...some, done]);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), plans, async (steps, planned) => {
        await using world = new World(planned).start();
        const models = new Map(names.map((of) => [of, new Model(planned)]));
        for (const each of [...steps, { type: 'advance', durationMs: 30_000 } as const]) {
          if (each.type === 'advance') {
            await world.clock.advance(each.durationMs);
            for (const model of models.values()) model.advance(each.durationMs);
          } else {
            world.queue.add(each.name, each.delayMs);
            models.get(each.name)?.add(each.delayMs);
          }
        }
        for (const [of, model] of models) expect(world.runs.get(of) ?? []).toEqual(model.runs);
      }),
      { numRuns: 150 },
    );
  });
});

describe('WorkQueue: a queue that cannot work', () => {
  const broken = (part: string) => (): never => {
    throw new Error(`${part} is broken`);
  };
  const optionsOf = (clock: ManualClock) => ({
    kind: 'read',
    handle: async (name: string, signal: AbortSignal) => {
      if (name === 'fails') throw new Error('no luck');
      await clock.sleep(60_000, signal);
      return undefined;
    },
    clock,
    random: () => 0,
    logger: silentLogger,
    onRetry: () => undefined,
  });

  it.each(['random', 'onRetry'] as const)(
    'a queue whose %s is broken rejects, after the tasks in process have ended',
    async (part) => {
      const clock = new ManualClock();
      const breaks = part === 'random' ? { random: broken(part) } : { onRetry: broken(part) };
      const queue = new WorkQueue({ ...optionsOf(clock), ...breaks });
      const running = queue.run(never);
      const ended = expect(running).rejects.toThrow(`${part} is broken`);
      queue.add('waits');
      queue.add('fails', 1_000);
      await clock.advance(1_000);
      await ended;
      expect(clock.sleeperCount).toBe(0);
    },
  );

  it('a queue whose clock is broken rejects when a task is due', async () => {
    const clock = new ManualClock();
    let isBroken = false;
    const monotonicMs = (): number => (isBroken ? broken('the clock')() : clock.monotonicMs());
    const sleep: Clock['sleep'] = (...args) => clock.sleep(...args);
    const queue = new WorkQueue({
      ...optionsOf(clock),
      clock: { nowMs: monotonicMs, steadyNowMs: monotonicMs, monotonicMs, sleep },
    });
    const ended = expect(queue.run(never)).rejects.toThrow('the clock is broken');
    queue.add('waits', 1_000);
    isBroken = true;
    await clock.advance(1_000);
    await ended;
  });
});
