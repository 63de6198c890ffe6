import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { type Pod, type Volume, volumeTypes } from '../../src/cluster/kube/objects.js';
import type { PodSummary, VolumeSummary } from '../../src/cluster/kubelet/summary.js';
import { attributePod } from '../../src/facts/node/attribute.js';
import { explainPod } from '../../src/facts/node/breakdown.js';
import { attributionModes, components, type PodUsage } from '../../src/facts/node/usage.js';
import {
  aContainer,
  aContainerFs,
  aContainerSummary,
  aMount,
  aPod,
  aPodSummary,
  aVolume,
  aVolumeSummary,
} from '../support/builders.js';
import { sumOf } from '../support/figures.js';

function measured(summary: PodSummary, pod: Pod | undefined = aPod()): PodUsage {
  return attributePod({ summary, pod, mode: 'measured' });
}

function shares(usage: PodUsage): Record<string, number | undefined> {
  return Object.fromEntries(usage.containers.map(({ name, usedBytes }) => [name, usedBytes]));
}

const twoContainers = [
  aContainerSummary({ name: 'app', rootfsBytes: 1000, logsBytes: 100 }),
  aContainerSummary({ name: 'log', rootfsBytes: 200, logsBytes: 20 }),
];

describe('attributePod: components', () => {
  it.each([
    ['a writable layer', { rootfsBytes: 'impossible' as const }, 1, { rootfs: undefined }],
    ['logs', { logsBytes: 'impossible' as const }, 1, { logs: undefined }],
    ['an emptyDir', {}, 'impossible' as const, { emptydir: undefined }],
  ])('with %s of an impossible size, that component is unknown and no bytes move', (_part, more, size, unknown) => {
    const app = aContainerSummary({ name: 'app', rootfsBytes: 100, logsBytes: 10, ...more });
    const containers = [app, aContainerSummary({ name: 'log', rootfsBytes: 200, logsBytes: 20 })];
    const volumes = [aVolumeSummary({ name: 'scratch', usedBytes: size })];
    const input = {
      summary: aPodSummary({ usedBytes: 1000, containers, volumes }),
      pod: aPod({ volumes: [aVolume({ name: 'scratch' })] }),
    };
    const known = { rootfs: 300, logs: 30, emptydir: 1, configmap: 0, other: undefined };
    const usage = attributePod({ ...input, mode: 'measured' });
    expect(usage.usedBytes).toBe(1000);
    expect(usage.components).toEqual({ ...known, ...unknown });
    expect(usage.containers.map(({ usedBytes }) => usedBytes)).toEqual([undefined, undefined]);
    expect(usage.containers[1]).toMatchObject({ rootfsBytes: 200, logsBytes: 20 });
    const even = attributePod({ ...input, mode: 'even' });
    expect(even.containers.map(({ usedBytes }) => usedBytes)).toEqual([500, 500]);
    const [explained] = explainPod({ ...input, mode: 'measured' }).containers;
    expect(explained).toMatchObject({ usedBytes: undefined, restBytes: undefined });
  });

  it('an impossible size of what is not counted changes nothing', () => {
    const containers = [...twoContainers, aContainerSummary({ name: 'bare', logsBytes: 'impossible' })];
    const volumes = [aVolumeSummary({ name: 'claim', usedBytes: 'impossible' })];
    const usage = measured(aPodSummary({ usedBytes: 2000, containers, volumes }));
    expect(usage.components).toEqual({ rootfs: 1200, logs: 120, emptydir: 0, configmap: 0, other: 680 });
  });

  it('two entries of one name, one of them impossible, are unknown together', () => {
    const containers = [1, 'impossible' as const].map((rootfsBytes) => aContainerSummary({ rootfsBytes }));
    const volumes = [2, 'impossible' as const].map((usedBytes) => aVolumeSummary({ usedBytes, inodesUsed: usedBytes }));
    expect(measured(aPodSummary({ containers, volumes }))).toMatchObject({
      containers: [{ rootfsBytes: 'impossible' }],
      volumes: [{ usedBytes: 'impossible', inodesUsed: 'impossible' }],
    });
  });
});

