import { describe, expect, it } from 'vitest';

import type { ApiTransport } from '../../src/http/api-client.js';
import type { Pod } from '../../src/kube/objects.js';
import { type Scope, wholeCluster } from '../../src/kube/scope.js';
import { shardOf } from '../../src/kube/shard.js';
import type { ClusterStore } from '../../src/watch/cluster-store.js';
import type { StoreChange } from '../../src/watch/object-store.js';
import { ManualClock } from '../support/manual-clock.js';
import { startStore } from '../support/running-store.js';
import { silentObserver } from '../support/watch-observers.js';
import { eventLine, ScriptedApi, sends, WatchFeed } from './scripted-api.js';

const nodes = Array.from({ length: 4 }, (_, index) => `node-${index + 1}`);
const firstShard: Scope = { shard: 0, totalShards: 2, nodeName: undefined };
const [own = '', ...otherOwn] = nodes.filter((name) => shardOf(name, 2) === 0);
const [foreign = ''] = nodes.filter((name) => shardOf(name, 2) === 1);

const metadataOf = (name: string, resourceVersion: string, uid = `uid-${name}`): object => ({
  name,
  uid,
  resourceVersion,
});

const podOn = (nodeName: string | undefined, name: string, resourceVersion = '1', uid?: string): object => ({
  kind: 'Pod',
  metadata: { ...metadataOf(name, resourceVersion, uid), namespace: 'shop' },
  spec: { nodeName },
});

const list = (kind: string, items: readonly object[]): string =>
  JSON.stringify({ kind: `${kind}List`, metadata: { resourceVersion: '10' }, items });

interface Running extends AsyncDisposable {
  readonly store: ClusterStore;
  /** Resolves when the event has been applied. */
  readonly send: (type: string, object: object) => Promise<void>;
  readonly pods: () => readonly string[];
  readonly told: readonly string[];
  readonly podChanges: readonly StoreChange<Pod>[];
  readonly selectors: () => readonly string[];
  /** Of nodes and of pods. */
  readonly listCounts: () => readonly number[];
  readonly advance: (durationMs: number) => Promise<void>;
}

