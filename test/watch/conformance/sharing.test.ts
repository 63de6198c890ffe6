import { setImmediate } from 'node:timers/promises';

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { ApiRequest, ApiTransport } from '../../../src/cluster/http/api-client.js';
import { createInterner } from '../../../src/cluster/kube/dedupe.js';
import { wholeCluster } from '../../../src/cluster/kube/scope.js';
import { parseSelector } from '../../../src/cluster/kube/selector-parser.js';
import { ClusterWatches, SharedWatches } from '../../../src/cluster/watch/cluster-watches.js';
import type { StoreChange } from '../../../src/cluster/watch/object-store.js';
import { SharedWatch } from '../../../src/cluster/watch/shared-watch.js';
import type { Subscriber } from '../../../src/cluster/watch/subscription.js';
import { Tombstones } from '../../../src/cluster/watch/tombstones.js';
import { watchedPods, type WatchedPodsOptions } from '../../../src/cluster/watch/watched-collection.js';
import { Scheduler } from '../../../src/lib/base/scheduler.js';
import { untilEnd } from '../../support/fixtures.js';
import { ManualClock } from '../../support/manual-clock.js';
import { recordingLogger } from '../../support/recording-logger.js';
import { mustNotEnd, silentObserver } from '../../support/watch-observers.js';
import { type Answer, answers, podJson, ScriptedApi, sendsList, WatchFeed } from '../scripted-api.js';
import { added, allThings, deleted, listOfA, modified, type Thing } from '../scripted-reflector.js';

const lingerMs = 30_000;

type SharedWatchOptions = ConstructorParameters<typeof SharedWatch>[1];

interface Setting extends SharedWatchOptions {
  readonly onUnexpectedEnd: (error: Error) => void;
  readonly clock: ManualClock;
  /** By level, of the log. */
  readonly logged: string[];
  /** A line for each failed change. */
  readonly failed: string[];
}

function settingOf(api: ApiTransport): Setting {
  const clock = new ManualClock();
  const [logged, failed]: [string[], string[]] = [[], []];
  return {
    api,
    clock,
    logged,
    failed,
    random: () => 0.5,
    logger: recordingLogger(logged),
    observer: { ...silentObserver, subscriberFailed: (resource) => failed.push(resource) },
    scheduler: new Scheduler(clock),
    removed: new Tombstones(clock),
    onUnexpectedEnd: mustNotEnd,
  };
}

const shown = ({ type, object, isInitial }: StoreChange<Thing>): string =>
  `${isInitial ? 'initial ' : ''}${type} ${object.name}@${object.resourceVersion}`;

/** A subscriber that remembers what it was told. */
function listener(name = 'listener'): Subscriber<Thing> & { readonly told: string[] } {
  const told: string[] = [];
  return { name, told, onChange: (change) => told.push(shown(change)) };
}

