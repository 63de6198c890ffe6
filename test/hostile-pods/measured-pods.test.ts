import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Pod } from '../../src/cluster/kube/objects.js';
import { cutPod } from '../../src/cluster/kubelet/pod-others.js';
import type { Figure, PodSummary } from '../../src/cluster/kubelet/summary.js';
import { attributePod } from '../../src/facts/node/attribute.js';
import { explainPod } from '../../src/facts/node/breakdown.js';
import { podFindings } from '../../src/facts/node/pod-findings.js';
import { freedByEviction, signalUsage, type SignalUsageInput } from '../../src/facts/node/signal-usage.js';
import { foldUnknown } from '../../src/facts/node/unknown-items.js';
import { aContainerSummary, aPodSummary, aVolumeSummary } from '../support/builders.js';
import { sumOf } from '../support/figures.js';
import { indexed, keptPod, manyContainers, mountedEmptyDirs } from '../support/hostile-pods.js';

const sum = (items: readonly { readonly usedBytes?: Figure }[]): number =>
  sumOf(items.map(({ usedBytes }) => usedBytes));

/** As its kubelet lists it: 4,096 bytes for itself, 100 of each container, and of volume n so many bytes. */
function listed({ containerCount = 1, volumeCount = 0 }): PodSummary {
  const volumes = indexed(volumeCount, (index) =>
    aVolumeSummary({ name: `v${index}`, usedBytes: index, inodesUsed: 2 }),
  );
  const containers = indexed(containerCount, (index) =>
    aContainerSummary({ name: containerCount === 1 ? 'app' : `c${index}`, rootfsBytes: 70, logsBytes: 30 }),
  );
  const usedBytes = 4096 + 100 * containerCount + sum(volumes);
  return aPodSummary({ usedBytes, inodesUsed: 2 * volumeCount, containers, volumes });
}

function usageOf(summary: PodSummary, pod: Pod | undefined, mode: 'measured' | 'even' = 'measured') {
  return foldUnknown(attributePod({ summary: cutPod(summary), pod, mode }), pod);
}

describe('a pod with very many parts in a summary', () => {
  it.each(['measured', 'even'] as const)('values of a pod with many parts add up to the byte: %s', (mode) => {
    for (const pod of [keptPod(mountedEmptyDirs(700, 700)), keptPod(manyContainers(700)), undefined]) {
      for (const count of [99, 101, 500, 501, 5_001]) {
        const summary = listed(pod?.containers.length === 1 ? { volumeCount: count } : { containerCount: count });
        const { usedBytes, components, containers } = usageOf(summary, pod, mode);
        expect(usedBytes).toBe(summary.usedBytes);
        expect(sumOf(Object.values(components))).toBe(usedBytes);
        expect(sum(containers)).toBe(usedBytes);
      }
    }
  });

  it('a pod is shown by name for the first hundred parts of its spec, and as one entry for the rest', () => {
    const { volumes, components } = usageOf(listed({ volumeCount: 700 }), keptPod(mountedEmptyDirs(700, 700)));
    expect(volumes).toHaveLength(101);
    expect(volumes.at(-1)).toMatchObject({ name: '(others)', type: 'unknown' });
    expect(sum(volumes)).toBe((699 * 700) / 2);
    const inDetail = usageOf(listed({ volumeCount: 100 }), keptPod(mountedEmptyDirs(700, 700)));
    expect(inDetail.volumes.map(({ name }) => name)).toEqual(indexed(100, (index) => `v${index}`));
    expect(components).toMatchObject({ emptydir: sum(volumes), other: 4096 });
    const { containers } = usageOf(listed({ containerCount: 700 }), keptPod(manyContainers(700)));
    expect(containers).toHaveLength(101);
    expect(containers.at(-1)).toMatchObject({ name: '(others)', rootfsBytes: 600 * 70, logsBytes: 600 * 30 });
  });

  it('all that has no entry of its own is counted', () => {
    expect(usageOf(listed({ volumeCount: 700 }), keptPod(mountedEmptyDirs(700, 700))).unknownItems).toEqual({
      containerCount: 0,
      volumeCount: 600,
    });
    expect(usageOf(listed({ containerCount: 700 }), undefined).unknownItems).toEqual({
      containerCount: 680,
      volumeCount: 0,
    });
    expect(usageOf(listed({ volumeCount: 90 }), keptPod(mountedEmptyDirs(700, 700))).unknownItems).toBeUndefined();
  });

  it.each([700, 5_100])('a pod has its place in the order of eviction with all it uses: %d volumes', (count) => {
    const pod = keptPod(mountedEmptyDirs(count, count));
    const whole = listed({ volumeCount: count });
    const inputOf = (signal: SignalUsageInput['signal'], summary = cutPod(whole)): SignalUsageInput => ({
      summary,
      pod,
      signal,
      layout: 'shared',
    });
    const counted = 100 + sum(whole.volumes ?? []);
    expect(signalUsage(inputOf('nodefs.available'))).toBe(counted);
    expect(freedByEviction(inputOf('nodefs.available'))).toBe(counted);
    expect(signalUsage(inputOf('nodefs.inodesFree'))).toBe(2 * count);
    expect(signalUsage({ ...inputOf('imagefs.available'), layout: 'dedicated' })).toBe(70);
  });

  it('no volume in memory beyond the total of a pod is counted', () => {
    const inMemory = indexed(200, (index) => ({ name: `w${index}`, emptyDir: { medium: 'Memory' } }));
    const onDisk = indexed(5_000, (index) => ({ name: `v${index}`, emptyDir: {} }));
    const volumes = [...onDisk, ...inMemory];
    const pod = keptPod({
      volumes,
      containers: [{ name: 'app', volumeMounts: volumes.map(({ name }) => ({ name, mountPath: `/${name}` })) }],
    });
    const input = { pod, signal: 'nodefs.available', layout: 'shared' } as const;
    const listedOf = (names: readonly { readonly name: string }[], usedBytes: number) =>
      names.map(({ name }) => aVolumeSummary({ name, usedBytes }));
    const summaryOf = (diskCount: number) =>
      cutPod({
        ...listed({}),
        usedBytes: 4096 + 100 + 2 * diskCount,
        volumes: [...listedOf(onDisk.slice(0, diskCount), 2), ...listedOf(inMemory, 2 ** 30)],
      });
    expect(signalUsage({ ...input, summary: summaryOf(4_000) })).toBe(100 + 8_000);
    // The type of those that a summary has as one entry is not known.
    const cut = summaryOf(5_000);
    expect(signalUsage({ ...input, summary: cut })).toBe(4096 + 100 + 10_000);
    expect(signalUsage({ ...input, summary: { ...cut, usedBytes: undefined } })).toBe(10_100 + 200 * 2 ** 30);
  });

  it('several containers together have no finding about their logs', () => {
    const rotation = { maxFileBytes: 10, maxFileCount: 4 };
    const findingsOf = (containerCount: number) =>
      podFindings({
        pod: keptPod(manyContainers(5_002)),
        summary: cutPod(listed({ containerCount })),
        node: undefined,
        isNearPressure: false,
        logRotation: rotation,
        unenforced: undefined,
      });
    expect(findingsOf(5_002).filter(({ kind }) => kind === 'logs_above_rotation')).toEqual([]);
  });
});