it('the containers of the spec share the total when the kubelet lists none, as between two runs', () => {
  const pod = aPod({
    containers: [
      aContainer({ name: 'setup', kind: 'init' }),
      aContainer({ name: 'proxy', kind: 'sidecar' }),
      aContainer({ name: 'app', mounts: [aMount('cache')] }),
    ],
    volumes: [aVolume({ name: 'cache' })],
  });
  const volumes = [aVolumeSummary({ name: 'cache', usedBytes: 100 })];
  const summary = aPodSummary({ usedBytes: 109, containers: [], volumes });
  expect(attributePod({ summary, pod, mode: 'measured' }).containers).toMatchObject([
    { name: 'proxy', usedBytes: 4, rootfsBytes: undefined },
    { name: 'app', usedBytes: 105, logsBytes: undefined },
  ]);
  expect(attributePod({ summary, pod, mode: 'even' }).containers).toMatchObject([
    { name: 'proxy', usedBytes: 54 },
    { name: 'app', usedBytes: 55 },
  ]);
});

it('a container that mounts a volume twice has one share of it', () => {
  const volumes = [aVolumeSummary({ name: 'cache', usedBytes: 100 })];
  const containers = ['app', 'log'].map((name) => aContainerSummary({ name, rootfsBytes: 0, logsBytes: 0 }));
  const mounts = { app: [aMount('cache'), aMount('cache')], log: [aMount('cache')] };
  const pod = aPod({
    containers: [aContainer({ name: 'app', mounts: mounts.app }), aContainer({ name: 'log', mounts: mounts.log })],
    volumes: [aVolume({ name: 'cache' })],
  });
  const summary = aPodSummary({ usedBytes: 100, containers, volumes });
  const used = attributePod({ summary, pod, mode: 'measured' }).containers.map(({ usedBytes }) => usedBytes);
  expect(used).toEqual([50, 50]);
});

it.each([
  ['first', [10, undefined]],
  ['second', [undefined, 10]],
])('a container listed twice is measured when only the %s entry has figures', (_, [a, b]) => {
  const containers = [a, b].map((rootfsBytes) =>
    aContainerSummary({ name: 'app', ...(rootfsBytes === undefined ? {} : { rootfsBytes }) }),
  );
  const usage = measured(aPodSummary({ usedBytes: 30, containers: [...containers, aContainerSummary({ name: 'b' })] }));
  expect(shares(usage)).toEqual({ app: 20, b: 10 });
});

it('what does not divide goes to the first container by name, in whatever order they are listed', () => {
  const pod = aPod({
    containers: ['app', 'log', 'proxy'].map((name) => aContainer({ name, mounts: [aMount('data')] })),
    volumes: [aVolume()],
  });
  const containers = ['proxy', 'log', 'app'].map((name) => aContainerSummary({ name, rootfsBytes: 10 }));
  const usage = measured(aPodSummary({ usedBytes: 34, containers }), pod);
  expect(shares(usage)).toEqual({ app: 12, log: 11, proxy: 11 });
});

it.each([
  ['an unknown pod', undefined],
  ['a pod whose spec lacks them', aPod()],
])('all that is known of the volumes of %s is whether they have a claim', (_, pod) => {
  const volumes = [aVolumeSummary({ name: 'db', hasClaim: true }), aVolumeSummary({ name: 'tmp' })];
  expect(attributePod({ summary: aPodSummary({ volumes }), pod, mode: 'measured' }).volumes).toMatchObject([
    { name: 'db', type: 'pvc', medium: '' },
    { name: 'tmp', type: 'unknown', medium: '' },
  ]);
});

const token = aVolume({ name: 'token', type: 'projected' });
const memory = aVolume({ name: 'shm', medium: 'Memory', sizeLimitBytes: 4096 });

it.each<[string, readonly Volume[], readonly VolumeSummary[] | undefined, boolean]>([
  ['counted volumes, nothing listed', [aVolume()], undefined, true],
  ['counted volumes, an empty list', [aVolume()], [], true],
  ['counted volumes, only a stranger listed', [aVolume()], [aVolumeSummary({ name: 'stranger' })], true],
  ['counted volumes, another one of the pod listed', [aVolume(), token], [aVolumeSummary({ name: 'token' })], false],
  ['counted volumes, listed without a figure', [aVolume()], [aVolumeSummary()], false],
  ['no counted volume, nothing listed', [token, aVolume({ name: 'shm', medium: 'Memory' })], undefined, false],
  ['in memory with a size limit, nothing listed', [memory], undefined, true],
  ['in memory with a size limit, listed', [memory], [aVolumeSummary({ name: 'shm' })], false],
  ['a gitRepo, nothing listed', [aVolume({ type: 'gitrepo' })], undefined, false],
  ['no volume', [], undefined, false],
])('volumes are pending, or not: %s', (_, volumes, listed, isPending) => {
  const containers = [aContainer({ mounts: volumes.map(({ name }) => aMount(name)) })];
  expect(measured(aPodSummary({ volumes: listed }), aPod({ volumes, containers })).volumesPending).toBe(isPending);
});

