import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { listKinds } from '../../src/config/served-paths.js';
import type { NodeSnapshot } from '../../src/facts/node/node-view.js';
import { Scheduler } from '../../src/lib/base/scheduler.js';
import type { ClusterReading } from '../../src/people/query/cluster-reading.js';
import { listEvictions } from '../../src/people/query/list-evictions.js';
import { listNamespaces } from '../../src/people/query/list-namespaces.js';
import { listNodes } from '../../src/people/query/list-nodes.js';
import type { ListPage } from '../../src/people/query/list-page.js';
import { listContainers, listVolumes } from '../../src/people/query/list-parts.js';
import { listPods } from '../../src/people/query/list-pods.js';
import { conditions, type ListKind, ordersOf, parseListQuery } from '../../src/people/query/list-query.js';
import { listWorkloads } from '../../src/people/query/list-workloads.js';
import { evictionReport } from '../../src/people/report/eviction-report.js';
import type { PodReport } from '../../src/people/report/pod-report.js';
import {
  aContainer,
  anFsStats,
  aNodeSummary,
  aPod,
  aPodSummary,
  aVolume,
  aVolumeSummary,
} from '../support/builders.js';
import { anEvictionRecord } from '../support/eviction-builders.js';
import { ManualClock } from '../support/manual-clock.js';
import {
  aBoundPod,
  aClusterSnapshot,
  aContainerUsage,
  aFreshNode,
  aLimitRatio,
  aMeasuredPod,
  anAbsentNode,
  aNodeSnapshot,
  aNodeThreshold,
  aPodUsage,
  aReading,
  aVolumeUsage,
  aWorkload,
  aWorkloadSnapshot,
  someNodeObjects,
  withoutTotal,
} from '../support/snapshot-builders.js';

const lane = new Scheduler(new ManualClock()).newLane();

type Parameters = Readonly<Record<string, string>>;

const lists: Readonly<Record<string, (reading: ClusterReading, of: Parameters) => Promise<ListPage<unknown>>>> = {
  nodes: (reading, of) => listNodes(reading, parseListQuery('nodes', of), lane),
  pods: (reading, of) => listPods(reading, parseListQuery('pods', of), lane),
  containers: (reading, of) => listContainers(reading, parseListQuery('containers', of), lane),
  volumes: (reading, of) => listVolumes(reading, parseListQuery('volumes', of), lane),
  workloads: (reading, of) => listWorkloads(reading, parseListQuery('workloads', of), lane),
  namespaces: (reading, of) => listNamespaces(reading, parseListQuery('namespaces', of), lane),
  evictions: (reading, of) => Promise.resolve(listEvictions(reading.evictions, parseListQuery('evictions', of))),
};

async function podsOf(reading: ClusterReading, parameters: Parameters = {}): Promise<ListPage<PodReport>> {
  return (await lists['pods']?.(reading, parameters)) as ListPage<PodReport>;
}

const namesOf = ({ items }: ListPage<PodReport>): readonly string[] => items.map(({ pod }) => pod);

interface Sketch {
  readonly name: string;
  readonly namespace: string;
  readonly usedBytes: number;
  readonly limitBytes: number;
  readonly isKnown: boolean;
  readonly isMeasured: boolean;
}

const sketches = fc.array(
  fc.record({
    name: fc.constantFrom('cart', 'web', 'db', 'Liar', 'cart-web'),
    namespace: fc.constantFrom('shop', 'ops'),
    usedBytes: fc.integer({ min: 0, max: 3 }),
    limitBytes: fc.integer({ min: 0, max: 3 }),
    isKnown: fc.boolean(),
    isMeasured: fc.boolean(),
  }),
  { maxLength: 30 },
);

const limited = (limitBytes: number) => [aContainer({ name: 'main', limitBytes })];

/** The API server takes names in lower case alone. */
function nameAt({ name, isKnown, isMeasured }: Sketch, index: number): string {
  return `${isKnown || !isMeasured ? name.toLowerCase() : name}-${index}`;
}

