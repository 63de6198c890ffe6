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
    ['an emptyDir in memory', { type: 'emptydir', medium: 'Memory' }],
    ['an emptyDir in huge pages', { type: 'emptydir', medium: 'HugePages-2Mi' }],
    ['a gitRepo, which no kubelet measures', { type: 'gitrepo' }],
    ['a secret', { type: 'secret' }],
    ['a projected volume', { type: 'projected' }],
    ['downward API files', { type: 'downwardapi' }],
    ['a persistent volume', { type: 'pvc' }],
    ['a generic ephemeral volume', { type: 'ephemeral' }],
    ['an inline CSI volume', { type: 'csi' }],
    ['a volume of a type that we do not know', { type: 'unknown' }],
  ] as const)('the components do not count %s', (_, volume) => {
    const summary = aPodSummary({ usedBytes: 4096, volumes: [aVolumeSummary({ usedBytes: 700 })] });
    expect(measured(summary, aPod({ volumes: [aVolume(volume)] })).components).toEqual({
      rootfs: 0,
      logs: 0,
      emptydir: 0,
      configmap: 0,
      other: 4096,
    });
  });

  it('the logs of a container without a root filesystem are left out, as the kubelet does', () => {
    const containers = [...twoContainers, aContainerSummary({ name: 'bare', logsBytes: 999 })];
    const usage = measured(aPodSummary({ usedBytes: 1320, containers }));
    expect(usage.components).toMatchObject({ rootfs: 1200, logs: 120, other: 0 });
    expect(shares(usage)).toEqual({ app: 1100, log: 220, bare: 0 });
  });

  it('the logs of a container whose root filesystem has no figure are counted', () => {
    const container = { name: 'app', rootfs: aContainerFs(), logs: aContainerFs({ usedBytes: 30 }) };
    expect(measured(aPodSummary({ usedBytes: 30, containers: [container] })).components).toMatchObject({
      rootfs: 0,
      logs: 30,
      other: 0,
    });
  });

  it.each(attributionModes)('without a total, what is measured of a pod stays: %s', (mode) => {
    const volumes = [aVolumeSummary({ name: 'scratch', usedBytes: 7 })];
    const summary = aPodSummary({ usedBytes: undefined, inodesUsed: 3, containers: twoContainers, volumes });
    const pod = aPod({ volumes: [aVolume({ name: 'scratch' })] });
    const usage = attributePod({ summary, pod, mode });
    expect(usage.components).toEqual({ rootfs: 1200, logs: 120, emptydir: 7, configmap: 0 });
    expect(usage).toMatchObject({
      usedBytes: undefined,
      inodesUsed: 3,
      containers: [
        { usedBytes: undefined, rootfsBytes: 1000 },
        { usedBytes: undefined, logsBytes: 20 },
      ],
      volumes: [{ usedBytes: 7 }],
      volumesPending: false,
    });
  });

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

  it('components and shares stay exact when the parts pass 2^53', () => {
    const max = 2 ** 53;
    const containers = [
      aContainerSummary({ name: 'app', rootfsBytes: max - 1, logsBytes: max }),
      aContainerSummary({ name: 'log', rootfsBytes: max, logsBytes: 3 }),
    ];
    const usage = measured(aPodSummary({ usedBytes: 7, containers }));
    expect(usage.components).toMatchObject({ rootfs: max - 1, logs: 1, other: 7 - max });
    expect(bigSum(Object.values(usage.components))).toBe(7n);
    expect(bigSum(Object.values(shares(usage)))).toBe(7n);
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

describe('attributePod: containers in any order', () => {
  const pod = aPod({
    containers: ['app', 'log', 'proxy'].map((name) => aContainer({ name, mounts: [aMount('data')] })),
    volumes: [aVolume()],
  });

  it.each(['measured', 'even'] as const)('container shares are the same in any order of the containers: %s', (mode) => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray(['app', 'log', 'proxy'], { minLength: 3 }),
        fc.nat(20),
        fc.nat(20),
        (order, volumeBytes, restBytes) => {
          const sharesOf = (names: readonly string[]) => {
            const containers = names.map((name) => aContainerSummary({ name, rootfsBytes: 10 }));
            const volumes = [aVolumeSummary({ usedBytes: volumeBytes })];
            const summary = aPodSummary({ usedBytes: 30 + volumeBytes + restBytes, containers, volumes });
            const usage = attributePod({ summary, pod, mode });
            return shares(usage);
          };
          expect(sharesOf(order)).toEqual(sharesOf(['app', 'log', 'proxy']));
        },
      ),
    );
  });

  it('what does not divide goes to the first container by name, in whatever order they are listed', () => {
    const containers = ['proxy', 'log', 'app'].map((name) => aContainerSummary({ name, rootfsBytes: 10 }));
    const usage = measured(aPodSummary({ usedBytes: 34, containers }), pod);
    expect(shares(usage)).toEqual({ app: 12, log: 11, proxy: 11 });
  });
});

it('the even split splits the total evenly, whatever the containers and volumes hold', () => {
  const pod = aPod({ containers: [aContainer({ name: 'app', mounts: [aMount('data')] })], volumes: [aVolume()] });
  const summary = aPodSummary({
    usedBytes: 1331,
    containers: twoContainers,
    volumes: [aVolumeSummary({ usedBytes: 11 })],
  });
  const usage = attributePod({ summary, pod, mode: 'even' });
  expect(shares(usage)).toEqual({ app: 666, log: 665 });
  expect(usage.components).toMatchObject({ rootfs: 1200, logs: 120, emptydir: 11, other: 0 });
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

describe('attributePod: volumes pending', () => {
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

  it.each(['app', 'init', 'sidecar', 'ephemeral'] as const)(
    'a counted volume that a container of kind %s mounts is pending',
    (kind) => {
      const containers = [aContainer(), aContainer({ name: 'other', kind, mounts: [aMount('data')] })];
      expect(measured(aPodSummary(), aPod({ volumes: [aVolume()], containers })).volumesPending).toBe(true);
    },
  );

  it('volumes of an unknown pod are not pending', () => {
    expect(attributePod({ summary: aPodSummary(), pod: undefined, mode: 'measured' }).volumesPending).toBe(false);
  });
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
