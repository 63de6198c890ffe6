import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { wholeCluster } from '../../src/cluster/kube/scope.js';
import { podEvictionMs } from '../../src/facts/node/near-evictions.js';
import { CoverageRecord } from '../../src/facts/node/node-coverage.js';
import type { NodeView } from '../../src/facts/node/node-view.js';
import { workloadPath } from '../../src/facts/workload/workload.js';
import { noUsage } from '../../src/facts/workload/workload-partial.js';
import { RequestError } from '../../src/lib/base/errors.js';
import type { ClusterReading } from '../../src/people/query/cluster-reading.js';
import { ordersOf } from '../../src/people/query/list-query.js';
import { evictionReport } from '../../src/people/report/eviction-report.js';
import { NotFoundError } from '../../src/people/status/view-errors.js';
import { mergedReader } from '../../src/serve/source/merged-views.js';
import { chosenShards, failingReader, type ReadyShards } from '../../src/serve/source/shards.js';
import type { AnswerFacts, CommandList, ItemOf, ViewReader } from '../../src/serve/source/view-source.js';
import { aContainer, anFsStats, aNodeSummary, aPod, aPodSummary } from '../support/builders.js';
import { anEvictionRecord } from '../support/eviction-builders.js';
import { ManualClock } from '../support/manual-clock.js';
import { collected, shardedReadings } from '../support/sharded-reading.js';
import {
  aBoundPod,
  aClusterSnapshot,
  aContainerUsage,
  aDeployment,
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
} from '../support/snapshot-builders.js';
import { viewsOf } from '../support/views.js';

const shardCount = 3;
/** One that may span namespaces, and one that never has pods. */
const configured = [aWorkload({ name: 'all' }), aWorkload({ name: 'idle' })];

const pods = fc.record({
  name: fc.constantFrom('cart', 'web', 'db'),
  namespace: fc.constantFrom('shop', 'ops'),
  nodeIndex: fc.integer({ min: 0, max: 4 }),
  usedBytes: fc.integer({ min: 0, max: 12 }),
  limitBytes: fc.constantFrom(undefined, 0, 10),
  unenforced: fc.constantFrom(undefined, 'exempt' as const, 'dedicated_imagefs' as const),
  reachedAtMs: fc.constantFrom(undefined, 0, 60_000, 7_200_000),
  isMeasured: fc.boolean(),
  isEvicted: fc.boolean(),
  tier: fc.constantFrom('front', 'back'),
});
type PodSketch = typeof pods extends fc.Arbitrary<infer Sketch> ? Sketch : never;

const nodes = fc.record({
  state: fc.constantFrom('fresh', 'stale', 'timeout', 'tls', 'skipped'),
  usedBytes: fc.integer({ min: 0, max: 10 }),
  headroom: fc.constantFrom(undefined, -6, -1, 0, 1, 30),
  shard: fc.integer({ min: 0, max: shardCount - 1 }),
});
type NodeSketch = typeof nodes extends fc.Arbitrary<infer Sketch> ? Sketch : never;

type NamedPod = Omit<PodSketch, 'name'> & { readonly name: string; readonly uid: string };

const clusters = fc.record({
  pods: fc.array(pods, { maxLength: 14 }),
  nodes: fc.array(nodes, { minLength: 5, maxLength: 5 }),
});
type Sketch = typeof clusters extends fc.Arbitrary<infer Found> ? Found : never;

const nameOf = (index: number): string => `node-${index}`;

function boundPod({ name, namespace, uid, nodeIndex, limitBytes, tier }: NamedPod) {
  const pod = aPod({
    name,
    namespace,
    labels: { tier },
    uid,
    kubeletUid: uid,
    nodeName: nameOf(nodeIndex),
    containers: [aContainer({ name: 'main', limitBytes, requestBytes: limitBytes })],
  });
  const workloads = [{ ...aDeployment(name.replace(/-.*/, '')), namespace }, aWorkload({ name: 'all' })];
  return aBoundPod({ pod, limitBytes, requestBytes: limitBytes, workloads });
}

