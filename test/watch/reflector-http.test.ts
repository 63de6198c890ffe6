// @module-tag sockets

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

import { expect, it } from 'vitest';

import { podOf, sendLines, sendList, startReflector } from './loopback-api.js';
import { bookmarkLine, errorLine, eventLine } from './scripted-api.js';

interface Exchange {
  /** The query of the request. */
  readonly search: string;
  readonly response: ServerResponse;
  /** Resolves when the connection or the response has ended. */
  readonly closed: Promise<unknown>;
}

/** A reflector whose requests the test answers, one after the other. */
async function start() {
  const exchanges: Exchange[] = [];
  const run = await startReflector(
    ({ query }, response) => {
      exchanges.push({ search: query.toString(), response, closed: once(response, 'close') });
    },
    { random: () => 0.5 },
  );
  const shows = (lines: readonly string[], expected: readonly string[]): Promise<void> =>
    expect.poll(() => lines, { interval: 1 }).toEqual(expect.arrayContaining([...expected]));
  return {
    ...run,
    /** The next request that has not been taken. */
    next: async (): Promise<Exchange> => {
      await expect.poll(() => exchanges.length, { interval: 1 }).toBeGreaterThan(0);
      const [exchange] = exchanges.splice(0, 1);
      if (exchange === undefined) throw new Error('no request');
      return exchange;
    },
    changed: (...changes: string[]) => shows(run.changes, changes),
    observes: (...lines: string[]) => shows(run.observed, lines),
  };
}

const json = { 'content-type': 'application/json' };

it('a reflector follows a server through a broken line, an expired version and a compressed list', async () => {
  await using run = await start();
  const list = await run.next();
  expect(list.search).toBe('resourceVersion=0');
  sendList(list.response, '10', [podOf('a')]);
  await run.changed('added a');

  const watch = await run.next();
  expect(watch.search).toContain('resourceVersion=10');
  const line = eventLine('ADDED', podOf('größe', '11'));
  const half = Buffer.byteLength(line.slice(0, line.indexOf('ö'))) + 1;
  sendLines(watch.response).write(Buffer.from(line).subarray(0, half));
  watch.response.write(Buffer.from(line).subarray(half));
  await run.changed('added größe');
  watch.response.write(bookmarkLine('12') + eventLine('ADDED', podOf('lost', '13')).slice(0, 30));
  await run.observes('event pods added', 'event pods bookmark');
  watch.response.destroy();
  await run.observes('watch pods reset');

  await run.clock.advance(375);
  const again = await run.next();
  expect(again.search).toContain('resourceVersion=12');
  sendLines(again.response).end(errorLine(410, { reason: 'Expired' }));
  await run.observes('watch pods expired');

  await run.clock.advance(750);
  const relist = await run.next();
  expect(relist.search).toBe('resourceVersion=12&resourceVersionMatch=NotOlderThan');
  const items = [podOf('lost', '13'), podOf('größe', '11')];
  const body = JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '20' }, items });
  relist.response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(gzipSync(body));
  expect((await run.next()).search).toContain('resourceVersion=20');
  expect(run.changes).toEqual(['added a', 'added größe', 'removed a', 'added lost']);
  expect(run.names()).toEqual(['lost', 'größe']);
});

it('a reflector does not apply a list whose connection breaks', async () => {
  await using run = await start();
  const broken = await run.next();
  broken.response.writeHead(200, json).write('{"kind":"PodList","metadata":{"resourceVersion":"10"},"items":[]');
  await setImmediate();
  broken.response.destroy();
  await run.observes('list pods connection');
  await run.clock.advance(375);
  expect((await run.next()).search).toBe('resourceVersion=0');
  expect(run.reflector.isSynced).toBe(false);
});

it.each([
  ['a list', 0],
  ['a watch', 1],
])('a stop closes the connection at once, before the headers of %s', async (_case, listCount) => {
  await using run = await start();
  if (listCount === 1) sendList((await run.next()).response, '10', []);
  const held = await run.next();
  await run.stop();
  await held.closed;
  expect(held.response.writableFinished).toBe(false);
});

it('a reflector closes the connection of a silent watch', async () => {
  await using run = await start();
  sendList((await run.next()).response, '10', []);
  const silent = await run.next();
  sendLines(silent.response, bookmarkLine('11'));
  await run.observes('event pods bookmark');
  await run.clock.advance(180_000);
  await run.observes('watch pods idle');
  await silent.closed;
});