interface Watching extends AsyncDisposable, Setting {
  readonly watch: SharedWatch<Thing>;
  /** Resolves when the lines have been applied and told. */
  readonly send: (...lines: string[]) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** A watch of `a@1` unless the answers before it say otherwise. `early` subscribe before the first list. */
async function watching(before: readonly Answer[] = [listOfA], ...early: Subscriber<Thing>[]): Promise<Watching> {
  const feed = new WatchFeed();
  const setting = settingOf(new ScriptedApi(...before, feed.answer));
  const watch = new SharedWatch(allThings, setting);
  for (const subscriber of early) watch.subscribe(subscriber);
  const stopping = new AbortController();
  const running = watch.run(stopping.signal);
  const stop = async (): Promise<void> => {
    stopping.abort(new Error('stopped'));
    await running;
  };
  await setting.clock.advance(0);
  return {
    ...setting,
    watch,
    send: async (...lines) => {
      feed.send(...lines);
      await setting.clock.advance(0);
      await setImmediate();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

interface Sharing extends AsyncDisposable, Setting {
  readonly watches: SharedWatches<Thing>;
  readonly requests: ApiRequest[];
  readonly listCount: () => number;
}

/** Watches of an API server whose lists have `a@1`, and whose watches are silent. */
function sharing(): Sharing {
  const requests: ApiRequest[] = [];
  const setting = settingOf({
    open: (request, signal) => {
      requests.push(request);
      return new ScriptedApi(isWatch(request) ? new WatchFeed().answer : listOfA).open(request, signal);
    },
  });
  const watches = new SharedWatches<Thing>(setting);
  return {
    ...setting,
    watches,
    requests,
    listCount: () => requests.filter((request) => !isWatch(request)).length,
    [Symbol.asyncDispose]: () => watches[Symbol.asyncDispose](),
  };
}

const isWatch = ({ query }: ApiRequest): boolean => query?.['watch'] !== undefined;

const it = test
  .extend('running', ({ onTestFinished }) => untilEnd(onTestFinished, watching()))
  .extend('shared', ({ onTestFinished }) => untilEnd(onTestFinished, sharing()));

const values = { intern: createInterner(1_000), dedupe: <T extends object>(value: T): T => value };

function identityOf(options: Partial<WatchedPodsOptions>): string {
  const clock = new ManualClock();
  const everything = { scope: wholeCluster, namespaces: [], podSelector: [], clock, nodeLocalSpreadMs: 0 };
  return watchedPods({ ...everything, ...options }, values).identity;
}

describe('SharedWatches', () => {
  test('what was removed from one collection is known in the others, as long as the first of them wants', async () => {
    await using shared = sharing();
    const [former, present] = ['one', 'other'].map((identity) => shared.watches.acquire({ ...allThings, identity }));
    former?.watch.removed.keepAtLeast(60_000);
    const thing: Thing = { name: 'gone', uid: 'uid-gone', resourceVersion: '1', value: '' };
    former?.watch.objects.upsert(thing);
    former?.watch.objects.remove(thing);
    former?.[Symbol.dispose]();
    await shared.clock.advance(59_999);
    expect(present?.watch.removed.has('uid-gone')).toBe(true);
    await shared.clock.advance(1);
    expect(present?.watch.removed.has('uid-gone')).toBe(false);
  });

  it('watches of the same objects are one, however their selectors are written', async ({ shared }) => {
    const one = identityOf({ podSelector: parseSelector('a=1,b in (x,y)'), namespaces: ['shop', 'media'] });
    const other = identityOf({ podSelector: parseSelector('b in (y,x),a=1'), namespaces: ['media', 'shop', 'shop'] });
    expect(other).toBe(one);
    const leases = [one, other].map((identity) => shared.watches.acquire({ ...allThings, identity }));
    for (const { watch } of leases) watch.subscribe(listener());
    await shared.clock.advance(0);
    expect([shared.watches.watchCount, shared.watches.subscriptionCount]).toEqual([1, 2]);
    expect([shared.listCount(), shared.requests.length]).toEqual([1, 2]);
  });

  it.for<[string, Partial<WatchedPodsOptions>]>([
    ['labels', { podSelector: parseSelector('a=1') }],
    ['namespaces', { namespaces: ['shop'] }],
    ['a shard', { scope: { shard: 1, totalShards: 2, nodeName: undefined } }],
    ['a node', { scope: { ...wholeCluster, nodeName: 'n1' } }],
  ])('watches of other objects are others: by %s', async ([, options], { shared }) => {
    for (const identity of [identityOf({}), identityOf(options)]) shared.watches.acquire({ ...allThings, identity });
    await shared.clock.advance(0);
    expect([shared.watches.watchCount, shared.listCount()]).toEqual([2, 2]);
  });

  it('a watch that nobody uses goes on for half a minute, and can be used again', async ({ shared }) => {
    const first = shared.watches.acquire(allThings);
    await shared.clock.advance(0);
    first[Symbol.dispose]();
    await shared.clock.advance(lingerMs - 1);
    const again = shared.watches.acquire(allThings);
    expect(again.watch).toBe(first.watch);
    await shared.clock.advance(10 * lingerMs);
    expect([shared.watches.watchCount, shared.listCount()]).toEqual([1, 1]);
    again[Symbol.dispose]();
    await shared.clock.advance(lingerMs);
    expect(shared.watches.watchCount).toBe(0);
    expect(() => again.watch.subscribe(listener())).toThrow(/the watch of pods has ended/);
    expect(shared.watches.acquire(allThings).watch).not.toBe(again.watch);
  });

  it('a user that leaves a watch twice leaves it once', async ({ shared }) => {
    const [first, second] = [shared.watches.acquire(allThings), shared.watches.acquire(allThings)];
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    await shared.clock.advance(lingerMs);
    expect(shared.watches.watchCount).toBe(1);
    second[Symbol.dispose]();
    await shared.clock.advance(lingerMs);
    expect(shared.watches.watchCount).toBe(0);
  });

  it('a watch whose first list is slow is not ended while somebody waits for it', async ({ shared }) => {
    let answer: () => void = () => undefined;
    const slow = new Promise<void>((resolve) => (answer = resolve));
    const api = new ScriptedApi(async (...request) => {
      await slow;
      return listOfA(...request);
    }, new WatchFeed().answer);
    const watches = new SharedWatches<Thing>({ ...shared, api });
    const [former, present] = [watches.acquire(allThings), watches.acquire(allThings)];
    former[Symbol.dispose]();
    await shared.clock.advance(lingerMs);
    answer();
    await present.watch.synced();
    expect(present.watch.objects.size).toBe(1);
    await watches[Symbol.asyncDispose]();
  });

  it('a watch that ends because of a bug is reported, and stops like the others', async () => {
    const shared = sharing();
    const told: string[] = [];
    let isBroken = false;
    const watches = new SharedWatches<Thing>({
      ...shared,
      api: new ScriptedApi(answers(500)),
      random: () => {
        if (isBroken) throw new Error('no entropy');
        return 0.5;
      },
      onUnexpectedEnd: ({ message }) => told.push(message),
    });
    watches.acquire(allThings);
    isBroken = true;
    await shared.clock.advance(60_000);
    expect(told).toEqual(['the watch of pods has ended: no entropy']);
    await watches[Symbol.asyncDispose]();
    expect(shared.clock.sleeperCount).toBe(0);
  });

  it('watches end all at once, used or not, and no more are started', async () => {
    const shared = sharing();
    const lease = shared.watches.acquire(allThings);
    await shared.clock.advance(0);
    await shared.watches[Symbol.asyncDispose]();
    expect(() => shared.watches.acquire(allThings)).toThrow('the watches have ended: pods cannot be watched');
    lease[Symbol.dispose]();
    expect(shared.clock.sleeperCount).toBe(0);
  });
});

it.each<[string, number | undefined, readonly number[]]>([
  ['waits for a random part of the given time', 5_000, [0, 0, 1]],
  ['does not wait without one', undefined, [1, 1, 1]],
])('the first list of one node %s, and those of all nodes do not', async (_case, nodeLocalSpreadMs, counts) => {
  const paths: string[] = [];
  const setting = settingOf({
    open: (request, signal) => {
      if (!isWatch(request)) paths.push(`${request.path} ${request.query?.['fieldSelector'] ?? ''}`);
      return new ScriptedApi(isWatch(request) ? new WatchFeed().answer : sendsList('10', [])).open(request, signal);
    },
  });
  await using watches = new ClusterWatches({
    ...setting,
    ...(nodeLocalSpreadMs !== undefined && { nodeLocalSpreadMs }),
  });
  const all = { namespaces: [], podSelector: [] };
  const ofNode = watches.pods({ ...all, scope: { ...wholeCluster, nodeName: 'n1' } });
  watches.pods({ ...all, scope: wholeCluster });
  const found: number[] = [];
  for (const passedMs of [0, 2_499, 1]) {
    await setting.clock.advance(passedMs);
    found.push(paths.filter((path) => path.includes('spec.nodeName=n1')).length);
    expect(paths.filter((path) => path.endsWith('pods '))).toHaveLength(1);
  }
  expect(found).toEqual(counts);
  expect(ofNode.watch.scopes[0]?.isSynced).toBe(true);
});

it('the first list of one node is not sent when the watch ends before', async () => {
  const setting = settingOf(new ScriptedApi());
  const watches = new ClusterWatches({ ...setting, nodeLocalSpreadMs: 5_000 });
  watches.pods({ namespaces: [], podSelector: [], scope: { ...wholeCluster, nodeName: 'n1' } });
  await setting.clock.advance(0);
  await watches[Symbol.asyncDispose]();
  expect(setting.clock.sleeperCount).toBe(0);
});

it('a subscription begins with all objects and continues with each change once', async ({ running }) => {
  await running.send(added('b', '11'));
  const late = listener();
  running.watch.subscribe(late);
  await running.send(modified('a', '12'), added('c', '13'), deleted('b', '14'));
  expect(late.told).toEqual(['initial added a@1', 'initial added b@11', 'updated a@12', 'added c@13', 'removed b@14']);
});

it('a subscription that begins before the first list has its objects as initial ones', async () => {
  const early = listener();
  await using running = await watching([listOfA], early);
  await running.watch.synced();
  expect(early.told).toEqual(['initial added a@1']);
});

it('a subscriber can end itself and others within a delivery', async ({ running }) => {
  const [first, last] = [listener(), listener()];
  const second = listener();
  running.watch.subscribe({
    name: 'ends',
    onChange: (change) => {
      first.onChange(change);
      if (!change.isInitial) for (const subscription of ended) subscription[Symbol.dispose]();
    },
  });
  const ended = [running.watch.subscribe(second)];
  running.watch.subscribe(last);
  await running.send(added('b', '11'), added('c', '12'));
  expect(first.told).toEqual(['initial added a@1', 'added b@11', 'added c@12']);
  expect(second.told).toEqual(['initial added a@1']);
  expect(last.told).toEqual(first.told);
  expect(running.watch.subscriptionCount).toBe(2);
});

it('each call has its own subscription, also of one subscriber', async ({ running }) => {
  await using foreign = await watching();
  const twice = listener();
  const [first] = [running.watch.subscribe(twice), running.watch.subscribe(twice)];
  await running.clock.advance(0);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  foreign.watch.subscribe(listener())[Symbol.dispose]();
  await running.send(added('b', '11'));
  expect(twice.told).toEqual(['initial added a@1', 'initial added a@1', 'added b@11']);
});

it('a subscriber that throws gets further changes, with one line in the log', async ({ running }) => {
  const other = listener();
  let attemptCount = 0;
  running.watch.subscribe({
    name: 'broken',
    onChange: () => {
      attemptCount += 1;
      throw new Error('no room');
    },
  });
  running.watch.subscribe(other);
  await running.send(added('b', '11'), modified('a', '12'));
  expect([attemptCount, running.failed.length]).toEqual([3, 3]);
  expect(running.logged.filter((line) => line.startsWith('error'))).toEqual([
    'error: a change could not be processed {"resource":"pods","subscriber":"broken","error":"no room"}',
  ]);
  expect(other.told).toHaveLength(3);
  expect(running.watch.objects.size).toBe(2);
});

it('a subscription after the end is refused, and one of before ends without an error', async () => {
  const running = await watching();
  const subscription = running.watch.subscribe(listener());
  await running.stop();
  expect(() => running.watch.subscribe(listener('late'))).toThrow(
    'the watch of pods has ended: "late" cannot subscribe',
  );
  subscription[Symbol.dispose]();
  expect(running.watch.subscriptionCount).toBe(0);
});

it('a subscription has synced when its subscriber has the whole first list, after the store has', async () => {
  const items = ['a', 'b', 'c', 'd', 'e'].map((name) => podJson(name, '1'));
  await using running = await watching([sendsList('10', items)]);
  await running.watch.synced();
  const [late, broken] = [listener(), listener('broken')];
  const subscription = running.watch.subscribe(late);
  const failing = running.watch.subscribe({
    ...broken,
    onChange: () => {
      throw new Error('no room');
    },
  });
  expect([late.told.length, subscription.pendingCount]).toEqual([0, 5]);
  await Promise.all([subscription.synced, failing.synced]);
  expect([late.told.length, subscription.pendingCount]).toEqual([5, 0]);
});

it('a subscription whose list is denied shows why at once', async () => {
  const message = 'pods is forbidden: User "exporter" cannot list resource "pods"';
  await using running = await watching([answers(403, { reason: 'Forbidden', message })]);
  await running.watch.scopes[0]?.firstList.settled;
  const containing = expect.stringContaining(message) as string;
  expect(running.watch.scopes[0]?.lastFailure).toMatchObject({ reason: 'forbidden', message: containing });
  expect(running.logged).toEqual([expect.stringMatching(/^warn: list failed .*is forbidden: User/)]);
});

describe('changes that a subscriber has yet to get', () => {
  const objectsOf = (watch: SharedWatch<Thing>) => ({
    put: (name: string, version: number, uid = `uid-${name}`): number => {
      watch.objects.upsert({ name, uid, resourceVersion: String(version), value: String(version) });
      return version;
    },
    remove: (name: string, version: number, uid = `uid-${name}`): number => {
      watch.objects.remove({ name, uid, resourceVersion: String(version), value: String(version) });
      return version;
    },
  });

  it('all changes are delivered, whenever they come: the mirror of a subscriber equals the store', async () => {
    const operation = fc.record({
      name: fc.constantFrom('a', 'b', 'c'),
      version: fc.nat(9),
      removes: fc.boolean(),
      pauseCount: fc.nat(4),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 40 }), async (operations) => {
        await using running = await watching();
        const mirror = new Map<string, string>();
        running.watch.subscribe({
          name: 'mirror',
          onChange: ({ type, object, previous }) => {
            expect(mirror.get(object.name)).toBe(previous?.resourceVersion);
            if (type === 'removed') mirror.delete(object.name);
            else mirror.set(object.name, object.resourceVersion);
          },
        });
        const { put, remove } = objectsOf(running.watch);
        for (const { name, version, removes, pauseCount } of operations) {
          if (removes) remove(name, version);
          else put(name, version);
          for (let pause = 0; pause < pauseCount; pause += 1) await Promise.resolve();
        }
        await setImmediate();
        expect(running.failed).toEqual([]);
        expect([...mirror].sort()).toEqual(
          Array.from(running.watch.objects.values(), ({ name, resourceVersion }) => [name, resourceVersion]).sort(),
        );
      }),
    );
  });

  it('the changes of a list are not delivered to a subscriber who begins with its objects', async () => {
    const items = Array.from({ length: 1_000 }, (_, index) => podJson(`pod-${index}`, '1'));
    await using running = await watching([sendsList('10', items)]);
    const late = listener();
    const changed = Array.from(running.watch.objects.values(), (object) => ({ ...object, value: 'changed' }));
    const subscription = await running.watch.objects.replace(changed).then(() => running.watch.subscribe(late));
    await subscription.synced;
    expect([late.told.length, new Set(late.told).size]).toEqual([1_000, 1_000]);
    expect(late.told.every((line) => line.startsWith('initial added'))).toBe(true);
  });

  it('an object that comes and goes before the turn of a subscriber is delivered, in order', async ({ running }) => {
    const told = listener();
    const subscription = running.watch.subscribe(told);
    await running.clock.advance(0);
    const { put, remove } = objectsOf(running.watch);
    for (const name of ['x', 'y']) {
      put(name, 11);
      remove(name, 12);
    }
    expect(subscription.pendingCount).toBe(4);
    await running.clock.advance(0);
    expect(told.told.slice(1)).toEqual(['added x@11', 'removed x@12', 'added y@11', 'removed y@12']);
    expect(subscription.pendingCount).toBe(0);
  });
});