function measuredPod(sketch: NamedPod) {
  const { name, namespace, uid, usedBytes, limitBytes, unenforced } = sketch;
  const { pod, workloads } = boundPod(sketch);
  const rule = { rule: 'container', container: 'main', usedBytes, unenforced } as const;
  const ratios = limitBytes === undefined ? [] : [aLimitRatio({ ...rule, limitBytes })];
  const found = aMeasuredPod({
    name,
    namespace,
    pod,
    workloads,
    ratios,
    limitBytes,
    requestBytes: limitBytes,
    summary: aPodSummary({ name, namespace, uid }),
    usage: aPodUsage({
      usedBytes,
      containers: [aContainerUsage({ usedBytes }), aContainerUsage({ name: 'proxy', usedBytes: 2 })],
      volumes: [aVolumeUsage({ usedBytes: usedBytes === 0 ? undefined : usedBytes })],
    }),
  });
  return { ...found, evictionMs: podEvictionMs(found, new Map(), 0) };
}

function nodeView({ state, usedBytes, headroom }: NodeSketch, index: number, all: readonly NamedPod[]): NodeView {
  const nodeName = nameOf(index);
  const own = all.filter(({ nodeIndex }) => nodeIndex === index);
  const bound = own.map(boundPod);
  const objects = someNodeObjects({ nodeName, pods: bound });
  const coverageOf = new CoverageRecord(new ManualClock({ nowMs: Date.UTC(2026, 0, 1), monotonicMs: 0 }));
  if (state !== 'fresh' && state !== 'stale') {
    const absent = anAbsentNode(nodeName, state);
    return { ...absent, objects, ...coverageOf.of(bound, undefined) };
  }
  const forecast = { rule: 'container', container: 'main', volume: '', endsAtMs: Infinity } as const;
  const measured = own.filter(({ isMeasured }) => isMeasured);
  const crossing = { threshold: 10, available: 10 + (headroom ?? 0), isCrossed: (headroom ?? 0) < 0 };
  const snapshot = aNodeSnapshot({
    nodeName,
    pods: measured.map(measuredPod),
    measuredPodUids: new Set(measured.map(({ uid }) => uid)),
    listedPodUids: new Set(measured.map(({ uid }) => uid)),
    summary: aNodeSummary({
      nodeName,
      nodefs: anFsStats({ usedBytes, availableBytes: 10 - usedBytes, capacityBytes: 10 }),
    }),
    thresholds: headroom === undefined ? [] : [aNodeThreshold({ headroom, ...crossing })],
    forecasts: {
      measuredAtMs: 0,
      thresholds: [],
      pods: new Map(
        measured.flatMap(({ uid, reachedAtMs, limitBytes }) =>
          reachedAtMs === undefined || limitBytes === undefined ? [] : [[uid, { ...forecast, reachedAtMs }]],
        ),
      ),
    },
  });
  return { ...aFreshNode(snapshot, index), state, objects, ...coverageOf.of(bound, snapshot) };
}

function readingOf(sketch: Sketch): ClusterReading {
  const all = sketch.pods.map((pod, index) => ({ ...pod, name: `${pod.name}-${index}`, uid: `uid-${index}` }));
  const views = sketch.nodes.map((node, index) => nodeView(node, index, all));
  const evicted = all.filter(({ isEvicted }) => isEvicted);
  return aReading({
    snapshot: aClusterSnapshot({ nodes: views }),
    knownPods: all.map((pod) => ({ ...boundPod(pod), workloads: boundPod(pod).workloads })),
    evictions: evicted.map((pod, index) =>
      evictionReport(
        anEvictionRecord({
          pod: pod.name,
          namespace: pod.namespace,
          uid: pod.uid,
          node: nameOf(pod.nodeIndex),
          workloads: boundPod(pod).workloads,
          evictedAtMs: Date.UTC(2026, 0, 1) - index,
        }),
      ),
    ),
  });
}

function named(readers: readonly ViewReader[], totalCount = readers.length): ReadyShards {
  return { ready: readers.map((reader, index) => ({ name: `exporter-${index}`, reader })), totalCount, leftOut: [] };
}

interface Readers {
  readonly whole: ViewReader;
  readonly merged: ViewReader;
  readonly reading: ClusterReading;
}

async function readersOf(sketch: Sketch): Promise<Readers> {
  const reading = await collected(readingOf(sketch), configured);
  const shardOf = (name: string): number => sketch.nodes[Number(name.replace('node-', ''))]?.shard ?? 0;
  const shards = await shardedReadings(reading, { count: shardCount, shardOf, configured });
  const merged = mergedReader(named(await Promise.all(shards.map((shard) => viewsOf(shard)))));
  return { whole: await viewsOf(reading), merged, reading };
}