/** A pod with these mounts: for each volume, the containers that mount it. */
function podWithMounts(containerCount: number, mounters: readonly (readonly number[])[], source = 'emptyDir'): Pod {
  return keptPod({
    containers: indexed(containerCount, (index) => ({
      name: `c${index}`,
      volumeMounts: mounters.flatMap((positions, volume) =>
        positions.includes(index) ? [{ name: `v${volume}`, mountPath: `/${volume}` }] : [],
      ),
    })),
    volumes: mounters.map((_, index) => ({ name: `v${index}`, [source]: {} })),
  });
}

/** As its kubelet lists it while all its containers run: nothing but so many bytes in each volume. */
function listedVolumes(containerCount: number, volumeBytes: readonly number[]): PodSummary {
  return aPodSummary({
    usedBytes: volumeBytes.reduce((total, bytes) => total + bytes, 0),
    containers: indexed(containerCount, (index) =>
      aContainerSummary({ name: `c${index}`, rootfsBytes: 0, logsBytes: 0 }),
    ),
    volumes: volumeBytes.map((usedBytes, index) => aVolumeSummary({ name: `v${index}`, usedBytes })),
  });
}

function sharesOf(pod: Pod, summary: PodSummary): Readonly<Record<string, number | undefined>> {
  const used = usageOf(summary, pod).containers.filter(({ usedBytes }) => usedBytes !== 0);
  return Object.fromEntries(used.map(({ name, usedBytes }) => [name, usedBytes]));
}

it('a volume that no container mounts belongs to all, to each by the same part', () => {
  const shares = sharesOf(podWithMounts(120, [[]]), listedVolumes(120, [1_200]));
  expect(shares).toMatchObject({ c0: 10, c99: 10, '(others)': 200 });
  const { '(others)': others, ...named } = sharesOf(podWithMounts(6_000, [[]]), listedVolumes(6_000, [12_000]));
  expect(new Set(Object.values(named))).toEqual(new Set([2]));
  expect(others).toBe(12_000 - 2 * Object.keys(named).length);
  const beyond = podWithMounts(5_500, [[100, 5_300, 5_499]]);
  expect(sharesOf(beyond, listedVolumes(5_500, [1_200]))).toEqual({ '(others)': 1_200 });
});

it('a volume is no part of containers that do not run', () => {
  const pod = podWithMounts(150, [[5, 101, 120, 149]]);
  const running = (...names: readonly string[]) => ({
    ...listedVolumes(0, [1_200]),
    containers: names.map((name) => aContainerSummary({ name, rootfsBytes: 0, logsBytes: 0 })),
  });
  expect(sharesOf(pod, running('c5', 'c120'))).toEqual({ c5: 600, '(others)': 600 });
  expect(sharesOf(pod, running('c5', 'c6'))).toEqual({ c5: 1_200 });
  expect(sharesOf(pod, running('c120'))).toEqual({ '(others)': 1_200 });
});

