import { describe, expect, it } from 'vitest';

import type { ApiTransport } from '../../src/cluster/http/api-client.js';
import type { Pod } from '../../src/cluster/kube/objects.js';
import { type Scope, shardOf, wholeCluster } from '../../src/cluster/kube/scope.js';
import { parseSelector } from '../../src/cluster/kube/selector-parser.js';
import type { StoreChange } from '../../src/cluster/watch/object-store.js';
import { areSeen, type ScopeState } from '../../src/cluster/watch/store-lists.js';
import { RequestError } from '../../src/lib/base/errors.js';
import { ManualClock } from '../support/manual-clock.js';
import { recordingLogger } from '../support/recording-logger.js';
import { startStore } from '../support/running-store.js';
import { silentObserver } from '../support/watch-observers.js';
import { eventLine, neverAnswers, ScriptedApi, sends, WatchFeed } from './scripted-api.js';

const nodes = Array.from({ length: 4 }, (_, index) => `node-${index + 1}`);
const firstShard: Scope = { shard: 0, totalShards: 2, nodeName: undefined };
const [own = '', ...otherOwn] = nodes.filter((name) => shardOf(name, 2) === 0);
const [foreign = ''] = nodes.filter((name) => shardOf(name, 2) === 1);

const metadataOf = (name: string, resourceVersion: string, uid = `uid-${name}`): object => ({
  name,
  uid,
  resourceVersion,
});

const nodeOf = (name: string, resourceVersion = '1'): object => ({
  kind: 'Node',
  metadata: metadataOf(name, resourceVersion),
});

const podOn = (nodeName: string | undefined, name: string, resourceVersion = '1', uid?: string): object => ({
  kind: 'Pod',
  metadata: { ...metadataOf(name, resourceVersion, uid), namespace: 'shop' },
  spec: { nodeName },
});

const runningOn = (nodeName: string, name: string): object => ({
  ...podOn(nodeName, name),
  status: { phase: 'Running' },
});

const list = (kind: string, items: readonly object[]): string =>
  JSON.stringify({ kind: `${kind}List`, metadata: { resourceVersion: '10' }, items });