/** The order of the reasons, and of the nodes of each, is that of the shards. */
function sortedFacts({ coverage, generatedAtMs, notes }: AnswerFacts): object {
  const absences = coverage.absences
    .map((gap) => ({ ...gap, exampleNodes: gap.exampleNodes.toSorted() }))
    .toSorted((a, b) => (a.reason < b.reason ? -1 : 1));
  return { coverage: { ...coverage, absences }, generatedAtMs, notes };
}

type Shown<Kind extends CommandList> = (item: ItemOf<Kind>) => number | undefined;

/** What items show of what they are sorted by, the larger first and what is not known last. */
const shownBy: { readonly [Kind in CommandList]: Readonly<Record<string, Shown<Kind>>> } = {
  nodes: {
    urgency: ({ urgency }) => urgency,
    headroom: ({ state, threshold }) => (state === 'absent' || !threshold ? undefined : -threshold.headroom),
    time: ({ state, threshold }) =>
      state === 'absent' || threshold?.timeToEvictionMs === undefined ? undefined : -threshold.timeToEvictionMs,
    pods: (node) => {
      if (node.state === 'absent') return undefined;
      const owned = node.filesystems.flatMap(({ podsUsedBytes }) => podsUsedBytes ?? []);
      return owned.length === 0 ? node.podsUsedBytes : owned.reduce((sum, bytes) => sum + bytes, 0);
    },
  },
  pods: {
    urgency: ({ urgency }) => urgency,
    used: (pod) => (pod.state === 'unmeasured' ? undefined : pod.usedBytes),
    ratio: ({ nearestLimit }) => nearestLimit?.ratio,
    time: ({ timeToLimitMs }) => timeToLimitMs && -timeToLimitMs,
    request: ({ requestBytes }) => requestBytes,
    node: ({ node }) => -Number(node?.replace('node-', '')),
  },
  containers: { used: ({ usedBytes }) => usedBytes, ratio: ({ nearestLimit }) => nearestLimit?.ratio },
  volumes: { used: ({ usedBytes }) => usedBytes, ratio: ({ nearestLimit }) => nearestLimit?.ratio },
  workloads: {
    used: ({ usedBytes }) => usedBytes,
    largest: ({ podMaxUsedBytes }) => podMaxUsedBytes,
    pods: ({ expectedPodCount }) => expectedPodCount,
    limit: ({ limitBytes }) => limitBytes,
  },
  namespaces: {
    used: ({ usedBytes }) => usedBytes,
    pods: ({ measuredPodCount, unmeasuredPodCount }) => measuredPodCount + unmeasuredPodCount,
    near: ({ nearLimitPodCount }) => nearLimitPodCount,
    evictions: ({ evictionCount }) => evictionCount,
  },
  evictions: { newest: ({ evictedAtMs }) => evictedAtMs },
};

const kinds = ['nodes', 'pods', 'containers', 'volumes', 'workloads', 'namespaces', 'evictions'] as const;

describe.each(kinds)('the list of %s', (kind: CommandList) => {
  it.each(ordersOf[kind])(`the ${kind} of all shards are those of the whole cluster, by %s`, async (order) => {
    await fc.assert(
      fc.asyncProperty(clusters, fc.constantFrom(1, 3, Infinity), async (sketch, count) => {
        const { whole, merged } = await readersOf(sketch);
        const found = await merged.list(kind, { order }, count);
        const { ranks, ...expected } = await whole.list(kind, { order }, count);
        expect({ ...found, ranks, ...sortedFacts(found) }).toEqual({ ...expected, ranks, ...sortedFacts(expected) });
        const shown = (shownBy[kind][order] ?? (() => 0)) as Shown<CommandList>;
        const values = found.items.map((item) => shown(item) ?? -Infinity);
        expect(values).toEqual(values.toSorted((a, b) => (a === b ? 0 : b - a)));
      }),
      { numRuns: 60 },
    );
  });
});