async function start(scope: Scope, pods: readonly object[]): Promise<Running> {
  const clock = new ManualClock();
  const feed = new WatchFeed();
  const told: string[] = [];
  const podChanges: StoreChange<Pod>[] = [];
  const byPath: Readonly<Record<string, ScriptedApi>> = {
    '/api/v1/nodes': new ScriptedApi(
      sends(
        list(
          'Node',
          nodes.map((name) => ({ metadata: metadataOf(name, '1') })),
        ),
      ),
      new WatchFeed().answer,
    ),
    '/api/v1/pods': new ScriptedApi(sends(list('Pod', pods)), feed.answer),
  };
  const api: ApiTransport = {
    open: async (request, signal) => (byPath[request.path] ?? new ScriptedApi()).open(request, signal),
  };
  const running = startStore({
    api,
    scope,
    clock,
    observer: {
      ...silentObserver,
      eventApplied: (_resource, type) => told.push(type),
      updateSuppressed: () => told.push('suppressed'),
    },
  });
  const { store } = running;
  store.subscribeToPods({ name: 'test', onChange: (change) => podChanges.push(change) });
  await clock.advance(0);
  return {
    store,
    send: async (type, object) => {
      feed.send(eventLine(type, object));
      await clock.advance(0);
    },
    pods: () => Array.from(store.pods(), ({ name, nodeName }) => `${nodeName}/${name}`),
    told,
    podChanges,
    selectors: () => Object.values(byPath).map(({ requests }) => requests[0]?.query?.['fieldSelector'] ?? ''),
    listCounts: () =>
      Object.values(byPath).map(({ requestLines }) => requestLines.filter((line) => line.startsWith('list')).length),
    advance: (durationMs) => clock.advance(durationMs),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}

describe('the store of a shard', () => {
  it('keeps its own nodes and their pods', async () => {
    const pods = [podOn(own, 'mine'), podOn(foreign, 'theirs'), podOn(undefined, 'pending')];
    await using running = await start(firstShard, pods);
    expect(running.store.hasSynced).toBe(true);
    expect(Array.from(running.store.nodes(), ({ name }) => name)).toEqual([own, ...otherOwn]);
    expect([running.store.hasNode(own), running.store.hasNode(foreign)]).toEqual([true, false]);
    expect(running.pods()).toEqual([`${own}/mine`]);
    expect(running.selectors()).toEqual(['', '']);
  });

  it('adds a pod when it is bound to one of its nodes, and no other pod', async () => {
    await using running = await start(firstShard, []);
    await running.send('ADDED', podOn(undefined, 'mine', '11'));
    await running.send('ADDED', podOn(undefined, 'theirs', '12'));
    expect(running.pods()).toEqual([]);
    await running.send('MODIFIED', podOn(own, 'mine', '13'));
    await running.send('MODIFIED', podOn(foreign, 'theirs', '14'));
    expect(running.pods()).toEqual([`${own}/mine`]);
    expect(running.told).toEqual([
      ...['added', 'added'].flatMap((type) => ['suppressed', type]),
      'modified',
      ...['suppressed', 'modified'],
    ]);
  });

  it('remembers its deleted pods, and no others', async () => {
    await using running = await start(firstShard, [podOn(own, 'mine'), podOn(foreign, 'theirs')]);
    await running.send('DELETED', podOn(own, 'mine', '11'));
    await running.send('DELETED', podOn(foreign, 'theirs', '12'));
    expect(running.pods()).toEqual([]);
    expect([running.store.isDeleted('uid-mine'), running.store.isDeleted('uid-theirs')]).toEqual([true, false]);
  });

  it('removes a pod that is re-created under its name on a node of another shard', async () => {
    await using running = await start(firstShard, [podOn(own, 'web-0')]);
    await running.send('DELETED', podOn(own, 'web-0', '11'));
    await running.send('ADDED', podOn(undefined, 'web-0', '12', 'uid-new'));
    await running.send('MODIFIED', podOn(foreign, 'web-0', '13', 'uid-new'));
    expect(running.pods()).toEqual([]);
    expect(running.store.findPod('shop', 'web-0')).toBeUndefined();
    expect([running.store.isDeleted('uid-web-0'), running.store.isDeleted('uid-new')]).toEqual([true, false]);
  });
});

it('the store of one node requests that node and its pods, and keeps no others', async () => {
  const scope: Scope = { ...wholeCluster, nodeName: own };
  await using running = await start(scope, [podOn(own, 'mine'), podOn(foreign, 'theirs'), podOn(undefined, 'pending')]);
  expect(running.selectors()).toEqual([`metadata.name=${own}`, `spec.nodeName=${own}`]);
  expect(Array.from(running.store.nodes(), ({ name }) => name)).toEqual([own]);
  expect(running.pods()).toEqual([`${own}/mine`]);
});

it('the store of the whole cluster keeps all nodes, and pods without a node too', async () => {
  await using running = await start(wholeCluster, [podOn(own, 'a'), podOn(foreign, 'b'), podOn(undefined, 'c')]);
  expect(Array.from(running.store.nodes(), ({ name }) => name)).toEqual(nodes);
  expect(running.pods()).toEqual([`${own}/a`, `${foreign}/b`, 'undefined/c']);
});

describe('a pod that started in the future', () => {
  const startedAt = (atMs: number): object => ({
    ...podOn(own, 'a'),
    status: {
      phase: 'Running',
      containerStatuses: [{ state: { running: { startedAt: new Date(atMs).toISOString() } } }],
    },
  });

  it.each([
    ['by less than an hour, as clocks differ, is young', 3_599_000, 3_599_000],
    ['by an hour or more has run for an unknown time', 3_600_000, undefined],
  ])('%s', async (_case, aheadMs, expectedMs) => {
    const nowMs = new ManualClock().nowMs();
    await using running = await start(wholeCluster, [startedAt(nowMs + aheadMs)]);
    const expected = expectedMs === undefined ? 0 : nowMs + expectedMs;
    expect(Array.from(running.store.pods(), ({ runningSinceMs }) => runningSinceMs)).toEqual([expected]);
  });
});

describe('a store in doubt', () => {
  const noDoubt = { knownCount: 1, unknownCount: 0 };

  it('lists pods again when kubelets report many that it does not know for a minute', async () => {
    await using running = await start(wholeCluster, [podOn(own, 'a')]);
    const reported = { knownCount: 1, unknownCount: 5 };
    running.store.compare(reported);
    await running.advance(60_000);
    expect(running.listCounts()).toEqual([1, 1]);
    running.store.compare(reported);
    await running.advance(0);
    expect(running.listCounts()).toEqual([1, 2]);
  });

  it('lists nodes again when many pods run on nodes that it does not know for a minute', async () => {
    const pods = ['a', 'b', 'c'].map((name) => ({ ...podOn('lost', name), status: { phase: 'Running' } }));
    await using running = await start(wholeCluster, [podOn(own, 'a'), ...pods]);
    running.store.compare(noDoubt);
    await running.advance(60_000);
    running.store.compare(noDoubt);
    await running.advance(0);
    expect(running.listCounts()).toEqual([2, 1]);
  });

  it('lists nothing again while pods and nodes agree', async () => {
    await using running = await start(wholeCluster, [podOn(own, 'a'), podOn('lost', 'b')]);
    for (let minute = 0; minute < 2; minute += 1) {
      running.store.compare(noDoubt);
      await running.advance(60_000);
    }
    expect(running.listCounts()).toEqual([1, 1]);
  });
});

describe('the changes of pods', () => {
  const status = {
    phase: 'Failed',
    reason: 'Evicted',
    message: 'Usage of EmptyDir volume "e" exceeds the limit "1Gi". ',
  };
  const evicted = (name: string, resourceVersion: string): object => ({ ...podOn(own, name, resourceVersion), status });
  const shown = ({ type, object, previous, isInitial }: StoreChange<Pod>): unknown[] => [
    `${type} ${object.name}`,
    { before: previous?.eviction !== undefined, now: object.eviction !== undefined, isInitial },
  ];

  it('show an eviction that only the event of the deletion carries', async () => {
    await using running = await start(wholeCluster, [podOn(own, 'cart-0')]);
    await running.send('DELETED', evicted('cart-0', '11'));
    expect(running.podChanges.map(shown)).toEqual([
      ['added cart-0', { before: false, now: false, isInitial: true }],
      ['removed cart-0', { before: false, now: true, isInitial: false }],
    ]);
  });

  it('show which evictions were before the first list', async () => {
    await using running = await start(wholeCluster, [evicted('cart-0', '9')]);
    await running.send('ADDED', evicted('cart-1', '11'));
    await running.send('MODIFIED', evicted('cart-0', '12'));
    expect(running.podChanges.map(shown)).toEqual([
      ['added cart-0', { before: false, now: true, isInitial: true }],
      ['added cart-1', { before: false, now: true, isInitial: false }],
    ]);
  });
});