/** A store of these pods, and of all nodes unless `selected` are those of a selector. `send`: of the kind of the object. */
async function start(scope: Scope, pods: readonly object[], selected?: readonly string[]) {
  const clock = new ManualClock();
  const [nodeFeed, podFeed] = [new WatchFeed(), new WatchFeed()];
  const told: string[] = [];
  const podChanges: StoreChange<Pod>[] = [];
  const lines: string[] = [];
  const nodeList = sends(
    list(
      'Node',
      (selected ?? nodes).map((name) => nodeOf(name)),
    ),
  );
  const confirmed = selected?.length === 0 ? [nodeList] : [];
  const nodeApi = new ScriptedApi(nodeList, ...confirmed, nodeFeed.answer);
  const podApi = new ScriptedApi(sends(list('Pod', pods)), podFeed.answer);
  const api: ApiTransport = {
    open: async (request, signal) => (request.path === '/api/v1/nodes' ? nodeApi : podApi).open(request, signal),
  };
  const { store, ...running } = startStore({
    ...{ api, scope, clock, logger: recordingLogger(lines) },
    nodeSelector: selected === undefined ? [] : parseSelector('pool=blue'),
    observer: {
      ...silentObserver,
      eventApplied: (_resource, type) => told.push(type),
      updateSuppressed: () => told.push('suppressed'),
    },
  });
  store.subscribeToPods({ name: 'test', onChange: (change) => podChanges.push(change) });
  await clock.advance(0);
  const listCount = ({ requestLines }: ScriptedApi): number =>
    requestLines.filter((line) => line.startsWith('list')).length;
  return {
    ...{ store, told, podChanges },
    /** Resolves when the event has been applied. */
    send: async (type: string, object: object): Promise<void> => {
      ('kind' in object && object.kind === 'Node' ? nodeFeed : podFeed).send(eventLine(type, object));
      await clock.advance(0);
    },
    /** Breaks a watch; the next one gets no response. */
    breakWatch: async (feed: 'nodes' | 'pods' = 'pods'): Promise<void> => {
      (feed === 'nodes' ? nodeFeed : podFeed).break(new RequestError('connection', 'ECONNRESET'));
      await clock.advance(1_000);
    },
    pods: () => Array.from(store.pods(), ({ name, nodeName }) => `${nodeName}/${name}`),
    selectors: () => [nodeApi, podApi].map(({ requests }) => requests[0]?.query?.['fieldSelector'] ?? ''),
    /** Of nodes and of pods. */
    listCounts: () => [listCount(nodeApi), listCount(podApi)],
    doubted: () =>
      ['nodes', 'pods'].filter((resource) =>
        lines.some((line) => line.includes(`"resource":"${resource}"`) && line.includes('"isContradicted":true')),
      ),
    advance: (durationMs: number) => clock.advance(durationMs),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}

describe('ClusterStore of a shard', () => {
  it('a shard keeps its own nodes and their pods', async () => {
    const pods = [podOn(own, 'mine'), podOn(foreign, 'theirs'), podOn(undefined, 'pending')];
    await using running = await start(firstShard, pods);
    expect(running.store.hasSynced).toBe(true);
    expect(Array.from(running.store.nodes(), ({ name }) => name)).toEqual([own, ...otherOwn]);
    expect([running.store.hasNode(own), running.store.hasNode(foreign)]).toEqual([true, false]);
    expect(running.pods()).toEqual([`${own}/mine`]);
    expect(running.selectors()).toEqual(['', '']);
  });

  it('a deleted pod is not taken for another with its UID, nor is that one back with it', async () => {
    await using running = await start(wholeCluster, [podOn(own, 'mine')]);
    const mine = { namespace: 'shop', name: 'mine', uid: 'uid-mine' };
    await running.send('DELETED', podOn(own, 'mine', '11'));
    await running.send('ADDED', podOn(own, 'forged', '12', 'uid-mine'));
    const others = [mine, { ...mine, name: 'forged' }, { ...mine, namespace: 'evil' }];
    expect(others.map((pod) => running.store.isDeleted(pod))).toEqual([true, false, false]);
  });
});

it('the store of one node requests that node and its pods, and keeps no others', async () => {
  const scope: Scope = { ...wholeCluster, nodeName: own };
  await using running = await start(scope, [podOn(own, 'mine'), podOn(foreign, 'theirs'), podOn(undefined, 'pending')]);
  expect(running.selectors()).toEqual([`metadata.name=${own}`, `spec.nodeName=${own}`]);
  expect(Array.from(running.store.nodes(), ({ name }) => name)).toEqual([own]);
  expect(running.pods()).toEqual([`${own}/mine`]);
});

it.each<[string, Scope, readonly string[]]>([
  [
    'each resource has its own selectors, all of them',
    wholeCluster,
    ['/api/v1/nodes pool=blue,zone!=z1 -', '/api/v1/pods !legacy,app in (a,cart) -'],
  ],
  [
    'one node is requested by its name, not by labels: it may not have them',
    { ...wholeCluster, nodeName: 'node-1' },
    ['/api/v1/nodes - metadata.name=node-1', '/api/v1/pods !legacy,app in (a,cart) spec.nodeName=node-1'],
  ],
])('%s, in lists and watches alike', async (_rule, scope, expected) => {
  const api = new ScriptedApi().thenAlways(
    (request, signal) =>
      sends(request.path === '/api/v1/nodes' ? list('Node', [nodeOf('node-1')]) : list('Pod', []))(request, signal),
    neverAnswers,
  );
  const clock = new ManualClock();
  const podSelector = parseSelector('app in (cart, a),!legacy');
  await using running = startStore({
    api,
    clock,
    scope,
    podSelector,
    nodeSelector: parseSelector('pool=blue,zone!=z1'),
  });
  await clock.advance(0);
  expect(running.store.hasSynced).toBe(true);
  const requested = api.requests.map(({ path, query = {} }) =>
    [path, query['labelSelector'] ?? '-', query['fieldSelector'] ?? '-'].join(' '),
  );
  expect(requested.toSorted()).toEqual([expected[0], expected[0], expected[1], expected[1]]);
});

it('the store of the whole cluster keeps all nodes, and pods without a node too', async () => {
  await using running = await start(wholeCluster, [podOn(own, 'a'), podOn(foreign, 'b'), podOn(undefined, 'c')]);
  expect(Array.from(running.store.nodes(), ({ name }) => name)).toEqual(nodes);
  expect(running.pods()).toEqual([`${own}/a`, `${foreign}/b`, 'undefined/c']);
  await running.send('ADDED', podOn(own, 'd', '11'));
  expect(running.store.podsOn(own).map(({ name }) => name)).toEqual(['a', 'd']);
});

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
])('a pod that started in the future %s', async (_case, aheadMs, expectedMs) => {
  const nowMs = new ManualClock().nowMs();
  await using running = await start(wholeCluster, [startedAt(nowMs + aheadMs)]);
  const expected = expectedMs === undefined ? 0 : nowMs + expectedMs;
  expect(Array.from(running.store.pods(), ({ runningSinceMs }) => runningSinceMs)).toEqual([expected]);
});