it.each(ordersOf.workloads)('the workloads of pods with a label are whole over all shards, by %s', async (order) => {
  await fc.assert(
    fc.asyncProperty(clusters, async (sketch) => {
      const { whole, merged } = await readersOf(sketch);
      for (const parameters of [
        { order, selector: 'tier=front' },
        { order, selector: 'tier=front', namespace: 'shop' },
      ]) {
        const expected = await whole.list('workloads', parameters, 3);
        const { items, totalCount } = await merged.list('workloads', parameters, 3);
        expect({ items, totalCount }).toEqual({ items: expected.items, totalCount: expected.totalCount });
      }
    }),
    { numRuns: 40 },
  );
});

it('the nodes and pods of all shards are explained as those of the whole cluster', async () => {
  await fc.assert(
    fc.asyncProperty(clusters, async (sketch) => {
      const { whole, merged, reading } = await readersOf(sketch);
      for (const { nodeName } of reading.snapshot.nodes) {
        const { data } = await merged.object('node', [nodeName], {});
        expect(data).toEqual((await whole.object('node', [nodeName], {})).data);
      }
      for (const { pod } of reading.knownPods) {
        const { data } = await merged.object('pod', [pod.namespace, pod.name], {});
        expect(data).toEqual((await whole.object('pod', [pod.namespace, pod.name], {})).data);
      }
    }),
    { numRuns: 25 },
  );
});

it('the workloads of all shards are explained as those of the whole cluster', async () => {
  await fc.assert(
    fc.asyncProperty(clusters, async (sketch) => {
      const { whole, merged, reading } = await readersOf(sketch);
      for (const { workload } of reading.snapshot.workloads) {
        const path = workloadPath(workload).split('/');
        const { pods, missing, ...data } = (await merged.object('workload', path, { limit: '1000' })).data;
        const expected = (await whole.object('workload', path, { limit: '1000' })).data;
        expect(data).toEqual({ workload: expected.workload, evictions: expected.evictions });
        expect(pods.items).toEqual(expected.pods.items);
        expect(missing.items).toEqual(expected.missing.items);
        expect([pods.totalCount, missing.totalCount]).toEqual([expected.pods.totalCount, expected.missing.totalCount]);
      }
    }),
    { numRuns: 25 },
  );
});

it('the namespaces of all shards are explained as those of the whole cluster', async () => {
  const explained = async (reader: ViewReader, name: string) => {
    const { namespace, evictions, pods, workloads } = (await reader.object('namespace', [name], {})).data;
    const own = workloads.items.filter(({ workloadNamespace }) => workloadNamespace !== '');
    return { namespace, evictions, podCount: pods.totalCount, own };
  };
  await fc.assert(
    fc.asyncProperty(clusters, async (sketch) => {
      const { whole, merged } = await readersOf(sketch);
      for (const { namespace } of (await whole.list('namespaces', {})).items)
        expect(await explained(merged, namespace)).toEqual(await explained(whole, namespace));
    }),
    { numRuns: 10 },
  );
});

it('what no shard has is not found', async () => {
  const empty = await viewsOf(aReading({ snapshot: aClusterSnapshot({ nodes: [], workloads: [] }) }));
  const merged = mergedReader(named([empty, empty]));
  await expect(merged.object('node', ['node-9'], {})).rejects.toThrow(NotFoundError);
  await expect(merged.object('pod', ['shop', 'cart-0'], {})).rejects.toThrow('no pod shop/cart-0 in scope');
});

