import fc from 'fast-check';
import { Gauge, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';

import { noEvictionsSeen } from '../../src/facts/history/eviction-snapshot.js';
import { NodeFaults } from '../../src/facts/node/node-faults.js';
import type { NodeView } from '../../src/facts/node/node-view.js';
import type { DerivedPod, PodContext } from '../../src/facts/node/pod-record.js';
import type { ClusterSnapshot } from '../../src/facts/scrape/snapshot.js';
import type { Workload } from '../../src/facts/workload/workload.js';
import type { ExpositionBody } from '../../src/metrics/exposition/bodies.js';
import type { Exposition, ExpositionOptions } from '../../src/metrics/exposition/exposition.js';
import { familyTable } from '../../src/metrics/exposition/families.js';
import type { Compatibility } from '../../src/metrics/exposition/family.js';
import type { ExpositionFormat } from '../../src/metrics/exposition/render.js';
import { type FamilyFilter, familyLevels } from '../../src/metrics/exposition/selection.js';
import { aContainer, aContainerFs, aMount, anFsStats, aNodeSummary, aPod, aPodSummary } from '../support/builders.js';
import { type ParsedFamily, parseExposition } from '../support/exposition-parser.js';
import { anExposition, asking } from '../support/exposition-settings.js';
import { isLetGo } from '../support/heap.js';
import { never } from '../support/signals.js';
import {
  aClusterSnapshot,
  aContainerUsage,
  aDeployment,
  aFreshNode,
  aLimitRatio,
  aMeasuredPod,
  anAbsentNode,
  aNodeSnapshot,
  aPodUsage,
  aVolumeUsage,
  aWorkload,
  aWorkloadSnapshot,
} from '../support/snapshot-builders.js';

const formats: readonly ExpositionFormat[] = ['text', 'openmetrics'];
const compatibilities: readonly Compatibility[] = ['none', 'k8s-ephemeral-storage-metrics'];

/** Remembers what it was told; its registry has one family. */
type SelfMetrics = ExpositionOptions['selfMetrics'];

class FakeSelfMetrics implements SelfMetrics {
  readonly registry = new Registry();
  readonly told: Readonly<Record<string, number>>[] = [];

  constructor() {
    new Gauge({ name: 'self', help: 'About "itself".', registers: [this.registry] }).set(1);
  }

  setSeries(counts: Readonly<Record<string, number>>): void {
    this.told.push(counts);
  }
}

class FakeCapObserver {
  readonly results: Parameters<ExpositionOptions['observer']['capped']>[0][] = [];

  capped(result: (typeof this.results)[number]): void {
    this.results.push(result);
  }
}

type Settings = Partial<ExpositionOptions['settings']>;

/** With a family of its own. */
function exposing(settings: Settings = {}, parts: Partial<ExpositionOptions> = {}): Exposition {
  return anExposition({ selfMetrics: new FakeSelfMetrics(), ...parts, settings });
}

function bytesOf({ chunks }: ExpositionBody): Buffer {
  return Buffer.concat(chunks);
}

function valuesOf(families: readonly ParsedFamily[], name: string): readonly number[] | undefined {
  return families.find((family) => family.name === `ephemeral_storage_${name}`)?.samples.map(({ value }) => value);
}

const quoted = aWorkload({
  name: 'say "cart"',
  type: 'labels',
  origin: { source: 'labels', labels: { 'app.kubernetes.io/name': 'say "cart"', 'app/kubernetes.io-name': '' } },
});
const controlled = aDeployment('größe');

const forged = 'forged"} 1\nephemeral_storage_pod_used_bytes{pod="x';

/** Two nodes with data, one without and one that is skipped; names that need every kind of escape. */
const hostileSnapshot: ClusterSnapshot = aClusterSnapshot({
  evictions: noEvictionsSeen,
  nodes: [
    aFreshNode(
      aNodeSnapshot({
        nodeName: 'node-"1"',
        summary: aNodeSummary({
          nodefs: anFsStats({ usedBytes: 2 ** 53, availableBytes: 0, capacityBytes: 2 ** 53 }),
          imagefs: anFsStats({ usedBytes: 1 }),
          containerfs: undefined,
        }),
        pods: [
          aMeasuredPod({
            name: forged,
            pod: aPod({
              name: forged,
              containers: [
                aContainer({
                  name: String.raw`C:\new`,
                  mounts: [aMount('data', String.raw`C:\"data"`), aMount('data', '/data\n1')],
                }),
                aContainer({ name: 'setup', kind: 'init', mounts: [aMount()] }),
              ],
            }),
            summary: aPodSummary({
              containers: [
                { name: String.raw`C:\new`, rootfs: aContainerFs({ capacityBytes: 30_000 }), logs: undefined },
              ],
            }),
            workloads: [quoted, controlled],
            usage: aPodUsage({
              volumesPending: true,
              containers: [
                aContainerUsage({ name: String.raw`C:\new` }),
                aContainerUsage({ name: 'tab\t', rootfsBytes: undefined, logsBytes: undefined }),
              ],
              volumes: [aVolumeUsage({ name: '容量📦', medium: 'Memory', type: 'unknown' }), aVolumeUsage()],
            }),
          }),
          aMeasuredPod({ name: 'unknown', pod: undefined, workloads: [] }),
        ],
      }),
      1_234.567,
    ),
    { ...aFreshNode(aNodeSnapshot({ nodeName: 'node-2' }), 61_000), state: 'stale' },
    anAbsentNode('node-3', 'timeout'),
    anAbsentNode('fargate', 'skipped'),
  ],
  workloads: [
    aWorkloadSnapshot({ workload: quoted, expectedPods: 2, complete: false }),
    aWorkloadSnapshot({ workload: controlled, usage: undefined, backoffMs: 1_500 }),
  ],
});

it('nothing is kept of a node that has left, also while nobody requests families of nodes', async () => {
  const exposition = exposing();
  const ofWorkloads = asking('text', { levels: new Set(['workload']) });
  const left = new WeakRef<object>(
    (() => {
      const view = aFreshNode(aNodeSnapshot({ nodeName: 'left' }));
      exposition.prepareNode(view, new Map(), asking('text').filter);
      return view.snapshot;
    })(),
  );
  await exposition.render(aClusterSnapshot(), ofWorkloads, never);
  expect(await isLetGo(left)).toBe(true);
});

it('an exposition keeps the text of a node, not the data that it was made from', async () => {
  const exposition = exposing();
  const render = (node: NodeView) => exposition.render(aClusterSnapshot({ nodes: [node] }), asking('text'), never);
  const former = new WeakRef<object>(
    await (async () => {
      const node = aFreshNode();
      await render(node);
      return node.snapshot;
    })(),
  );
  await render(aFreshNode());
  expect(await isLetGo(former)).toBe(true);
});

it.each([
  ['text', 'none', 'hostile.txt'],
  ['openmetrics', 'none', 'hostile.openmetrics.txt'],
  ['openmetrics', 'k8s-ephemeral-storage-metrics', 'hostile.compatibility.openmetrics.txt'],
] as const)('the exposition in %s, compatible with %s, is the golden one', async (format, compatibility, file) => {
  const body = bytesOf(await exposing({ compatibility }).render(hostileSnapshot, asking(format), never));
  await expect(body.toString()).toMatchFileSnapshot(`../golden/${file}`);
  parseExposition(body, format);
});

describe('Exposition', () => {
  it.each(formats)('an exposition has only its own metrics before the first sync, in %s', async (format) => {
    const selfMetrics = new FakeSelfMetrics();
    const body = await exposing({}, { selfMetrics }).render(undefined, asking(format), never);
    expect(parseExposition(bytesOf(body), format).map(({ name }) => name)).toEqual(['self']);
    expect(selfMetrics.told).toEqual([{ workload: 0, node: 0, pod: 0, container: 0, volume: 0 }]);
  });

  it.each(formats)('an exposition knows its length in bytes, not characters, in %s', async (format) => {
    const body = await exposing().render(hostileSnapshot, asking(format), never);
    expect(body.contentLength).toBe(bytesOf(body).length);
  });

  it('the number of series of each level is reported before the own metrics are read', async () => {
    const selfMetrics = new FakeSelfMetrics();
    const body = await exposing({}, { selfMetrics }).render(hostileSnapshot, asking('text'), never);
    const samples = parseExposition(bytesOf(body), 'text').flatMap((family) => family.samples);
    const [told] = selfMetrics.told;
    expect(told).toEqual({ workload: 14, node: 28, pod: 21, container: 10, volume: 4 });
    expect(samples).toHaveLength(Object.values(told ?? {}).reduce((sum, count) => sum + count, 0) + 1);
  });

  it('the time of the last fetch is served although the data of the node has not changed', async () => {
    const exposition = exposing();
    const snapshot = aNodeSnapshot();
    for (const fetchedAtMs of [1_000, 16_000]) {
      const nodes = [{ ...aFreshNode(snapshot), fetchedAtMs }];
      const body = await exposition.render(aClusterSnapshot({ nodes }), asking('text'), never);
      expect(valuesOf(parseExposition(bytesOf(body), 'text'), 'node_data_timestamp_seconds')).toEqual([
        fetchedAtMs / 1_000,
      ]);
    }
  });

  it('scrapes that run at the same time do not mix', async () => {
    const exposition = exposing();
    const bodies = await Promise.all(
      ['a', 'b', 'c'].map((name) =>
        exposition.render(
          aClusterSnapshot({ workloads: [aWorkloadSnapshot({ workload: aWorkload({ name }) })] }),
          asking('text'),
          never,
        ),
      ),
    );
    const names = bodies.map((body) =>
      parseExposition(bytesOf(body), 'text')
        .find(({ name }) => name === 'ephemeral_storage_workload_data_available')
        ?.samples.map(({ labels }) => labels['workload']),
    );
    expect(names).toEqual([['a'], ['b'], ['c']]);
  });

  it('an exposition stops when the client has left', async () => {
    const left = AbortSignal.abort(new Error('left'));
    await expect(exposing().render(aClusterSnapshot(), asking('text'), left)).rejects.toThrow('left');
  });
});

describe('Exposition: families', () => {
  const podFamilies = new Set(['ephemeral_storage_pod_used_bytes', 'ephemeral_storage_pod_info']);

  async function namesOf(settings: Settings, filter: Partial<FamilyFilter> = {}): Promise<readonly string[]> {
    const body = await exposing(settings).render(aClusterSnapshot(), asking('text', filter), never);
    return parseExposition(bytesOf(body), 'text').map(({ name }) => name.replace('ephemeral_storage_', ''));
  }

  it.each<[string, Settings, Partial<FamilyFilter>, readonly string[]]>([
    [
      'of the levels that are on',
      { levels: ['container'] },
      {},
      ['container_used_bytes', 'container_rootfs_used_bytes', 'container_logs_used_bytes', 'self'],
    ],
    ['that are asked for and allowed', { deny: ['.*_info'] }, { names: podFamilies }, ['pod_used_bytes']],
    ['of the exporter by name', {}, { names: new Set(['self']) }, ['self']],
  ])('the families of an exposition are those %s', async (_case, settings, filter, expected) => {
    expect(await namesOf(settings, filter)).toEqual(expected);
  });

  /** A node with a volume whose bytes have their reads counted. */
  function aCountedNode() {
    const reads = { count: 0 };
    const volume = {
      ...aVolumeUsage(),
      get usedBytes() {
        reads.count += 1;
        return 1;
      },
    };
    const pods = [aMeasuredPod({ usage: aPodUsage({ volumes: [volume] }) })];
    const view = aFreshNode(aNodeSnapshot({ pods }));
    return { view, snapshot: aClusterSnapshot({ nodes: [view] }), reads };
  }

  /** How often a value is read. */
  const countedAndWritten = 1;

  it('families that the settings do not allow are not formatted', async () => {
    const { snapshot, reads } = aCountedNode();
    await exposing({ deny: ['.*_volume_.*'] }).render(snapshot, asking('text'), never);
    expect(reads.count).toBe(0);
    await exposing().render(snapshot, asking('text', { levels: new Set(['workload']) }), never);
    expect(reads.count).toBe(0);
    await exposing().render(snapshot, asking('text'), never);
    expect(reads.count).toBe(countedAndWritten);
  });

  it('families of a node are formatted ahead, once, and only if they are requested', async () => {
    const { view, snapshot, reads } = aCountedNode();
    const exposition = exposing();
    exposition.prepareNode(view, new Map(), asking('text', { levels: new Set(['workload']) }).filter);
    expect(reads.count).toBe(0);
    exposition.prepareNode(view, new Map(), asking('text').filter);
    expect(reads.count).toBe(countedAndWritten);
    await exposition.render(snapshot, asking('text'), never);
    await exposition.render({ ...snapshot }, asking('openmetrics'), never);
    expect(reads.count).toBe(countedAndWritten);
  });

  it('families are made of what was derived with the records of the pods', async () => {
    const context: PodContext = {
      usageOf: () => {
        throw new Error('derived twice');
      },
      ratiosOf: () => [],
    };
    const pod = aMeasuredPod();
    const snapshot = aNodeSnapshot({ pods: [pod], context });
    const exposition = exposing();
    exposition.prepareNode(aFreshNode(snapshot), new Map([[pod, pod]]), asking('text').filter);
    const cluster = aClusterSnapshot({ nodes: [aFreshNode(snapshot)] });
    const text = bytesOf(await exposition.render(cluster, asking('text'), never)).toString();
    expect(text).toMatch(/^ephemeral_storage_pod_used_bytes\{.*\} 4096$/m);
  });

  it('a node whose text cannot be made is absent, and all of the others have their families', async () => {
    const volume = {
      ...aVolumeUsage(),
      get usedBytes(): number {
        throw new Error('an unforeseen value');
      },
    };
    const faulty = aNodeSnapshot({ nodeName: 'b', pods: [aMeasuredPod({ usage: aPodUsage({ volumes: [volume] }) })] });
    const nodes = [aFreshNode(aNodeSnapshot({ nodeName: 'a', pods: [aMeasuredPod()] })), aFreshNode(faulty)];
    const logged: unknown[] = [];
    const faults = new NodeFaults({ error: (...line) => void logged.push(line) });
    const exposition = exposing({}, { faults });
    const render = async (): Promise<string> => {
      const body = await exposition.render(aClusterSnapshot({ nodes }), asking('text'), never);
      return bytesOf(body).toString();
    };
    exposition.prepareNode(aFreshNode(faulty), new Map(), asking('text').filter);
    const text = await render();
    expect(text).toContain('ephemeral_storage_node_absent_info{node="b",reason="internal_error"} 1');
    expect(text.match(/^ephemeral_storage_pod_used_bytes.*/gm)).toEqual([expect.stringContaining('node="a"')]);
    expect(await render()).toBe(text);
    expect(faults.has(faulty)).toBe(true);
    expect(logged).toEqual([[expect.stringContaining('absent'), { node: 'b', error: 'an unforeseen value' }]]);
  });

  it('families are formatted once for requests with different filters', async () => {
    const exposition = exposing();
    const snapshot = aClusterSnapshot();
    const whole = await exposition.render(snapshot, asking('text'), never);
    for (const level of ['pod', 'container', 'volume', 'workload'] as const) {
      const { chunks } = await exposition.render(snapshot, asking('text', { levels: new Set([level]) }), never);
      const samples = chunks.filter((chunk) => chunk.toString().startsWith('ephemeral_storage_'));
      expect(samples.length).toBeGreaterThan(0);
      expect(samples.every((chunk) => whole.chunks.includes(chunk))).toBe(true);
    }
  });

  it.each([
    ['ephemeral_storage_pod_used_bytes', true],
    ['ephemeral_storage_volume_used_bytes', true],
    ['self', true],
    ['pod_used_bytes', false],
    ['ephemeral_storage_pod_usage', false],
    ['constructor', false],
    ['', false],
  ])('families have names, whether the settings allow them or not: %s', (name, expected) => {
    expect(exposing({ levels: ['workload', 'node', 'pod', 'container'] }).hasFamily(name)).toBe(expected);
  });

  it('families above the cap are dropped whole, which is reported before the own metrics are read', async () => {
    const observer = new FakeCapObserver();
    const selfMetrics = new FakeSelfMetrics();
    const exposition = exposing({ maxSeries: 42 }, { observer, selfMetrics });
    const body = await exposition.render(hostileSnapshot, asking('text'), never);
    expect(selfMetrics.told).toEqual([{ workload: 14, node: 28, pod: 0, container: 0, volume: 0 }]);
    expect(parseExposition(bytesOf(body), 'text').flatMap(({ samples }) => samples)).toHaveLength(43);
    const [result] = observer.results;
    expect(result).toMatchObject({ filter: '', maxSeries: 42, seriesCount: 35 });
    expect(result?.families.slice(0, 2)).toEqual([
      'ephemeral_storage_volume_used_bytes',
      'ephemeral_storage_container_used_bytes',
    ]);
    await exposition.render(hostileSnapshot, asking('text', { levels: new Set(['pod']) }), never);
    expect(observer.results.at(-1)).toEqual({
      filter: 'collect[]=pod',
      maxSeries: 42,
      families: [],
      seriesCount: 0,
      largePodsSeriesCount: 0,
    });
  });

  it('once the cap is reached, families above it are made into text where a filter leaves room for them alone', async () => {
    let labelCount = 0;
    const volume = {
      ...aVolumeUsage(),
      get name(): string {
        labelCount += 1;
        return 'cache';
      },
    };
    const nodeSnapshot = aNodeSnapshot({ pods: [aMeasuredPod({ usage: aPodUsage({ volumes: [volume] }) })] });
    const first = aNodeSnapshot({ nodeName: 'first' });
    const snapshot = aClusterSnapshot({ nodes: [aFreshNode(first), aFreshNode(nodeSnapshot)] });
    const exposition = exposing({ maxSeries: 30 });
    await exposition.render(aClusterSnapshot(), asking('text'), never);
    for (const node of [first, nodeSnapshot]) {
      exposition.prepareNode(aFreshNode(node), new Map(), asking('text').filter);
    }
    const text = bytesOf(await exposition.render(snapshot, asking('text'), never)).toString();
    expect(text).not.toContain('volume_used_bytes');
    expect(labelCount).toBe(0);
    const ofVolumes = asking('text', { levels: new Set(['volume']) });
    expect(bytesOf(await exposition.render(snapshot, ofVolumes, never)).toString()).toContain('volume="cache"');
    expect(labelCount).toBeGreaterThan(0);
    expect(bytesOf(await exposition.render(snapshot, asking('text'), never)).toString()).toBe(text);
  });
});

const name = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: fc.constantFrom('"', '\\', '\n', '\r', '\t', '\0', '{', '}', ',', '=', 'n', '#', ' ', 'ä', '📦') }),
);

