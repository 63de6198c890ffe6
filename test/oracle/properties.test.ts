import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { capturesNeeded, hasCaptures, readCaptures } from '../support/captures.js';
import { atNight } from '../support/nightly.js';
import { componentNames } from './pods.js';
import { predict, type Recording, type Semantics } from './predict.js';
import { sum } from './quantity.js';
import type { RawContainerStats, RawFs, RawPod, RawPodStats, RawSummary, RawVolumeStats } from './raw.js';
import { replayed } from './replayed.js';
import { differences, seriesKey, type SeriesTable } from './series.js';
import { containerSpec, nodeName, recordedPod, recording, synthesised } from './synthesised.js';

/** All pods have series, and workloads none: their sums are exact up to 2^53 only. */
const allPods: Semantics = { attribution: 'measured', controllers: false };

const familyOf = (key: string): string => key.slice(0, key.indexOf('{'));

/** Whole disks, and what no disk holds. */
const realBytes = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(0, 1, 4096) },
  { weight: 8, arbitrary: fc.nat(100_000) },
  { weight: 8, arbitrary: fc.maxSafeNat().map((size) => size % 2 ** 45) },
  { weight: 1, arbitrary: fc.constantFrom(2 ** 63, 2 ** 64) },
);
const anyBytes = fc.oneof(fc.constantFrom(0, 1, 2 ** 53 - 1, 2 ** 53), fc.maxSafeNat(), fc.nat(100_000));

const containerNames = ['app', 'proxy', 'debug', 'ghost'] as const;
const volumeNames = ['cache', 'memory', 'settings', 'code', 'token', 'claim', 'stranger'] as const;

type Bytes = fc.Arbitrary<number>;

