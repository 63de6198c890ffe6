// @module-tag sockets

import { expect, it } from 'vitest';

import { answers, ScriptedApi } from '../scripted-api.js';
import { listOfA, runReflector, runScript } from '../scripted-reflector.js';

it.each([
  ['list', 429, []],
  ['list', 503, []],
  ['watch', 429, [listOfA]],
  ['watch', 503, [listOfA]],
] as const)('the Retry-After of a %s with status %d is waited for', async (what, status, before) => {
  await using run = await runScript(...before, answers(status, {}, 3_000), listOfA);
  const requestCount = before.length + 1;
  await run.clock.advance(3_299);
  expect(run.api.requestLines).toHaveLength(requestCount);
  await run.clock.advance(1);
  expect(run.api.requestLines.slice(requestCount - 1, requestCount + 1)).toEqual(
    Array(2).fill(what === 'list' ? 'list rv=0' : 'watch rv=10'),
  );
});

it('a Retry-After that is shorter than the back-off does not shorten it', async () => {
  await using run = await runReflector({ api: new ScriptedApi(listOfA).thenAlways(answers(429, {}, 1_000)) });
  await run.clock.advance(1_100 + 1_100 + 1_500);
  expect(run.api.requests).toHaveLength(5);
  await run.clock.advance(2_999);
  expect(run.api.requests).toHaveLength(5);
  await run.clock.advance(1);
  expect(run.api.requests).toHaveLength(6);
});

it('a Retry-After that comes again and again is the pause each time, without a list', async () => {
  await using run = await runReflector({ api: new ScriptedApi(listOfA).thenAlways(answers(503, {}, 60_000)) });
  await run.clock.advance(8 * 66_000);
  expect(run.api.requestLines).toEqual(['list rv=0', ...Array.from({ length: 9 }, () => 'watch rv=10')]);
});

it.each([414, 431])('a request that is too long, %d, ends the wait for the first list', async (status) => {
  await using run = await runReflector({ api: new ScriptedApi().thenAlways(answers(status)) });
  await run.reflector.firstList.settled;
  expect(run.api.requestLines).toHaveLength(1);
  expect(run.reflector.isServerAway).toBe(false);
});