/** All things have all of these names, and each container, volume and ratio of a pod is there twice. */
function namedSnapshot(names: readonly string[]): ClusterSnapshot {
  const twice = [...names, ...names];
  const workloads = names.flatMap((of): readonly Workload[] => [
    aWorkload({ namespace: of, name: of, type: of, origin: { source: 'labels', labels: { [of]: of, a: of } } }),
    { ...aDeployment(of), origin: { source: 'controller', kind: of } },
  ]);
  const podOf = (namespace: string, pod: string, isKnown: boolean): DerivedPod =>
    aMeasuredPod({
      namespace,
      name: pod,
      ...(!isKnown && { pod: undefined }),
      summary: aPodSummary({
        containers: twice.map((of) => ({ name: of, rootfs: aContainerFs(), logs: aContainerFs() })),
      }),
      usage: aPodUsage({
        containers: twice.map((of, index) => aContainerUsage({ name: of, rootfsBytes: index || undefined })),
        volumes: twice.map((of) => aVolumeUsage({ name: of, medium: of, sizeLimitBytes: 1, capacityBytes: 2 })),
        volumesPending: isKnown,
      }),
      startTimeMs: 1,
      limitBytes: 2,
      ratios: names.map((of) => aLimitRatio({ container: of, volume: of })),
      workloads,
    });
  const nodes = names.map((nodeName, index) =>
    index === 2
      ? anAbsentNode(nodeName, 'timeout')
      : aFreshNode(aNodeSnapshot({ nodeName, pods: twice.map((pod, at) => podOf(nodeName, pod, at < names.length)) })),
  );
  const usage = {
    usedBytes: 1,
    podMaxUsedBytes: undefined,
    containers: names.map((container) => ({ container, usedBytes: 1, maxUsedBytes: 1 })),
  };
  return aClusterSnapshot({ nodes, workloads: workloads.map((workload) => aWorkloadSnapshot({ workload, usage })) });
}