describe('ClusterStore.doubt', () => {
  it.each<[string, string, boolean, readonly string[]]>([
    ['nothing is doubted while nothing contradicts it', own, false, []],
    ['pods are doubted when kubelets report others', own, true, ['pods']],
    ['nodes are doubted when pods run on others', 'lost', false, ['nodes']],
  ])('a minute after the first lists, both are checked, and %s', async (_case, nodeName, hasUnknownPods, doubted) => {
    await using world = await start(wholeCluster, [podOn(own, 'a'), podOn('lost', 'ended'), runningOn(nodeName, 'b')]);
    world.store.doubt(hasUnknownPods);
    await world.advance(60_000);
    expect(world.listCounts()).toEqual([1, 1]);
    for (let minute = 0; minute < 3; minute += 1) {
      world.store.doubt(hasUnknownPods);
      await world.advance(60_000);
    }
    expect([world.listCounts(), world.doubted()]).toEqual([[2, 2], doubted]);
  });

  it('a doubt lists nothing while the API server is away: a list follows anyway', async () => {
    await using running = await start(wholeCluster, [podOn(own, 'a')]);
    await running.breakWatch();
    for (let minute = 0; minute < 3; minute += 1) {
      running.store.doubt(true);
      await running.advance(55_000);
    }
    expect([running.store.lists.isServerAway, running.listCounts()]).toEqual([true, [1, 1]]);
  });

  it('nodes are seen with each event of their watch, and no later while it is silent or away', async () => {
    await using running = await start(wholeCluster, []);
    const after = async (durationMs: number): Promise<number> => {
      await running.advance(durationMs);
      return running.store.lists.nodesSeenAtMs - listedAtMs;
    };
    const listedAtMs = running.store.lists.nodesSeenAtMs;
    expect(await after(29_000)).toBe(0);
    await running.send('MODIFIED', nodeOf(own, '11'));
    expect(await after(1_000)).toBe(29_000);
    await running.breakWatch('nodes');
    expect(await after(5_000)).toBe(29_000);
  });

  it.each<[string, Partial<ScopeState>, boolean]>([
    ['that is watched', {}, true],
    ['that was never listed', { isSynced: false }, false],
    ['without a watch', { isConnected: false }, false],
    ['that is polled', { isConnected: false, mode: 'polling' }, true],
    ['whose polls fail', { isConnected: false, mode: 'polling', lastProgress: { monotonicMs: 0, wallMs: 0 } }, false],
  ])('changes in a namespace %s beside a watched one: seen %s', (_what, overrides, expected) => {
    const lastProgress = { monotonicMs: 1, wallMs: 0 };
    const watched = { name: 'pods', namespace: 'a', isSynced: true, isConnected: true, lastProgress } as const;
    const scopes = [watched, { ...watched, ...overrides }].map((scope) => ({
      ...({ mode: 'watch', lastFailure: undefined } as const),
      ...scope,
    }));
    expect(areSeen(scopes, 150_000)).toBe(expected);
  });

  it('pods on nodes that are not selected are no doubt', async () => {
    await using world = await start(wholeCluster, [runningOn('red', 'a')], ['blue']);
    await world.advance(60_000);
    world.store.doubt(false);
    await world.advance(0);
    expect(world.doubted()).toEqual([]);
  });
});

it('nodes that the store has never known are not taken for gone: they may not be selected', async () => {
  await using world = await start(wholeCluster, [podOn('blue', 'a'), podOn('red', 'b')], ['blue']);
  const { store } = world;
  expect([...store.boundNodeNames()]).toEqual(['blue']);
  expect(store.mayBeGone('red')).toBe(false);
});

it('a node that was removed is taken for gone for 5 minutes: it may have left the selector', async () => {
  await using world = await start(wholeCluster, [podOn('blue', 'a')], ['blue']);
  const { store } = world;
  await world.send('DELETED', nodeOf('blue', '11'));
  expect([[...store.nodes()], [...store.boundNodeNames()]]).toEqual([[], ['blue']]);
  await world.advance(299_999);
  expect(store.mayBeGone('blue')).toBe(true);
  await world.advance(1);
  expect([...store.boundNodeNames()]).toEqual([]);
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

  it('the change of a pod shows an eviction that only the event of the deletion carries', async () => {
    await using running = await start(wholeCluster, [podOn(own, 'cart-0')]);
    await running.send('DELETED', evicted('cart-0', '11'));
    expect(running.podChanges.map(shown)).toEqual([
      ['added cart-0', { before: false, now: false, isInitial: true }],
      ['removed cart-0', { before: false, now: true, isInitial: false }],
    ]);
  });

  it('the changes of pods show which evictions were before the first list', async () => {
    await using running = await start(wholeCluster, [evicted('cart-0', '9')]);
    await running.send('ADDED', evicted('cart-1', '11'));
    await running.send('MODIFIED', evicted('cart-0', '12'));
    expect(running.podChanges.map(shown)).toEqual([
      ['added cart-0', { before: false, now: true, isInitial: true }],
      ['added cart-1', { before: false, now: true, isInitial: false }],
    ]);
  });
});