/** Three nodes, the last of which is silent: its pods are known to the API server alone. */
function readingOf(all: readonly Sketch[]): ClusterReading {
  const pods = all.map((sketch, index) => ({ ...sketch, uid: `uid-${index}`, name: nameAt(sketch, index) }));
  const measured = pods
    .filter(({ isMeasured }) => isMeasured)
    .map(({ isKnown, usedBytes, limitBytes, ...of }) => {
      const pod = aPod({ ...of, kubeletUid: of.uid, containers: limited(limitBytes) });
      return aMeasuredPod({
        ...of,
        pod: isKnown ? pod : undefined,
        usage: aPodUsage({
          usedBytes,
          containers: [aContainerUsage({ usedBytes }), aContainerUsage({ name: 'proxy', usedBytes: limitBytes })],
          volumes: [aVolumeUsage({ usedBytes: limitBytes === 0 ? undefined : usedBytes })],
        }),
        ratios: isKnown ? [aLimitRatio({ usedBytes, limitBytes })] : [],
      });
    });
  const unmeasured = pods
    .filter(({ isMeasured }) => !isMeasured)
    .map(({ name, namespace, uid }) =>
      aBoundPod({ pod: aPod({ name, namespace, uid, kubeletUid: uid, nodeName: 'node-3' }) }),
    );
  const half = Math.floor(measured.length / 2);
  const silent = anAbsentNode('node-3', 'timeout');
  return aReading({
    snapshot: aClusterSnapshot({
      nodes: [
        aFreshNode(aNodeSnapshot({ nodeName: 'node-1', pods: measured.slice(0, half) })),
        aFreshNode(aNodeSnapshot({ nodeName: 'node-2', pods: measured.slice(half) })),
        { ...silent, objects: someNodeObjects({ nodeName: 'node-3', pods: unmeasured }), unmeasured },
      ],
      workloads: pods.map(({ name, usedBytes }) =>
        aWorkloadSnapshot({ workload: aWorkload({ name }), expectedPods: usedBytes }),
      ),
    }),
    evictions: pods.map(({ name, namespace, uid }) => evictionReport(anEvictionRecord({ pod: name, namespace, uid }))),
  });
}

const listed = Object.keys(lists) as readonly Exclude<ListKind, 'problems'>[];

describe.each(listed)('the list of %s', (kind) => {
  const list = async (reading: ClusterReading, of: Parameters) => {
    const page = await lists[kind]?.(reading, of);
    if (page === undefined) throw new Error(kind);
    return page;
  };

  it(`the first ${kind} are those of the whole list, in its order`, async () => {
    await fc.assert(
      fc.asyncProperty(
        sketches,
        fc.integer({ min: 1, max: 7 }),
        fc.constantFrom(...ordersOf[kind]),
        async (all, limit, order) => {
          const reading = readingOf(all);
          const whole = await list(reading, { order, limit: '1000' });
          const { totalCount } = whole;
          expect([whole.items.length, whole.isComplete]).toEqual([totalCount, true]);
          const items = whole.items.slice(0, limit);
          const first = await list(reading, { order, limit: String(limit) });
          expect(first).toEqual({
            ...{ items, totalCount, limit, isComplete: totalCount <= limit },
            ...(whole.ranks === undefined ? {} : { ranks: whole.ranks.slice(0, limit) }),
          });
        },
      ),
      { numRuns: 40 },
    );
  });

  it(`a search of ${kind} leaves the items with all words, in the same order`, async () => {
    await fc.assert(
      fc.asyncProperty(
        sketches,
        fc.constantFrom('cart', 'liar', 'shop/', 'op web', 'node-1', 'none'),
        async (all, search) => {
          const reading = readingOf(all);
          const whole = await list(reading, { limit: '1000' });
          const found = await list(reading, { search, limit: '1000' });
          const text = (item: unknown) => nameText(kind, item as Named).toLowerCase();
          const words = search.split(' ');
          expect(found.items).toEqual(whole.items.filter((item) => words.every((word) => text(item).includes(word))));
        },
      ),
      { numRuns: 40 },
    );
  });
});

type Named = Readonly<Record<string, string>>;

function nameText(kind: string, item: Named): string {
  const { node, namespace, pod, workload, workloadType, workloadNamespace } = item;
  if (kind === 'nodes') return node ?? '';
  if (kind === 'namespaces') return namespace ?? '';
  if (kind === 'workloads') return `${workloadNamespace === '' ? '-' : workloadNamespace}/${workloadType}/${workload}`;
  if (kind === 'containers') return `${namespace}/${pod}/${item['container']}`;
  if (kind === 'volumes') return `${namespace}/${pod}/${item['volume']}`;
  return kind === 'pods' ? `${namespace}/${pod}` : `${namespace}/${pod} ${node}`;
}