describe('a shard that cannot be read', () => {
  const failure = new RequestError('connection', 'GET /api/v1/pods: connection reset');
  const note = 'The nodes of shard exporter-1 are missing: GET /api/v1/pods: connection reset';
  const evicted = evictionReport(anEvictionRecord({ namespace: 'shop', pod: 'web-0', node: 'node-1' }));
  const healthy = aReading({
    snapshot: aClusterSnapshot({
      nodes: [aFreshNode(aNodeSnapshot({ nodeName: 'node-1', pods: [aMeasuredPod({ name: 'cart-0' })] }))],
    }),
    knownPods: [],
    evictions: [evicted],
  });
  const merged = async (reading = healthy): Promise<ViewReader> =>
    mergedReader(named([await viewsOf(reading), failingReader(failure)]));

  it.each(kinds)('a shard that cannot be read is missing in the list of %s, which a note says', async (kind) => {
    const expected = await (await viewsOf(healthy)).list(kind, {});
    const { items, notes } = await (await merged()).list(kind, {});
    const found = items.map((item) => ({ ...item, ...('isComplete' in item ? { isComplete: true } : {}) }));
    expect({ items: found, notes }).toEqual({ items: expected.items, notes: [note] });
  });

  it('a shard that cannot be read is missing in what another one has', async () => {
    const { data, notes } = await (await merged()).object('node', ['node-1'], {});
    expect([data.node.node, notes]).toEqual(['node-1', [note]]);
  });

  it.each([
    ['node', ['node-2']],
    ['pod', ['shop', 'none']],
    ['pod', ['shop', 'web-0']],
    ['workload', ['shop', 'Deployment', 'none']],
  ] as const)('a shard that failed may be the one that has the %s %j, which is said', async (kind, path) => {
    const message = new RegExp(`^no ${kind} ${path.join('/')}.* among the nodes .* \\(1 of 2\\).*\n${note}$`);
    await expect((await merged()).object(kind, path, {})).rejects.toThrow(message);
  });

  it('no workload is complete without the shard, which may have pods of it', async () => {
    const complete = aWorkloadSnapshot({ workload: aDeployment('cart'), complete: true });
    const whole = aReading({ snapshot: aClusterSnapshot({ workloads: [complete] }), knownPods: [] });
    const reader = await merged(whole);
    const { items, shards } = await reader.list('workloads', {});
    expect([items.map(({ isComplete }) => isComplete), shards]).toEqual([[false], { answeredCount: 1, totalCount: 2 }]);
    const { data } = await reader.object('workload', ['shop', 'deployment', 'cart'], {});
    expect([data.workload.isComplete, data.workload.verdict.kind]).toEqual([false, 'incomplete']);
    expect(data.workload.verdict.text).toMatch(/^Incomplete/);
  });

  it('where no shard can be read, its failure is that of the question', async () => {
    const none = mergedReader(named([failingReader(failure), failingReader(failure)]));
    await expect(none.list('pods', {}, 1)).rejects.toBe(failure);
    await expect(none.object('node', ['node-1'], {})).rejects.toBe(failure);
  });

  it('what is no failed request is no missing shard', async () => {
    const wrong = (await merged()).list('pods', { order: 'sideways' }, 1);
    await expect(wrong).rejects.toThrow('parameter order: found "sideways"');
  });
});

describe('a shard with more workloads than an answer has', () => {
  const sized = (name: string, usedBytes: number) =>
    aWorkloadSnapshot({ workload: aDeployment(name), complete: true, usage: { ...noUsage, usedBytes } });
  const readings = [
    [sized('both', 9_000), sized('large', 8_000)],
    [sized('both', 7_000), ...Array.from({ length: 1_000 }, (_, index) => sized(`small-${index}`, 1 + index))],
  ].map((workloads) => aReading({ snapshot: aClusterSnapshot({ workloads }), knownPods: [] }));

  it('what it may have another part of is not complete, which a note says', async () => {
    const merged = mergedReader(named(await Promise.all(readings.map((reading) => viewsOf(reading)))));
    const { items, isComplete, notes } = await merged.list('workloads', {}, 2);
    expect(items.map((item) => [item.workload, item.usedBytes, item.isComplete])).toEqual([
      ['both', 16_000, true],
      ['large', 8_000, false],
    ]);
    expect([isComplete, notes]).toEqual([
      false,
      ['1 shard has more than 1,000 workloads: counts and sums are at least these.'],
    ]);
  });
});

it('what one shard does not know of a container is unknown of all', async () => {
  const shards = [undefined, 5].map((usedBytes) => {
    const usage = { usedBytes: 9, podMaxUsedBytes: 9, containers: [{ container: 'app', usedBytes, maxUsedBytes: 5 }] };
    return viewsOf(aReading({ snapshot: aClusterSnapshot({ workloads: [aWorkloadSnapshot({ usage })] }) }));
  });
  const { items } = await mergedReader(named(await Promise.all(shards))).list('workloads', { name: 'cart' });
  expect(items[0]?.containers).toEqual([{ container: 'app', usedBytes: undefined, maxUsedBytes: 5 }]);
});

it('the notes of all shards are kept', async () => {
  const merged = mergedReader(named([await viewsOf(aReading({ notes: ['of a shard'] }))], 2));
  const note = '1 of 2 shards are ready: the nodes of the others are missing.';
  expect((await merged.list('pods', {}, 1)).notes).toEqual([note, 'of a shard']);
});

