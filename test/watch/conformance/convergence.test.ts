import fc from 'fast-check';
import { expect, it } from 'vitest';

import { Random } from '../../../sim/model/random.js';
import type { ApiTransport } from '../../../src/cluster/http/api-client.js';
import { RequestError } from '../../../src/lib/base/errors.js';
import { ManualClock } from '../../support/manual-clock.js';
import { answers, errorLine, podJson, ScriptedApi, sendsList, WatchFeed } from '../scripted-api.js';
import { listOfA, type RunningReflector, runReflector } from '../scripted-reflector.js';

const minuteMs = 60_000;

it('streams that break after any time cost at most 10 lists a minute', async () => {
  const livedMs = fc.oneof(fc.constantFrom(0, 1, 4_999, 5_000), fc.integer({ min: 0, max: 59_999 }));
  await fc.assert(
    fc.asyncProperty(
      fc.array(livedMs, { minLength: 1, maxLength: 6 }),
      fc.constantFrom(0, 0.5, 0.999),
      async (lives, random) => {
        const clock = new ManualClock();
        const listedAtMs: number[] = [];
        let watchCount = 0;
        const api = new ScriptedApi().thenAlways((request, signal) => {
          if (request.query?.['watch'] === undefined) {
            listedAtMs.push(clock.monotonicMs());
            return sendsList('10', [podJson('a', '1')])(request, signal);
          }
          const feed = new WatchFeed();
          const lifeMs = lives[(watchCount += 1) % lives.length] ?? 0;
          clock.sleep(lifeMs, signal).then(
            () => {
              feed.send(watchCount % 2 === 0 ? errorLine(410) : '?\n');
            },
            () => undefined, // the reflector ended it
          );
          return feed.answer(request, signal);
        });
        await using run = await runReflector({ api, clock, random: () => random });
        await run.clock.advance(10 * minuteMs);
        const within = (fromMs: number): number =>
          listedAtMs.filter((atMs) => atMs >= fromMs && atMs < fromMs + minuteMs).length;
        expect(Math.max(...listedAtMs.map(within))).toBeLessThanOrEqual(10);
      },
    ),
    { numRuns: 100 },
  );
});

it('many exporters do not return together to a server that comes back and breaks again and again', async () => {
  const clock = new ManualClock();
  const random = new Random(1);
  const exporterCount = 50;
  const requestedAtMs: number[] = [];
  const feeds = new Set<WatchFeed>();
  let isAway = false;
  const api: ApiTransport = {
    open: async (request, signal) => {
      requestedAtMs.push(clock.monotonicMs());
      if (isAway) return await answers(503)(request, signal);
      if (request.query?.['watch'] === undefined) return await listOfA(request, signal);
      const feed = new WatchFeed();
      feeds.add(feed);
      return await feed.answer(request, signal);
    },
  };
  const beAway = async (durationMs: number): Promise<void> => {
    isAway = true;
    for (const feed of feeds) feed.break(new RequestError('connection', 'ECONNRESET'));
    feeds.clear();
    await clock.advance(durationMs);
    isAway = false;
  };
  const stopping = new AbortController();
  const runs: RunningReflector[] = [];
  for (let count = 0; count < exporterCount; count += 1) {
    runs.push(await runReflector({ api, clock, random: () => random.next(), stopping }));
  }
  await beAway(10 * minuteMs);
  await clock.advance(35_000);
  expect(feeds.size).toBe(exporterCount);
  for (let round = 0; round < 3; round += 1) {
    const brokenAtMs = clock.monotonicMs();
    const from = requestedAtMs.length;
    await beAway(minuteMs);
    const delaysMs = requestedAtMs.slice(from).map((atMs) => atMs - brokenAtMs);
    const within = (fromMs: number): number => delaysMs.filter((ms) => ms >= fromMs && ms < fromMs + 1_000).length;
    expect(Math.min(...delaysMs)).toBeGreaterThanOrEqual(2_000);
    expect(Math.max(...delaysMs.map(within))).toBeLessThanOrEqual(exporterCount * 0.7);
    expect(delaysMs.length).toBeLessThanOrEqual(exporterCount * 6);
    await clock.advance(35_000);
    expect(feeds.size).toBe(exporterCount);
  }
  for (const run of runs) await run.stop();
});