it('a volume belongs to the containers of the spec when the kubelet lists none', () => {
  const pod = podWithMounts(102, [[5, 101, 100]]);
  expect(sharesOf(pod, listedVolumes(0, [1_200]))).toEqual({ c5: 400, '(others)': 800 });
  const initContainers = indexed(120, (index) => ({ name: `i${index}` }));
  const afterInit = keptPod({ initContainers, containers: [{ name: 'app' }] });
  expect(sharesOf(afterInit, listedVolumes(0, [1_200]))).toEqual({ '(others)': 1_200 });
});

it('a volume belongs to the containers that mount it, and has its component, however many there are', () => {
  const drawn = fc.record({
    containerCount: fc.integer({ min: 90, max: 140 }),
    volumes: fc.array(
      fc.record({
        mounters: fc.uniqueArray(fc.nat(139), { minLength: 1, maxLength: 4 }),
        units: fc.nat(50),
      }),
      { minLength: 80, maxLength: 900, size: 'max' },
    ),
  });
  fc.assert(
    fc.property(drawn, fc.constantFrom('emptyDir', 'configMap'), ({ containerCount, volumes }, source) => {
      const mounters = volumes.map((volume) => [
        ...new Set(volume.mounters.map((position) => position % containerCount)),
      ]);
      const bytes = volumes.map(({ units }) => 12 * units);
      const [pod, summary] = [podWithMounts(containerCount, mounters, source), listedVolumes(containerCount, bytes)];
      const expected: Record<string, number> = {};
      for (const [volume, positions] of mounters.entries()) {
        for (const position of positions) {
          const name = position < 100 ? `c${position}` : '(others)';
          const share = (bytes[volume] ?? 0) / positions.length;
          if (share > 0) expected[name] = (expected[name] ?? 0) + share;
        }
      }
      expect(sharesOf(pod, summary)).toEqual(expected);
      const component = source === 'emptyDir' ? 'emptydir' : 'configmap';
      expect(usageOf(summary, pod).components).toMatchObject({ [component]: summary.usedBytes, other: 0 });
    }),
    { numRuns: 20 },
  );
});

it.each([
  ['one container mounts all', { containerCount: 5_000, volumeCount: 500, mounters: [4_999], partCount: 500 }],
  ['none mounts any', { containerCount: 5_000, volumeCount: 100, mounters: [], partCount: 101 * 100 }],
  [
    'some of the first and others mount all',
    { containerCount: 5_000, volumeCount: 500, mounters: [0, 50, 99, 100, 200], partCount: 4 * 500 },
  ],
  ['a hundred and no more', { containerCount: 100, volumeCount: 100, mounters: [], partCount: 100 * 100 }],
])('a volume is explained with a bounded number of parts when %s', (_case, expected) => {
  const { containerCount, volumeCount, mounters, partCount } = expected;
  const pod = podWithMounts(
    containerCount,
    indexed(volumeCount, () => mounters),
  );
  const summary = listedVolumes(
    containerCount,
    indexed(volumeCount, () => 4_096),
  );
  const { containers } = explainPod({ summary, pod, mode: 'measured' });
  expect(containers.length).toBeLessThanOrEqual(101);
  expect(containers.reduce((sumOfCounts, { volumeShares }) => sumOfCounts + volumeShares.length, 0)).toBe(partCount);
});

it.each([500, 900, 5_000])('components of a pod are exact, whatever else it mounts: %d volumes', (count) => {
  const sources = ['emptyDir', 'configMap', 'persistentVolumeClaim', 'secret'] as const;
  const sourceOf = (index: number) => sources[index % sources.length] ?? 'secret';
  const volumes = indexed(count, (index) => ({ name: `v${index}`, [sourceOf(index)]: {} }));
  const pod = keptPod({
    // HostPaths, which are in no summary, and volumes that no container mounts take the place of none.
    volumes: [
      ...indexed(600, (index) => ({ name: `h${index}`, hostPath: {} })),
      ...indexed(600, (index) => ({ name: `u${index}`, emptyDir: {} })),
      ...volumes,
    ],
    containers: [{ name: 'app', volumeMounts: volumes.map(({ name }) => ({ name, mountPath: `/${name}` })) }],
  });
  const bytesOf = (source: string) =>
    sum(indexed(count, (index) => ({ usedBytes: sourceOf(index) === source ? index : 0 })));
  const usedBytes = 100 + bytesOf('emptyDir') + bytesOf('configMap') + 4_096;
  const summary = cutPod({ ...listed({ volumeCount: count }), usedBytes });
  expect(usageOf(summary, pod).components).toEqual({
    rootfs: 70,
    logs: 30,
    emptydir: bytesOf('emptyDir'),
    configmap: bytesOf('configMap'),
    other: 4_096,
  });
  expect(signalUsage({ summary, pod, signal: 'nodefs.available', layout: 'shared' })).toBe(usedBytes - 4_096);
});
