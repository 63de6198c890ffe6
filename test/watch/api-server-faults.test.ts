// @module-tag sockets

import type { ServerResponse } from 'node:http';

import { describe, expect, it } from 'vitest';

import { type LoopbackHandler, podOf, sendLines, sendList, sendStatus, startReflector } from './loopback-api.js';
import { bookmarkLine, errorLine } from './scripted-api.js';

const minuteMs = 60_000;

it.each([0, 0.5, 0.999])(
  'a server that was away and has expired the known version is listed within a second (random number %d)',
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

it.each(
  tooLargeStatuses.flatMap(([by, status]) => [
    [
      by,
      (response: ServerResponse) => {
        sendStatus(response, 504, status);
      },
      status,
    ] as const,
    [
      `${by} in the stream`,
      (response: ServerResponse) => sendLines(response, errorLine(504, status)).end(),
      status,
    ] as const,
  ]),
)(
  'a server that lags behind the known version, and says so by %s, is asked for its newest state',
  async (_case, refuse, status) => {
    await using run = await startReflector(({ isWatch, query }, response) => {
      const version = query.get('resourceVersion');
      if (isWatch && version === '10') refuse(response);
      else if (isWatch) sendLines(response);
      else if (version === '0') sendList(response, '10', [podOf('before')]);
      else if (version !== null) sendStatus(response, 504, status);
      else sendList(response, '5', [podOf('after')]);
    });
    await run.nextAttempt();
    await expect.poll(run.names, { interval: 1 }).toEqual(['after']);
    expect(run.lists().map(({ query }) => query.get('resourceVersion'))).toEqual(['0', '10', null]);
  },
);

it('a server restored from a backup has other objects of known versions: a list decides by content', async () => {
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

it('a server whose version is 0 is listed again and never watched from there', async () => {
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