const fsOf = (bytes: Bytes) =>
  fc.record(
    {
      usedBytes: bytes,
      availableBytes: bytes,
      capacityBytes: bytes,
      inodes: bytes,
      inodesFree: bytes,
      inodesUsed: bytes,
      time: fc.constantFrom('2026-01-01T00:09:00Z', '2026-01-01T00:09:30.5Z', '0001-01-01T00:00:00Z'),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<RawFs>;

const containerStatsOf = (name: string, bytes: Bytes) =>
  fc.record(
    { name: fc.constant(name), rootfs: fsOf(bytes), logs: fsOf(bytes) },
    { requiredKeys: ['name'] },
  ) as fc.Arbitrary<RawContainerStats>;

const volumeStatsOf = (name: string, bytes: Bytes): fc.Arbitrary<RawVolumeStats> =>
  fc
    .tuple(fsOf(bytes), fc.boolean())
    .map(([figures, hasClaim]) => ({ ...figures, name, ...(hasClaim ? { pvcRef: {} } : {}) }));

const limit = fc.option(fc.constantFrom('0', '1', '999m', '1500', '10Mi', '1.5Gi', '4Ti'), { nil: undefined });
const mounts = fc.subarray([...volumeNames]);
const containerSpecOf = (name: string) =>
  fc.tuple(limit, mounts).map(([text, volumes]) => containerSpec(name, text, volumes));

const spec = fc
  .record({
    app: containerSpecOf('app'),
    proxy: containerSpecOf('proxy'),
    init: containerSpecOf('init'),
    debug: containerSpecOf('debug'),
    sizeLimit: fc.constantFrom('0', '1Gi', '123'),
    overhead: fc.constantFrom('0', '7', '1Mi'),
  })
  .map(({ app, proxy, init, debug, sizeLimit, overhead }) => ({
    initContainers: [{ ...proxy, restartPolicy: 'Always' }, init],
    containers: [app],
    ephemeralContainers: [debug],
    volumes: [
      { name: 'cache', emptyDir: { sizeLimit } },
      { name: 'memory', emptyDir: { medium: 'Memory', sizeLimit } },
      { name: 'settings', configMap: {} },
      { name: 'code', gitRepo: {} },
      { name: 'token', projected: {} },
      { name: 'claim', persistentVolumeClaim: {} },
    ],
    overhead: { 'ephemeral-storage': overhead },
  }));

const podOf = (name: string, bytes: Bytes) =>
  fc
    .record({
      used: fc.option(bytes, { nil: undefined }),
      containers: fc
        .subarray([...containerNames])
        .chain((names) => fc.tuple(...names.map((container) => containerStatsOf(container, bytes)))),
      volume: fc
        .subarray([...volumeNames])
        .chain((names) => fc.tuple(...names.map((volume) => volumeStatsOf(volume, bytes)))),
      spec,
      isKnown: fc.boolean(),
    })
    .map(({ used, isKnown, ...parts }) => ({
      isKnown,
      ...recordedPod({ name, ...parts, ...(used === undefined ? {} : { usedBytes: used }) }),
    }));

const recordingsOf = (bytes: Bytes) =>
  fc
    .record({ pods: fc.tuple(podOf('a', bytes), podOf('b', bytes)), imageFs: fsOf(bytes), containerFs: fsOf(bytes) })
    .map(({ pods, imageFs, containerFs }): Recording => {
      const all = recording(pods, { imageFs, containerFs });
      return { ...all, pods: pods.filter(({ isKnown }) => isKnown).map(({ pod }) => pod) };
    });

/** The sum over a pod's series of one family; undefined without any. */
function total(served: SeriesTable, keys: readonly string[]): bigint | undefined {
  const values = keys.flatMap((key) => served.get(key) ?? []);
  return values.length === 0 ? undefined : sum(values.map(BigInt));
}

const labelsOf = ({ podRef }: RawPodStats) => ({ namespace: podRef.namespace, pod: podRef.name, node: nodeName });

function expectSums(served: SeriesTable, stats: RawPodStats): void {
  const labels = labelsOf(stats);
  const usedBytes = served.get(seriesKey('pod_used_bytes', labels));
  const used = usedBytes === undefined ? undefined : BigInt(usedBytes);
  const components = componentNames.map((component) => seriesKey('pod_component_used_bytes', { ...labels, component }));
  expect(total(served, components)).toBe(used);
  const names = (stats.containers ?? []).map(({ name }) => name);
  const containers = [...names, ''].map((name) => seriesKey('container_used_bytes', { ...labels, container: name }));
  if (names.length > 0) expect(total(served, containers)).toBe(used);
}

/** `other` is what is left over and may be too small for what the kubelet lists; containers have their part of it. */
const mayBeNegative = (key: string): boolean =>
  key.includes('component="other"') ||
  /^(?:(?:workload_)?container_(?:max_)?used_bytes|node_unattributed_bytes)/.test(key);

const ways = fc.record({
  attribution: fc.constantFrom('measured' as const, 'even' as const),
  controllers: fc.boolean(),
});

it('every series of any pods is as predicted', async () => {
  await fc.assert(
    fc.asyncProperty(recordingsOf(realBytes), ways, async (recorded, semantics) => {
      expect(differences(predict(recorded, semantics), await replayed(recorded, semantics))).toEqual([]);
    }),
    { numRuns: atNight(1_000, 40) },
  );
});

/** Beyond 2^53 bytes in all, parts are cut off so that the split stays exact; sums over the pods of a workload are rounded. */
const isSplit = (line: string): boolean =>
  /^(?:(?:pod_component|(?:workload_)?container(?:_max)?|node_pods|node_images)_used|node_unattributed)_bytes/.test(
    line,
  );

/** Neither NaN, infinite unless a ratio, nor negative unless what is left over. */
function expectFigures(served: SeriesTable): void {
  for (const [key, value] of served) {
    expect(value, key).not.toBeNaN();
    if (!isLimitRatio(key)) expect(Number.isFinite(value), key).toBe(true);
    if (!mayBeNegative(key)) expect(value, key).toBeGreaterThanOrEqual(0);
  }
}

it('pods of senseless size have figures; components and containers add up to the total, all else is as predicted', async () => {
  await fc.assert(
    fc.asyncProperty(recordingsOf(anyBytes), ways, async (recorded, semantics) => {
      const served = await replayed(recorded, semantics);
      expectFigures(served);
      for (const stats of recorded.summary.pods) expectSums(served, stats);
      expect(differences(predict(recorded, semantics), served).filter((line) => !isSplit(line))).toEqual([]);
    }),
    { numRuns: atNight(1_000, 50) },
  );
});

type Path = readonly (string | number)[];

/** Every field of every object below, the objects themselves included. */
function fieldsOf(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const own = [...path, Array.isArray(value) ? Number(key) : key];
    return [...(Array.isArray(value) ? [] : [own]), ...fieldsOf(inner, own)];
  });
}