describe('the pods behind a Service', () => {
  /** Of 6 nodes with a pod of 1 byte each, in a workload. */
  const reading = async (shard: number, totalShards: number, onlyNode?: string): Promise<ClusterReading> => {
    const sketches: Sketch['nodes'] = Array.from({ length: 6 }, () => {
      return { state: 'fresh', usedBytes: 0, headroom: undefined, shard: 0 } as const;
    });
    const pod = {
      name: 'cart',
      namespace: 'shop',
      usedBytes: 1,
      isMeasured: true,
      isEvicted: false,
      tier: 'front',
    } as const;
    const rest = { limitBytes: undefined, unenforced: undefined, reachedAtMs: undefined };
    const sketch = { nodes: sketches, pods: sketches.map((_, nodeIndex) => ({ ...pod, ...rest, nodeIndex })) };
    const whole = readingOf(sketch);
    const shardOf = (name: string): number => Number(name.replace('node-', '')) % totalShards;
    const [part = whole] = (await shardedReadings(whole, { count: totalShards, shardOf })).slice(shard);
    return { ...part, scope: { ...wholeCluster, shard, totalShards, nodeName: onlyNode } };
  };
  const missing = (count: number, total: number): string =>
    `${count} of ${total} shards are ready: the nodes of the others are missing.`;
  const twice = 'c is left out: it is shard 0 of 2, and another pod is this shard too.';

  it.each<
    [
      what: string,
      parts: readonly string[],
      found: readonly [nodeCount: number, isPartial: boolean],
      notes: readonly string[],
    ]
  >([
    ['all shards', ['0/2', '1/2'], [6, false], []],
    ['one shard', ['1/2'], [3, true], [missing(1, 2)]],
    [
      'shards and one of a rollout',
      ['0/2', '1/2', '2/3'],
      [6, true],
      ['c is left out: it is shard 2 of 3, and others are of 2.'],
    ],
    [
      'shards later in a rollout',
      ['0/2', '1/3', '2/3'],
      [4, true],
      [missing(2, 3), 'a is left out: it is shard 0 of 2, and others are of 3.'],
    ],
    [
      'parts of two numbers',
      ['0/2', '0/3'],
      [3, true],
      [missing(1, 2), 'b is left out: it is shard 0 of 3, and others are of 2.'],
    ],
    ['a shard twice and none of the other', ['0/2', '', '0/2'], [3, true], [twice]],
    ['a shard twice', ['0/2', '1/2', '0/2'], [6, true], [twice]],
    [
      'shards and one without',
      ['0/2', '1/2', '0/1'],
      [6, true],
      ['c is left out: it is shard 0 of 1, and others are of 2.'],
    ],
    [
      'shards and one of a node',
      ['node-1', '1/2'],
      [3, true],
      [missing(1, 2), 'a is left out: it measures node-1 alone.'],
    ],
    ['all shards and one that fails', ['0/2', '', '1/2'], [6, true], ['b is left out: it does not answer.']],
  ])('%s count each node once: %j', async (_what, parts, [nodeCount, isPartial], notes) => {
    const asked = parts.map(async (part, index) => {
      const name = 'abc'[index] ?? '';
      if (part === '') return { name, reader: failingReader(new RequestError('timeout', 'late')), coverage: undefined };
      const [shard = 0, totalShards = 1] = part.startsWith('node') ? [] : part.split('/').map(Number);
      const reader = await viewsOf(await reading(shard, totalShards, part.startsWith('node') ? part : undefined));
      return { name, reader, coverage: (await reader.list('nodes', {}, 1)).coverage };
    });
    const merged = mergedReader(chosenShards(await Promise.all(asked)));
    const nodeNames = (await merged.list('nodes', {})).items.map(({ node }) => node);
    expect([nodeNames.length, new Set(nodeNames).size]).toEqual([nodeCount, nodeCount]);
    const { items, notes: found } = await merged.list('workloads', {});
    expect(found.filter((note) => !note.endsWith('late'))).toEqual(notes);
    const [workload] = items.filter(({ workload: name }) => name === 'cart');
    expect([workload?.usedBytes, workload?.isComplete]).toEqual([nodeCount, !isPartial]);
  });
});
