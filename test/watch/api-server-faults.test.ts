// @module-tag sockets

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
    'a server whose streams end after an %s and %s is listed at most 10 times a minute',
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

it.each([0, 0.5, 0.999])(
  'a server that was away is listed within a second when it has expired the known version (random number %d)',
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

/** In the order of Kubernetes' releases: the cause's reason, the cause's message, the message alone. */
const tooLargeStatuses: readonly (readonly [string, object])[] = [
  ['a cause', { reason: 'Timeout', details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'x' }] } }],
  [
    'the message of a cause',
    { reason: 'Timeout', message: 'Timeout', details: { causes: [{ message: 'Too large resource version' }] } },
  ],
  ['its message', { message: 'Timeout: Too large resource version: 10, current: 5' }],
];

describe('a server that lags behind the known version', () => {
  it.each(tooLargeStatuses)(
    'S16: a server that lags behind the known version, and says so by %s, is asked for its newest state',
    async (_case, status) => {
      const handler: LoopbackHandler = ({ isWatch, query }, response) => {
        if (isWatch && query.get('resourceVersion') === '10') sendStatus(response, 504, status);
        else if (isWatch) sendLines(response);
        else if (query.get('resourceVersion') === '0') sendList(response, '10', [podOf('before')]);
        else if (query.has('resourceVersion')) sendStatus(response, 504, status);
        else sendList(response, '5', [podOf('after')]);
      };
      await using run = await startReflector(handler);
      await run.nextAttempt();
      await expect.poll(run.names, { interval: 1 }).toEqual(['after']);
      expect(run.lists().map(({ query }) => query.get('resourceVersion'))).toEqual(['0', '10', null]);
    },
  );

  it.each(tooLargeStatuses)(
    'a server that lags behind the known version, and says so by %s in the stream, is listed',
    async (_case, status) => {
      const handler: LoopbackHandler = ({ isWatch, query }, response) => {
        if (isWatch && query.get('resourceVersion') === '10') sendLines(response, errorLine(504, status)).end();
        else if (isWatch) sendLines(response);
        else sendList(response, query.get('resourceVersion') === '0' ? '10' : '5', [podOf('a')]);
      };
      await using run = await startReflector(handler);
      await run.nextAttempt();
      expect(run.lists()).toHaveLength(2);
    },
  );
});

it('a server that was restored from a backup has other objects under the known versions: a list decides by content', async () => {
  let hasPhase = 'Running';
  let watchCount = 0;
  const handler: LoopbackHandler = ({ isWatch }, response) => {
    if (!isWatch) sendList(response, '10', [podOf('a', '7', { status: { phase: hasPhase } })]);
    else if ((watchCount += 1) === 1) sendLines(response, errorLine(500)).end();
    else sendLines(response);
  };
  await using run = await startReflector(handler);
  await expect.poll(() => run.pod('a')?.phase, { interval: 1 }).toBe('Running');
  hasPhase = 'Failed';
  await run.nextAttempt();
  await expect.poll(() => run.pod('a')?.phase, { interval: 1 }).toBe('Failed');
});

it('a server that sends an event of another kind costs no list: the event is skipped and counted, and the version does not move', async () => {
  const table = eventLine('MODIFIED', { kind: 'Table', metadata: { resourceVersion: '99' }, rows: [] });
  let watchCount = 0;
  const handler: LoopbackHandler = ({ isWatch }, response) => {
    if (!isWatch) sendList(response, '10', [podOf('a')]);
    else if ((watchCount += 1) > 1) sendLines(response);
    else sendLines(response, eventLine('ADDED', podOf('b', '11')), table).write('', () => response.destroy());
  };
  await using run = await startReflector(handler);
  await run.nextAttempt();
  expect(run.lists()).toHaveLength(1);
  expect(run.requests.at(-1)?.query.get('resourceVersion')).toBe('11');
  expect(run.names()).toEqual(['a', 'b']);
  expect(run.observed).toContain('skipped pods other_kind');
});

it.each([
  [400, { reason: 'BadRequest', message: 'invalid resource version: 10' }],
  [422, { reason: 'Invalid' }],
  [500, { message: 'resourceVersion: Invalid value: "10": strconv.ParseUint: parsing "10": invalid syntax' }],
])(
  'a server that refuses the known version with %d is asked for its newest state after three times',
  async (code, status) => {
    const handler: LoopbackHandler = ({ isWatch, query }, response) => {
      const version = query.get('resourceVersion');
      if (!isWatch && version === '0') sendList(response, '10', [podOf('before')]);
      else if (version === '10') sendStatus(response, code, status);
      else if (isWatch) sendLines(response);
      else sendList(response, 'x-1', [podOf('after')]);
    };
    await using run = await startReflector(handler);
    while (!run.names().includes('after') && run.requests.length < 10) await run.nextAttempt();
    const lists = run.lists().map(({ query }) => query.get('resourceVersion'));
    expect(lists).toEqual(['0', '10', '10', '10', null]);
    expect(run.names()).toEqual(['after']);
  },
);