/** A copy without one field. */
function without(value: unknown, [first, ...rest]: Path): unknown {
  if (Array.isArray(value))
    return value.map((item, place) => (place === first ? without(item, rest) : (item as unknown)));
  const entries = Object.entries(value as object);
  if (rest.length === 0) return Object.fromEntries(entries.filter(([key]) => key !== first));
  return Object.fromEntries(
    entries.map(([key, inner]) => [key, key === first ? without(inner, rest) : (inner as unknown)]),
  );
}

/** Not the node's name, without which a summary is none, and not what the exporter does not read. */
const isStorage = (path: Path): boolean => {
  const text = path.join('.');
  const isUnread = /\b(?:cpu|memory|network|process_stats|swap|userDefinedMetrics)\b|\bcontainers\.\d+\.io\b/.test(
    text,
  );
  return /^(?:node\.(?:fs|runtime|io)|pods)\b/.test(text) && !isUnread;
};

/** What is said about the figures instead of being one: that they are missing. */
const stateFamilies = [
  'pod_volume_stats_pending',
  'workload_complete',
  'workload_data_available',
  'workload_pods_measured',
  'node_pods_missing',
  'limit_unenforced_info',
  'node_limits_unenforced_info',
];

/** With the kubelet, a figure that it lacks for a container counts as 0; a limit of 0 that is exceeded has no finite ratio. */
const isLimitRatio = (key: string): boolean => familyOf(key) === 'limit_ratio';

/** The list, or the name of one that may be the only one. */
const losesContainers = (path: Path): boolean => path.at(-1) === 'containers' || path.at(-3) === 'containers';

/** Without a list of containers, those of the spec hold the bytes of the pod. */
const isOfContainer = (key: string): boolean =>
  ['container_used_bytes', 'workload_container_used_bytes', 'workload_container_max_used_bytes'].includes(
    familyOf(key),
  );

/** A filesystem without a known size cannot be recognised as the double of another. */
const isOnFilesystem = (key: string): boolean => key.includes('filesystem=');

/** Lines for series that the loss of a field has brought, and for values that it has turned into 0. */
function invented(path: Path, before: SeriesTable, after: SeriesTable): readonly string[] {
  const isNew = (key: string, value: number): boolean => !before.has(key) || (value === 0 && before.get(key) !== 0);
  // The part of a total that nothing accounts for moves to `other`.
  const isMoved = (key: string): boolean => familyOf(key) === 'pod_component_used_bytes' && before.has(key);
  const isExpected = (key: string): boolean => isLimitRatio(key) || (losesContainers(path) && isOfContainer(key));
  return [...after].flatMap(([key, value]) =>
    isNew(key, value) &&
    !isExpected(key) &&
    !isMoved(key) &&
    !isOnFilesystem(key) &&
    !stateFamilies.includes(familyOf(key))
      ? [`${key} ${value}`]
      : [],
  );
}

async function expectNothingInvented(recorded: Recording, path: Path): Promise<void> {
  const semantics = { ...allPods, controllers: true };
  const summary = without(recorded.summary, path) as RawSummary;
  const after = await replayed({ ...recorded, summary }, semantics);
  expect(invented(path, predict(recorded, semantics), after)).toEqual([]);
}

describe('a summary that lacks a field', () => {
  const recorded = synthesised['several pods of several kinds'];

  it.each(
    fieldsOf(recorded.summary)
      .filter(isStorage)
      .map((path) => [path.join('.'), path] as const),
  )('a summary that lacks a field has no new series and no new 0: %s', async (_name, path) => {
    await expectNothingInvented(recorded, path);
  });

  const captures = readCaptures().filter(({ pods }) => pods.length > 0);
  it.skipIf(!hasCaptures).each(captures)(
    `a recorded summary that lacks a field has no new series and no new 0: $name (${capturesNeeded})`,
    async (capture) => {
      const summary = JSON.parse(capture.summary) as RawSummary;
      const complete: Recording = { summary, pods: capture.pods as readonly RawPod[], nodes: [] };
      const fields = fieldsOf(summary).filter(isStorage);
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...fields), (path) => expectNothingInvented(complete, path)),
        { numRuns: atNight(100, 5) },
      );
    },
  );
});
