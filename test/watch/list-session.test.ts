import { expect, it } from 'vitest';

import { type ListedObjects, listObjects } from '../../src/cluster/watch/list-session.js';
import { collectionOf } from '../../src/cluster/watch/resource-path.js';
import type { Lane } from '../../src/lib/base/lane.js';
import { atOnce } from '../support/lanes.js';
import { ManualClock } from '../support/manual-clock.js';
import { never } from '../support/signals.js';
import {
  answers,
  expired,
  failsWith,
  neverAnswers,
  podJson,
  ScriptedApi,
  sendsList,
  WatchFeed,
} from './scripted-api.js';

const nameOf = (object: unknown): string => (object as { metadata: { name: string } }).metadata.name;

interface Run {
  readonly api: ScriptedApi;
  readonly resourceVersion?: string;
  readonly clock?: ManualClock;
  readonly background?: Lane;
  readonly signal?: AbortSignal;
  readonly onExpired?: () => void;
  readonly selectors?: { readonly labelSelector: string };
}

const list = (run: Run): Promise<ListedObjects<string>> =>
  listObjects(
    {
      api: run.api,
      collection: collectionOf({ resource: 'pods', ...run.selectors }),
      clock: run.clock ?? new ManualClock(),
      background: run.background ?? atOnce,
      project: nameOf,
      onExpired: run.onExpired ?? ((): void => undefined),
    },
    run.resourceVersion ?? '0',
    run.signal ?? never,
  );

const [a, b, c] = [podJson('a', '1'), podJson('b', '2'), podJson('c', '3')];
const selfLeading = sendsList('12', [a], 'same');

it('listObjects follows pages without a resource version, and keeps that of the first page', async () => {
  const api = new ScriptedApi(sendsList('12', [a], 'C1'), sendsList('12', [b], 'C2'), sendsList('13', [c]));
  const selectors = { labelSelector: 'app=cart' };
  expect(await list({ api, resourceVersion: '', selectors })).toMatchObject({
    objects: ['a', 'b', 'c'],
    itemCount: 3,
    resourceVersion: '12',
  });
  expect(api.requestLines).toEqual(['list limit=500', 'list limit=500 continue=C1', 'list limit=500 continue=C2']);
  expect(api.requests.map(({ query }) => query?.['labelSelector'])).toEqual(['app=cart', 'app=cart', 'app=cart']);
});

it.each([
  ['10', 'list rv=10 match=NotOlderThan', 'list rv=10 match=NotOlderThan'],
  ['', 'list limit=500', 'list'],
])('listObjects starts again when a page of a list at "%s" has expired', async (resourceVersion, first, second) => {
  const api = new ScriptedApi(sendsList('12', [a, b], 'C1'), expired, sendsList('14', [b, c]));
  let expiredCount = 0;
  const onExpired = (): number => (expiredCount += 1);
  expect(await list({ api, resourceVersion, onExpired })).toEqual({
    objects: ['b', 'c'],
    skipped: [],
    itemCount: 2,
    resourceVersion: '14',
  });
  expect(api.requestLines).toEqual([first, 'list limit=500 continue=C1', second]);
  expect(expiredCount).toBe(1);
});

it('listObjects requests one response when a continue token is too long', async () => {
  const api = new ScriptedApi(sendsList('12', [a, b], 'C1'), answers(431), sendsList('14', [b, c]));
  expect(await list({ api, resourceVersion: '' })).toMatchObject({ objects: ['b', 'c'], resourceVersion: '14' });
  expect(api.requestLines).toEqual(['list limit=500', 'list limit=500 continue=C1', 'list']);
});

it('listObjects fails when everything has expired', async () => {
  const page = sendsList('12', [a], 'C1');
  const api = new ScriptedApi(page, expired, expired, page, expired, page, expired);
  await expect(list({ api, resourceVersion: '10' })).rejects.toMatchObject({ status: 410 });
  expect(api.requestLines).toEqual([
    'list rv=10 match=NotOlderThan',
    'list limit=500 continue=C1',
    'list rv=10 match=NotOlderThan',
    'list limit=500',
    'list limit=500 continue=C1',
    'list',
    'list limit=500 continue=C1',
  ]);
});

const allMalformed = { reason: 'decode', message: expect.stringContaining('all 2 objects are malformed') as string };

it.each([
  ['an error answer', [answers(500)], { status: 500 }],
  ['a broken connection', [failsWith(new Error('ECONNRESET'))], { message: 'ECONNRESET' }],
  ['an error on a further page', [sendsList('12', [a], 'C1'), answers(500)], { status: 500 }],
  ['a page that leads to itself', [selfLeading, selfLeading], { message: 'the list returned the same page twice' }],
  ['malformed objects alone', [sendsList('12', [{}, {}])], allMalformed],
])('listObjects fails with %s', async (_case, script, expected) => {
  await expect(list({ api: new ScriptedApi(...script), resourceVersion: '' })).rejects.toMatchObject(expected);
});

it('a list is complete without its only object when that is too large', async () => {
  const api = new ScriptedApi(sendsList('12', [{ filler: 'x'.repeat(8 * 1024 * 1024) }]));
  expect(await list({ api })).toMatchObject({ objects: [], skipped: [{ reason: 'too_large' }] });
});

it('listObjects fails after 60 s without data, before the headers or after', async () => {
  for (const isHeld of [true, false]) {
    const clock = new ManualClock();
    const feed = new WatchFeed();
    const failure = expect(
      list({ api: new ScriptedApi(isHeld ? neverAnswers : feed.answer), clock }),
    ).rejects.toMatchObject({ reason: 'timeout', message: 'list of /api/v1/pods: no data for 60 s' });
    await clock.advance(59_000);
    feed.send('{"kind":"PodList",');
    await clock.advance(isHeld ? 1_000 : 60_000);
    await failure;
    expect(clock.sleeperCount).toBe(0);
  }
});

it('listObjects continues while data arrives, for 5 minutes at most', async () => {
  const clock = new ManualClock();
  const feed = new WatchFeed();
  const failure = expect(list({ api: new ScriptedApi(feed.answer), clock })).rejects.toMatchObject({
    reason: 'timeout',
    message: 'list of /api/v1/pods: not complete after 300 s',
  });
  for (let minute = 0; minute < 6; minute += 1) {
    feed.send(' ');
    await clock.advance(50_000);
  }
  await failure;
  expect(feed.isAborted).toBe(true);
});