describe('attributePod: whatever the kubelet reports', () => {
  const bytes = fc.oneof(fc.nat(10_000), fc.maxSafeNat(), fc.constantFrom(2 ** 53, 2 ** 53 - 1));
  const figure = fc.option(bytes, { nil: undefined });
  const fs = fc.option(
    figure.map((usedBytes) => aContainerFs({ usedBytes })),
    { nil: undefined },
  );
  const containerName = fc.constantFrom('a', 'b', 'c', 'd');
  const volumeName = fc.constantFrom('u', 'v', 'w', 'x');
  const summaries = fc
    .record({
      usedBytes: bytes,
      containers: fc.array(fc.record({ name: containerName, rootfs: fs, logs: fs }), { maxLength: 6 }),
      volumes: fc.array(
        fc
          .record({ name: volumeName, usedBytes: figure, hasClaim: fc.boolean() })
          .map((volume) => aVolumeSummary(volume)),
        { maxLength: 5 },
      ),
    })
    .map((fields) => aPodSummary(fields));
  const pods = fc.option(
    fc
      .record({
        containers: fc.uniqueArray(
          fc
            .record({ name: containerName, mounts: fc.subarray(['u', 'v', 'w', 'x'].map((volume) => aMount(volume))) })
            .map((container) => aContainer(container)),
          { selector: ({ name }) => name },
        ),
        volumes: fc.uniqueArray(
          fc.record({
            name: volumeName,
            type: fc.constantFrom(...volumeTypes),
            medium: fc.constantFrom('', 'Memory'),
            sizeLimitBytes: fc.constant(undefined),
            isRawBlock: fc.constant(false),
          }),
          { selector: ({ name }) => name },
        ),
      })
      .map((fields) => aPod(fields)),
    { nil: undefined },
  );

  it.each(attributionModes)('the components and the containers add up to the total (%s)', (mode) => {
    fc.assert(
      fc.property(summaries, pods, (summary, pod) => {
        const usage = attributePod({ summary, pod, mode });
        const total = BigInt(summary.usedBytes ?? NaN);
        expect(usage.usedBytes).toBe(summary.usedBytes);
        expect(bigSum(components.map((component) => usage.components[component]))).toBe(total);
        const values = usage.containers.map(({ usedBytes }) => usedBytes);
        if (values.length > 0) expect(bigSum(values)).toBe(total);
        expect(sumOf(values)).toBe(values.length > 0 ? summary.usedBytes : 0);
        expect(values.some((value) => Object.is(value, -0))).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  it.each(attributionModes)('the breakdown has the same usage and adds up for each container (%s)', (mode) => {
    fc.assert(
      fc.property(summaries, pods, (summary, pod) => {
        const breakdown = explainPod({ summary, pod, mode });
        expect(breakdown.usage).toEqual(attributePod({ summary, pod, mode }));
        expect(breakdown.containers.map(({ name, usedBytes }) => ({ name, usedBytes }))).toEqual(
          breakdown.usage.containers.map(({ name, usedBytes }) => ({ name, usedBytes })),
        );
        for (const { usedBytes, ownRootfsBytes, ownLogsBytes, volumeShares, restBytes } of breakdown.containers) {
          const parts = [ownRootfsBytes, ownLogsBytes, ...volumeShares.map(({ bytes: share }) => share), restBytes];
          expect(bigSum(parts)).toBe(BigInt(usedBytes ?? NaN));
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('each container and each volume appears once, in the order of the summary', () => {
    fc.assert(
      fc.property(summaries, pods, (summary, pod) => {
        const usage = attributePod({ summary, pod, mode: 'measured' });
        const named = summary.containers.length === 0 ? (pod?.containers ?? []) : summary.containers;
        expect(usage.containers.map(({ name }) => name)).toEqual([...new Set(named.map(({ name }) => name))]);
        expect(usage.volumes.map(({ name }) => name)).toEqual([...new Set(summary.volumes?.map(({ name }) => name))]);
      }),
    );
  });
});

/** Throws on a fraction. */
function bigSum(values: readonly (number | undefined)[]): bigint {
  return values.reduce((total, value) => total + BigInt(value ?? NaN), 0n);
}