it('each pod is listed once, and filters leave some of them', async () => {
  await fc.assert(
    fc.asyncProperty(sketches, fc.constantFrom(...conditions), async (all, only) => {
      const reading = readingOf(all);
      const whole = await podsOf(reading, { limit: '1000' });
      expect([...namesOf(whole)].sort()).toEqual(all.map(nameAt).sort());
      const filters = [{ only }, { namespace: 'shop' }, { node: 'node-1' }, { selector: '!app' }];
      for (const filter of filters) {
        const found = namesOf(await podsOf(reading, { ...filter, limit: '1000' }));
        expect(found).toEqual(namesOf(whole).filter((name) => found.includes(name)));
      }
      const inShop = namesOf(await podsOf(reading, { namespace: 'shop', limit: '1000' }));
      expect(inShop).toHaveLength(all.filter(({ namespace }) => namespace === 'shop').length);
    }),
    { numRuns: 40 },
  );
});

const aForecast = { endsAtMs: Infinity, rule: 'pod', container: '', volume: '' } as const;

const ofSameTime = { name: 'cart', timeMs: 86_000_001, percent: 0 } as const;
/** Times that are the same to the rank: the larger pod, which is not the first of its node without the forecast, is the first of all. */
const equalTimes = [
  [
    { ...ofSameTime, usedBytes: 2 },
    { ...ofSameTime, usedBytes: 0, timeMs: undefined },
  ],
  [
    { ...ofSameTime, usedBytes: 3 },
    { ...ofSameTime, usedBytes: 1, timeMs: undefined, percent: 90 as const },
  ],
];

/** Pods of many nodes, some of which reach a limit at some time. */
const forecastPods = fc.array(
  fc.array(
    fc.record({
      name: fc.constantFrom('cart', 'web'),
      usedBytes: fc.integer({ min: 0, max: 3 }),
      percent: fc.constantFrom(0, 90, 200),
      timeMs: fc.constantFrom(undefined, -3_600_000, 0, 0.4, 1, 86_000_001, 86_000_000.6, 10 ** 9),
    }),
    { maxLength: 4 },
  ),
  { maxLength: 30 },
);

it.each(ordersOf.pods)(
  'the first pods by %s are those of the whole list, on many nodes and with forecasts',
  async (order) => {
    await fc.assert(
      fc.asyncProperty(
        forecastPods,
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom('', 'cart', 'c web'),
        async (all, limit, search) => {
          const nodes = all.map((pods, node) => {
            const records = pods.map(({ name, usedBytes, percent }, index) => {
              const ratios = [aLimitRatio({ usedBytes: percent, limitBytes: 100 })];
              return aMeasuredPod({ name: `${name}-${index}`, usage: aPodUsage({ usedBytes }), ratios });
            });
            const times = records.flatMap(({ summary: { uid } }, index) => {
              const reachedAtMs = pods[index]?.timeMs;
              return reachedAtMs === undefined ? [] : [[uid, { ...aForecast, reachedAtMs }] as const];
            });
            const forecasts = { measuredAtMs: 0, pods: new Map(times), thresholds: [] };
            return aNodeSnapshot({ nodeName: `node-${node}`, pods: records, forecasts });
          });
          const reading = aReading({ snapshot: aClusterSnapshot({ nodes: nodes.map((of) => aFreshNode(of, 0)) }) });
          const whole = await podsOf(reading, { order, search, limit: '1000' });
          const page = await podsOf(reading, { order, search, limit: String(limit) });
          expect(page.items).toEqual(whole.items.slice(0, limit));
          expect(page.totalCount).toBe(whole.totalCount);
        },
      ),
      { numRuns: 200, examples: [[equalTimes, 1, '']] },
    );
  },
);

it('pods that are above a limit come first, those without figures last, and equals by size', async () => {
  await fc.assert(
    fc.asyncProperty(sketches, async (all) => {
      const { items } = await podsOf(readingOf(all), { limit: '1000' });
      const groups = items.map((item) => {
        if (item.state === 'unmeasured') return [3, 0];
        const { ratio = 0 } = item.nearestLimit ?? {};
        return ratio > 1 ? [0, -ratio] : ratio < 0.8 ? [2, -item.usedBytes] : [1, -ratio];
      });
      expect(groups).toEqual(groups.toSorted(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d));
    }),
    { numRuns: 40 },
  );
});

