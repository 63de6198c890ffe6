// @module-tag sockets

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { describe, expect, it } from 'vitest';

import { type LoopbackHandler, podOf, sendLines, sendList, startReflector } from '../loopback-api.js';
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

describe('a proxy in place of the API server', () => {
  const page = '<html><title>Please log in</title></html>';

  it('a proxy with a web page takes nothing away, and is asked at most 10 times a minute', async () => {
    let isCaptive = false;
    const handler: LoopbackHandler = ({ isWatch }, response) => {
      if (isCaptive) response.writeHead(200, { 'content-type': 'text/html' }).end(page);
      else if (isWatch) sendLines(response, '').destroy();
      else sendList(response, '10', [podOf('a')]);
    };
    await using run = await startReflector(handler);
    await expect.poll(run.names, { interval: 1 }).toEqual(['a']);
    isCaptive = true;
    const requestCount = run.requests.length;
    await run.elapse(180_000);
    expect(run.requests.length - requestCount).toBeLessThanOrEqual(30);
    expect(run.observed).toContain('watch pods rejected');
    expect(run.observed).toContain('list pods decode');
    expect(run.names()).toEqual(['a']);
    isCaptive = false;
    await run.nextAttempt();
    await expect
      .poll(() => run.observed.filter((line) => line === 'list pods success').length, { interval: 1 })
      .toBe(2);
  });

  it('a redirect to another host is not followed, by a list or a watch', async () => {
    const paths: (string | undefined)[] = [];
    const other = createServer((request, response) => {
      paths.push(request.url);
      sendList(response, '99', []);
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    let listCount = 0;
    const handler: LoopbackHandler = ({ isWatch }, response) => {
      if (!isWatch && (listCount += 1) === 1) sendList(response, '10', [podOf('a')]);
      else response.writeHead(307, { location: `http://127.0.0.1:${port}/api/v1/pods` }).end();
    };
    try {
      await using run = await startReflector(handler);
      await run.nextAttempt();
      await run.nextAttempt();
      expect(run.observed).toContain('watch pods rejected');
      expect(run.observed).toContain('list pods http_status');
      expect([run.names(), paths]).toEqual([['a'], []]);
      expect(run.reflector.lastFailure?.message).toContain('the server answered 307; redirects are not followed');
    } finally {
      await new Promise((resolve) => other.close(resolve));
    }
  });
});

describe.each([414, 431])('a request that is too long for the server, %d', (status) => {
  it('a request that is too long is repeated every 30 to 60 s, as one that is forbidden', async () => {
    await using run = await runReflector({ api: new ScriptedApi().thenAlways(answers(status)) });
    await run.clock.advance(44_999);
    expect(run.api.requestLines).toEqual(['list rv=0']);
    await run.clock.advance(1 + 9 * 45_000);
    expect(run.api.requestLines).toHaveLength(11);
  });

  it('a request that is too long ends the wait of those who would wait for the first list in vain', async () => {
    await using run = await runReflector({ api: new ScriptedApi().thenAlways(answers(status)) });
    await run.reflector.firstList.settled;
    expect(run.api.requestLines).toHaveLength(1);
    expect(run.reflector.isServerAway).toBe(false);
  });
});
