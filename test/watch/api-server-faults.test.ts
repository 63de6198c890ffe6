import type { ServerResponse } from 'node:http';

import { describe, expect, it } from 'vitest';

import { type LoopbackHandler, podOf, sendLines, sendList, sendStatus, startReflector } from './loopback-api.js';
import { bookmarkLine, errorLine, eventLine } from './scripted-api.js';

const minuteMs = 60_000;

describe('a server whose streams end', () => {
  let version = 10;
  const next = (): string => String((version += 1));
  const anEvent = (): string => eventLine('ADDED', podOf('new', next()));

  /** [how each stream ends after its event or bookmark, how the stream is served] */
  const ends: readonly (readonly [string, (response: ServerResponse, line: string) => void])[] = [
    ['an error', (response, line) => sendLines(response, line, errorLine(500)).end()],
    ['an expired version', (response, line) => sendLines(response, line, errorLine(410)).end()],
    ['a broken connection', (response, line) => sendLines(response).write(line, () => response.destroy())],
    ['garbage', (response, line) => sendLines(response, line, '?\n').end()],
    ['nothing', (response, line) => sendLines(response, line).end()],
  ];

  it.each(ends.flatMap(([end, serve]) => ['event', 'bookmark'].map((kind) => [kind, end, serve] as const)))(
    'H4: after an %s and %s is listed at most 10 times a minute',
    async (kind, _end, serve) => {
      const handler: LoopbackHandler = ({ isWatch }, response) => {
        if (isWatch) serve(response, kind === 'event' ? anEvent() : bookmarkLine(next()));
        else sendList(response, next(), [podOf('a')]);
      };
      await using run = await startReflector(handler);
      const listCounts: number[] = [];
      const requestCounts: number[] = [];
      for (let minute = 1; minute <= 3; minute += 1) {
        const [listsBefore, requestsBefore] = [run.lists().length, run.requests.length];
        await run.elapse(minuteMs);
        listCounts.push(run.lists().length - listsBefore);
        requestCounts.push(run.requests.length - requestsBefore);
      }
      expect(Math.max(...listCounts)).toBeLessThanOrEqual(10);
      expect(Math.max(...requestCounts)).toBeLessThanOrEqual(20);
    },
  );
});

describe('a server that was away', () => {
  it.each([0, 0.5, 0.999])(
    'H12: is listed within a second when it has expired the known version (random number %d)',
    async (random) => {
      let phase: 'up' | 'down' | 'back' = 'up';
      const handler: LoopbackHandler = ({ isWatch }, response) => {
        if (phase === 'down') response.destroy();
        else if (!isWatch) sendList(response, '90', [podOf(phase)]);
        else if (phase === 'back') sendStatus(response, 410, { reason: 'Expired' });
        else {
          phase = 'down';
          sendLines(response, bookmarkLine('11'));
          response.write('', () => response.destroy());
        }
      };
      await using run = await startReflector(handler, { random: () => random });
      await run.elapse(10 * minuteMs - 30_000);
      phase = 'back';
      const requestCount = run.requests.length;
      await run.nextAttempt();
      await run.nextAttempt();
      const [watch, list] = run.requests.slice(requestCount);
      expect([watch?.isWatch, list?.isWatch]).toEqual([true, false]);
      expect((list?.atMs ?? Infinity) - (watch?.atMs ?? 0)).toBeLessThanOrEqual(1_000);
      await expect.poll(run.names, { interval: 1 }).toEqual(['back']);
    },
  );
});