it('pods are sorted by what they use, by their ratio, and by their names', async () => {
  const of = (name: string, usedBytes: number, limitBytes: number): Sketch => {
    return { name, namespace: 'shop', usedBytes, limitBytes, isKnown: true, isMeasured: true };
  };
  const reading = readingOf([of('a', 1, 0), of('b', 3, 9), of('c', 2, 4), of('d', 3, 3)]);
  expect(namesOf(await podsOf(reading, { order: 'used' }))).toEqual(['b-1', 'd-3', 'c-2', 'a-0']);
  expect(namesOf(await podsOf(reading, { order: 'ratio' }))).toEqual(['a-0', 'd-3', 'c-2', 'b-1']);
  expect(namesOf(await podsOf(reading, { order: 'name' }))).toEqual(['a-0', 'b-1', 'c-2', 'd-3']);
  expect((await podsOf(reading, { order: 'ratio' })).items[0]).toMatchObject({ nearestLimit: { ratio: Infinity } });
});

describe('a pod without a total', () => {
  const pod = aPod({ name: 'cart-0', uid: 'cart', kubeletUid: 'cart', nodeName: 'node-1', runningSinceMs: 0 });
  const ratios = [aLimitRatio({ rule: 'container', container: 'main', usedBytes: 3, limitBytes: 2 })];
  const record = withoutTotal(aMeasuredPod({ name: 'cart-0', pod, ratios }));
  const stranger = withoutTotal(aMeasuredPod({ name: 'stranger', pod: undefined }));
  const ended = withoutTotal(aMeasuredPod({ name: 'ended', pod: aPod({ ...pod, uid: 'ended', phase: 'Failed' }) }));
  const snapshot = aNodeSnapshot({ pods: [aMeasuredPod()], podsWithoutTotal: [record, stranger, ended] });
  const bound = [aBoundPod({ pod })];
  const objects = someNodeObjects({
    pods: [...bound, aBoundPod({ pod: aPod({ ...pod, uid: 'over', phase: 'Succeeded' }) })],
  });
  const reading = aReading({
    snapshot: aClusterSnapshot({ nodes: [{ ...aFreshNode(snapshot), objects, unmeasured: bound }] }),
  });

  it.each([
    [{ only: 'near' }, 1],
    [{ only: 'unknown' }, 1],
    [{ order: 'ratio' }, 2],
    [{ search: 'cart-0' }, 2],
  ])('a pod without a total is listed once, first, with the limit that is measured: %o', async (query, totalCount) => {
    const page = await podsOf(reading, query);
    expect(page.totalCount).toBe(totalCount);
    expect(page.items.filter(({ state }) => state === 'unmeasured')).toMatchObject([
      { pod: 'cart-0', dataState: 'fresh', nearestLimit: { rule: 'container', ratio: 1.5 }, isExpected: true },
    ]);
    if (!('search' in query)) expect(page.items[0]).toMatchObject({ pod: 'cart-0', nearestLimit: { ratio: 1.5 } });
  });

  it('a namespace counts it among those near a limit, and not among the measured ones', async () => {
    const page = await listNamespaces(reading, parseListQuery('namespaces', {}), lane);
    expect(page.items).toMatchObject([{ measuredPodCount: 1, unmeasuredPodCount: 1, nearLimitPodCount: 1 }]);
  });

  it('of a silent node, it is listed as last known', async () => {
    const view = { ...anAbsentNode('node-1', 'timeout'), objects, unmeasured: bound };
    const silent = { ...reading, snapshot: aClusterSnapshot({ nodes: [view] }) };
    const page = await podsOf({ ...silent, lastKnownOf: () => ({ snapshot, ageMs: 60_000 }) }, { only: 'near' });
    expect(page.items).toMatchObject([{ dataState: 'absent', dataAgeMs: 60_000, nearestLimit: { ratio: 1.5 } }]);
  });
});