it('a list with an object above 8 MiB is applied without that object, which is counted and named in the log', async () => {
  const huge = podOf('huge', '2', { filler: 'x'.repeat(8 * 1024 * 1024) });
  const handler: LoopbackHandler = ({ isWatch }, response) => {
    if (isWatch) sendLines(response);
    else sendList(response, '10', [podOf('a'), huge, podOf('b')]);
  };
  await using run = await startReflector(handler);
  await expect.poll(run.names, { interval: 1 }).toEqual(['a', 'b']);
  expect(run.observed).toContain('skipped pods too_large');
  expect(run.logged).toContainEqual(expect.stringMatching(/^warn: .*"name\\":\\"huge\\"/));
});

describe('a server whose version is 0', () => {
  it('S67: a server whose version is 0 is listed again and never watched from there, which would begin with all objects', async () => {
    let version = '0';
    const handler: LoopbackHandler = ({ isWatch }, response) => {
      if (isWatch) sendLines(response);
      else sendList(response, version, [podOf(`at-${version}`)]);
    };
    await using run = await startReflector(handler);
    await run.elapse(10 * minuteMs);
    expect(run.requests.every(({ isWatch }) => !isWatch)).toBe(true);
    expect(run.names()).toEqual(['at-0']);
    expect(run.requests.length).toBeLessThanOrEqual(60);
    version = '7';
    await run.nextAttempt();
    await expect.poll(() => run.requests.at(-1)?.isWatch, { interval: 1 }).toBe(true);
    expect(run.names()).toEqual(['at-7']);
  });

  it('a server is listed after an event with the version 0', async () => {
    const handler: LoopbackHandler = ({ isWatch }, response) => {
      if (isWatch) sendLines(response, eventLine('ADDED', podOf('b', '0')));
      else sendList(response, '10', [podOf('a')]);
    };
    await using run = await startReflector(handler);
    await run.nextAttempt();
    expect(run.requests.map(({ isWatch }) => isWatch).slice(0, 3)).toEqual([false, true, false]);
  });
});

describe('a wrong list', () => {
  const pods = (count: number): readonly object[] => Array.from({ length: count }, (_, index) => podOf(`p${index}`));

  /** Lists `known` pods, then `relisted`; the newest state has `newest`. A status instead of pods is an error. */
  const startAndList = async (relisted: number, newest: number | { readonly status: number }, known = 60) => {
    let watchCount = 0;
    const run = await startReflector(({ isWatch, query }, response) => {
      const version = query.get('resourceVersion');
      if (isWatch && (watchCount += 1) === 1) sendLines(response, errorLine(500)).end();
      else if (isWatch) sendLines(response);
      else if (version === '0') sendList(response, '10', pods(known));
      else if (version !== null) sendList(response, '20', pods(relisted));
      else if (typeof newest === 'number') sendList(response, '30', pods(newest));
      else sendStatus(response, newest.status);
    });
    await run.nextAttempt();
    return run;
  };
  const versionsOf = (lists: readonly { readonly query: URLSearchParams }[]) =>
    lists.map(({ query }) => query.get('resourceVersion'));

  it.each([
    ['empty', 0],
    ['half empty', 29],
  ])('a list that is %s removes nothing: the newest state counts', async (_case, relisted) => {
    await using run = await startAndList(relisted, 59);
    await expect.poll(() => run.requests.at(-1)?.query.get('resourceVersion'), { interval: 1 }).toBe('30');
    expect(versionsOf(run.lists())).toEqual(['0', '10', null]);
    expect(run.names()).toHaveLength(59);
    expect(run.changes.filter((change) => change.startsWith('removed'))).toEqual(['removed p59']);
    expect(run.logged).toContainEqual(
      expect.stringMatching(/^warn: dropped a list without most .*"knownCount":60,"missingCount":(?:60|31)/),
    );
  });

  it('a list that is empty by mistake removes not even one object', async () => {
    await using run = await startAndList(0, 1, 1);
    await expect.poll(() => run.requests.at(-1)?.query.get('resourceVersion'), { interval: 1 }).toBe('30');
    expect(versionsOf(run.lists())).toEqual(['0', '10', null]);
    expect(run.changes.filter((change) => change.startsWith('removed'))).toEqual([]);
  });

  it('an empty list that is right is applied when a second one confirms it', async () => {
    await using run = await startAndList(0, 0);
    await expect.poll(run.names, { interval: 1 }).toEqual([]);
    expect(versionsOf(run.lists())).toEqual(['0', '10', null]);
    expect(run.logged).toContainEqual(
      expect.stringMatching(/^warn: most objects are gone, or there are none: a second list confirms it/),
    );
  });

  it('an empty list removes nothing while it cannot be confirmed', async () => {
    await using run = await startAndList(0, { status: 503 });
    await run.elapse(5 * minuteMs);
    expect(run.names()).toHaveLength(60);
    expect(run.changes.filter((change) => change.startsWith('removed'))).toEqual([]);
  });

  it('a list that removes half of the objects is applied at once', async () => {
    await using run = await startAndList(30, { status: 503 });
    await expect.poll(run.names, { interval: 1 }).toHaveLength(30);
    expect(versionsOf(run.lists())).toEqual(['0', '10']);
  });
});