const clusterSnapshot = fc.uniqueArray(name, { maxLength: 3 }).map(namedSnapshot);

const tableNames = familyTable([], 'k8s-ephemeral-storage-metrics').map((row) => row.name);
const patternSource = fc.constantFrom('.*', '.*_bytes', '.*_(?:pod|node)_.*', 'pod_used_bytes', '.*_info');
const anySettings: fc.Arbitrary<Partial<ExpositionOptions['settings']>> = fc.record({
  levels: fc.subarray(['workload', 'node', 'pod', 'container', 'volume'] as const),
  allow: fc.oneof(fc.constant([]), fc.uniqueArray(patternSource)),
  deny: fc.uniqueArray(patternSource, { maxLength: 1 }),
  maxSeries: fc.integer({ min: 1, max: 60 }),
  compatibility: fc.constantFrom(...compatibilities),
});
const anyFilter: fc.Arbitrary<FamilyFilter> = fc.record({
  names: fc
    .oneof(fc.constant([]), fc.uniqueArray(fc.constantFrom('self', ...tableNames)))
    .map((names) => new Set(names)),
  levels: fc.oneof(fc.constant([]), fc.uniqueArray(fc.constantFrom(...familyLevels))).map((levels) => new Set(levels)),
});

it.each(formats)(
  'an exposition is valid and within the cap, of whole families of the unlimited one, in %s',
  async (format) => {
    await fc.assert(
      fc.asyncProperty(clusterSnapshot, anySettings, anyFilter, async (snapshot, settings, filter) => {
        const observer = new FakeCapObserver();
        const selfMetrics = new FakeSelfMetrics();
        const exposition = exposing(settings, { observer, selfMetrics });
        const families = parseExposition(
          bytesOf(await exposition.render(snapshot, asking(format, filter), never)),
          format,
        );
        const { compatibility = 'none' } = settings;
        const all = parseExposition(
          bytesOf(await exposing({ compatibility }).render(snapshot, asking(format), never)),
          format,
        );
        for (const family of families) expect(all).toContainEqual(family);
        const [result] = observer.results;
        const ofCluster = families.filter((family) => family.name !== 'self');
        const seriesCount = ofCluster.reduce((sum, { samples }) => sum + samples.length, 0);
        expect(seriesCount).toBeLessThanOrEqual(settings.maxSeries ?? Infinity);
        expect(Object.values(selfMetrics.told[0] ?? {}).reduce((sum, count) => sum + count, 0)).toBe(seriesCount);
        const dropped = all.filter((family) => result?.families.includes(family.name));
        expect(result?.seriesCount).toBe(dropped.reduce((sum, { samples }) => sum + samples.length, 0));
        expect(ofCluster.some((family) => result?.families.includes(family.name))).toBe(false);
      }),
      { numRuns: 100 },
    );
  },
);