describe('pods of a silent node', () => {
  const known = aMeasuredPod({
    name: 'kept-0',
    pod: aPod({ namespace: 'shop', name: 'kept-0', uid: 'kept', kubeletUid: 'kept' }),
  });
  const later = aBoundPod({ pod: aPod({ namespace: 'shop', name: 'later-0', uid: 'later', kubeletUid: 'later' }) });
  const bound = [...(known.bound === undefined ? [] : [known.bound]), later];
  const view = {
    ...anAbsentNode('node-1', 'timeout'),
    objects: someNodeObjects({ pods: bound }),
    unmeasured: bound,
  };
  const reading = aReading({
    snapshot: aClusterSnapshot({ nodes: [view] }),
    lastKnownOf: () => ({ snapshot: aNodeSnapshot({ pods: [known] }), ageMs: 60_000 }),
  });

  it('pods of a silent node have their last values, once, and the others say why they have none', async () => {
    const page = await podsOf(reading);
    expect(page.totalCount).toBe(2);
    expect(page.items).toMatchObject([
      { pod: 'kept-0', state: 'measured', dataState: 'absent', dataAgeMs: 60_000, absenceReason: 'timeout' },
      {
        pod: 'later-0',
        state: 'unmeasured',
        reason: expect.stringContaining('no data from node node-1 (timeout)') as string,
      },
    ]);
  });

  it('all pods of a silent node are unknown, whatever is remembered of them', async () => {
    expect((await podsOf(reading, { only: 'unknown' })).totalCount).toBe(2);
  });

  it('namespaces count pods of silent nodes as not measured', async () => {
    const page = await listNamespaces(reading, parseListQuery('namespaces', {}), lane);
    expect(page.items).toMatchObject([{ namespace: 'shop', measuredPodCount: 0, unmeasuredPodCount: 2, usedBytes: 0 }]);
  });
});

it('namespaces count no pods that were refused at admission as evicted', async () => {
  const evictions = (['node_bytes', 'node_admission', 'pod_limit'] as const).map((cause) =>
    evictionReport(anEvictionRecord({ namespace: 'shop', cause })),
  );
  const { items } = await listNamespaces(aReading({ evictions }), parseListQuery('namespaces', {}), lane);
  expect(items).toMatchObject([{ namespace: 'shop', evictionCount: 2 }]);
});

it('namespaces whose pods cannot be listed are there, and say so', async () => {
  const reading = aReading({ snapshot: aClusterSnapshot({ unlistedNamespaces: ['secret'] }) });
  const { items } = await listNamespaces(reading, parseListQuery('namespaces', { order: 'name' }), lane);
  expect(items).toMatchObject([
    { namespace: 'secret', isUnlisted: true, measuredPodCount: 0 },
    { namespace: 'shop', isUnlisted: false, measuredPodCount: 1 },
  ]);
});

it.each([
  [{ selector: 'app=web' }, ['all', 'web']],
  [{ selector: 'app=web', namespace: 'shop' }, ['web']],
  [{ selector: 'app=web', namespace: 'ops' }, ['all']],
  [{ selector: 'app=none' }, []],
])('workloads with %j are %j, which have such pods', async (of, names) => {
  const workloads = ['all', 'web', 'db'].map((name) => aWorkload({ name, namespace: name === 'all' ? '' : 'shop' }));
  const podOf = (namespace: string, app: string, [...its]: readonly string[]) => ({
    pod: aPod({ namespace, labels: { app } }),
    workloads: workloads.filter(({ name }) => its.includes(name)),
  });
  const reading = aReading({
    snapshot: aClusterSnapshot({ workloads: workloads.map((workload) => aWorkloadSnapshot({ workload })) }),
    knownPods: [podOf('shop', 'web', ['web']), podOf('shop', 'db', ['db']), podOf('ops', 'web', ['all'])],
  });
  const found = await listWorkloads(reading, parseListQuery('workloads', of), lane);
  expect(found.items.map(({ workload }) => workload)).toEqual(names);
});

it('nodes that evict come first, then those without space or data, those that are close, and the fullest; skipped ones last', async () => {
  const nodefs = (availableBytes: number) => ({ usedBytes: 100 - availableBytes, availableBytes, capacityBytes: 100 });
  const node = (
    nodeName: string,
    availableBytes: number,
    thresholds: NodeSnapshot['thresholds'] = [],
    unsetSignals: NodeSnapshot['unsetSignals'] = [],
  ) => {
    const summary = aNodeSummary({ nodeName, nodefs: anFsStats(nodefs(availableBytes)) });
    return aFreshNode(aNodeSnapshot({ nodeName, summary, thresholds, unsetSignals }));
  };
  const close = aNodeThreshold({ available: 110, threshold: 100, headroom: 10, isCrossed: false });
  const nodes = [
    anAbsentNode('skipped', 'skipped'),
    node('emptier', 90),
    node('fuller', 10),
    node('close', 50, [close]),
    node('no-space', 0, [], ['nodefs.available']),
    anAbsentNode('silent', 'timeout'),
    node('evicting', 50, [aNodeThreshold({ available: 90, threshold: 100, headroom: -10 })]),
  ];
  const reading = aReading({ snapshot: aClusterSnapshot({ nodes }) });
  const namesBy = async (of: Parameters): Promise<readonly string[]> =>
    (await listNodes(reading, parseListQuery('nodes', of), lane)).items.map((found) => found.node);
  expect(await namesBy({})).toEqual(['evicting', 'no-space', 'silent', 'close', 'fuller', 'emptier', 'skipped']);
  expect(await namesBy({ only: 'near' })).toEqual(['evicting', 'no-space', 'close', 'fuller']);
  expect(await namesBy({ only: 'unknown' })).toEqual(['silent']);
  expect(await namesBy({ order: 'name', limit: '2' })).toEqual(['close', 'emptier']);
});

it.each([
  [{ node: 'node-2' }, ['b']],
  [{ namespace: 'ops' }, ['c']],
  [{ selector: 'app=web' }, ['b']],
  [{ workload: 'shop/statefulset/cart' }, ['a']],
  [{ order: 'name' }, ['c', 'a', 'b']],
])('evictions with %j are %j', (of, pods) => {
  const records = [
    anEvictionRecord({
      pod: 'a',
      node: 'node-1',
      workloads: [aWorkload({ namespace: 'shop', name: 'cart', type: 'statefulset' })],
    }),
    anEvictionRecord({ pod: 'b', node: 'node-2', labels: { app: 'web' }, workloads: [] }),
    anEvictionRecord({ pod: 'c', node: 'node-1', namespace: 'ops', workloads: [] }),
  ];
  const found = listEvictions(
    records.map((record) => evictionReport(record)),
    parseListQuery('evictions', of),
  );
  expect(found.items.map(({ pod }) => pod)).toEqual(pods);
});

it('every list has a test here', () => {
  expect([...listed, 'problems'].sort()).toEqual([...listKinds].sort());
});

describe('the volumes that count', () => {
  const memory = { name: 'shm', medium: 'Memory' } as const;
  const specs = [aVolume({ name: 'data' }), aVolume(memory), aVolume({ name: 'token', type: 'projected' })];
  const measured = specs.map(({ name, type, medium }, at) => aVolumeUsage({ name, type, medium, usedBytes: 10 - at }));
  const summary = aPodSummary({ volumes: measured.map(({ name, usedBytes }) => aVolumeSummary({ name, usedBytes })) });
  const pods = {
    'a pod with its spec': aMeasuredPod({
      pod: aPod({ volumes: specs }),
      summary,
      usage: aPodUsage({ volumes: measured }),
    }),
    'a pod without its spec': aMeasuredPod({
      pod: undefined,
      summary: aPodSummary({ volumes: undefined }),
      usage: aPodUsage({ volumes: measured }),
    }),
  };

  it.each(Object.entries(pods).flatMap(([what, pod]) => ordersOf.volumes.map((order) => [what, order, pod] as const)))(
    'of %s, by %s, are those that are a part of its total',
    async (_what, order, pod) => {
      const snapshot = aNodeSnapshot({ pods: [pod] });
      const reading = aReading({ snapshot: aClusterSnapshot({ nodes: [aFreshNode(snapshot)] }) });
      const of = (parameters: Parameters) =>
        listVolumes(reading, parseListQuery('volumes', { order, ...parameters }), lane);
      const [all, counted] = [await of({}), await of({ counted: 'yes' })];
      expect([all.totalCount, counted.totalCount]).toEqual([3, 1]);
      expect(counted.items.map(({ volume }) => volume)).toEqual(['data']);
    },
  );
});
