import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { type Pod, type Volume, volumeTypes } from '../../src/kube/objects.js';
import type { PodSummary, VolumeSummary } from '../../src/kubelet/summary.js';
import { attributePod } from '../../src/node/attribute.js';
import { explainPod } from '../../src/node/breakdown.js';
import { attributionModes, components, type PodUsage } from '../../src/node/usage.js';
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

function measured(summary: PodSummary, pod: Pod | undefined = aPod()): PodUsage {
  const usage = attributePod({ summary, pod, mode: 'measured' });
  if (usage === undefined) throw new Error('the summary has no total');
  return usage;
}

function shares(usage: PodUsage): Record<string, number> {
  return Object.fromEntries(usage.containers.map(({ name, usedBytes }) => [name, usedBytes]));
}

const twoContainers = [
  aContainerSummary({ name: 'app', rootfsBytes: 1000, logsBytes: 100 }),
  aContainerSummary({ name: 'log', rootfsBytes: 200, logsBytes: 20 }),
];

describe('attributePod: components', () => {
  it('the total is split into root filesystems, logs, counted volumes and the rest', () => {
    const pod = aPod({
      volumes: [aVolume({ name: 'scratch', type: 'emptydir' }), aVolume({ name: 'settings', type: 'configmap' })],
    });
    const summary = aPodSummary({
      usedBytes: 1320 + 6000 + 4096,
      containers: twoContainers,
      volumes: [
        aVolumeSummary({ name: 'scratch', usedBytes: 4000 }),
        aVolumeSummary({ name: 'settings', usedBytes: 2000 }),
      ],
    });
    expect(measured(summary, pod).components).toEqual({
      rootfs: 1200,
      logs: 120,
      emptydir: 4000,
      configmap: 2000,
      other: 4096,
    });
  });

  it('the volumes of one type are added up', () => {
    const pod = aPod({ volumes: [aVolume({ name: 'a' }), aVolume({ name: 'b' })] });
    const volumes = [aVolumeSummary({ name: 'a', usedBytes: 10 }), aVolumeSummary({ name: 'b', usedBytes: 5 })];
    expect(measured(aPodSummary({ usedBytes: 15, volumes }), pod).components).toMatchObject({ emptydir: 15, other: 0 });
  });

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

  it('volumes of an unknown pod are part of the rest', () => {
    const summary = aPodSummary({ usedBytes: 5000, volumes: [aVolumeSummary({ usedBytes: 904 })] });
    const usage = attributePod({ summary, pod: undefined, mode: 'measured' });
    expect(usage?.components).toMatchObject({ emptydir: 0, other: 5000 });
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

  it('a rest below zero is shown with its sign', () => {
    expect(measured(aPodSummary({ usedBytes: 1000, containers: twoContainers })).components.other).toBe(-320);
  });

  it('a pod has no usage when the kubelet reports no total', () => {
    const summary = aPodSummary({ usedBytes: undefined, containers: twoContainers });
    expect(attributePod({ summary, pod: aPod(), mode: 'measured' })).toBeUndefined();
  });

  it('a total of zero is known', () => {
    expect(measured(aPodSummary({ usedBytes: 0 }))).toMatchObject({ usedBytes: 0, containers: [{ usedBytes: 0 }] });
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

describe('attributePod: container shares, measured', () => {
  it('each container has its own files and an equal share of the rest', () => {
    const usage = measured(aPodSummary({ usedBytes: 1320 + 4096, containers: twoContainers }));
    expect(shares(usage)).toEqual({ app: 1100 + 2048, log: 220 + 2048 });
  });

  it('a counted volume is split among the containers that mount it', () => {
    const pod = aPod({
      containers: [
        aContainer({ name: 'app', mounts: [aMount('data'), aMount('own')] }),
        aContainer({ name: 'log', mounts: [aMount('data')] }),
      ],
      volumes: [aVolume({ name: 'data' }), aVolume({ name: 'own' })],
    });
    const volumes = [aVolumeSummary({ name: 'data', usedBytes: 600 }), aVolumeSummary({ name: 'own', usedBytes: 50 })];
    const usage = measured(aPodSummary({ usedBytes: 1970, containers: twoContainers, volumes }), pod);
    expect(shares(usage)).toEqual({ app: 1100 + 300 + 50, log: 220 + 300 });
  });

  it('a counted volume that no container mounts is split among all', () => {
    const pod = aPod({ volumes: [aVolume()] });
    const volumes = [aVolumeSummary({ usedBytes: 10 })];
    const usage = measured(aPodSummary({ usedBytes: 1330, containers: twoContainers, volumes }), pod);
    expect(shares(usage)).toEqual({ app: 1105, log: 225 });
  });

  it.each([
    ['one listed', ['log'], { app: 1100, log: 220 + 10 }],
    ['none listed', [], { app: 1105, log: 225 }],
  ])('a mounting container that is not running has no share: %s', (_, mounting, expected) => {
    const pod = aPod({
      containers: [
        aContainer({ name: 'setup', kind: 'init', mounts: [aMount('data')] }),
        aContainer({ name: 'app' }),
        aContainer({ name: 'log', mounts: mounting.includes('log') ? [aMount('data')] : [] }),
      ],
      volumes: [aVolume()],
    });
    const volumes = [aVolumeSummary({ usedBytes: 10 })];
    expect(shares(measured(aPodSummary({ usedBytes: 1330, containers: twoContainers, volumes }), pod))).toEqual(
      expected,
    );
  });

  it.each([
    ['go to', 0, 5, { a: 2, b: 2, c: 1 }],
    ['of a negative rest are taken from', 10, 25, { a: 8, b: 8, c: 9 }],
  ])('the bytes that do not divide %s the first containers', (_what, rootfsBytes, usedBytes, expected) => {
    const containers = ['a', 'b', 'c'].map((name) => aContainerSummary({ name, rootfsBytes }));
    expect(shares(measured(aPodSummary({ usedBytes, containers })))).toEqual(expected);
  });

  it('a container without figures has its shares only', () => {
    const containers = [aContainerSummary({ name: 'app', rootfsBytes: 90 }), aContainerSummary({ name: 'new' })];
    const usage = measured(aPodSummary({ usedBytes: 100, containers }));
    expect(shares(usage)).toEqual({ app: 95, new: 5 });
    expect(usage.containers[1]).toMatchObject({ rootfsBytes: undefined, logsBytes: undefined });
  });

  it.each([
    ['no figures at all', aContainerSummary({ name: 'a' })],
    ['logs that are not part of the total', aContainerSummary({ name: 'a', logsBytes: 40 })],
    ['a root filesystem without a figure', { name: 'a', rootfs: aContainerFs(), logs: undefined }],
  ])('the measured split is the even one when the containers have %s', (_, container) => {
    const pod = aPod({
      containers: [aContainer({ name: 'a', mounts: [aMount('data')] }), aContainer({ name: 'b' })],
      volumes: [aVolume()],
    });
    const summary = aPodSummary({
      usedBytes: 101,
      containers: [container, aContainerSummary({ name: 'b' })],
      volumes: [aVolumeSummary({ usedBytes: 60 })],
    });
    const usage = measured(summary, pod);
    expect(shares(usage)).toEqual({ a: 51, b: 50 });
    expect(usage.components).toMatchObject({ emptydir: 60, other: 41 });
  });

  it('a reported zero is a figure', () => {
    const containers = [aContainerSummary({ name: 'a', rootfsBytes: 0 }), aContainerSummary({ name: 'b' })];
    const pod = aPod({
      containers: [aContainer({ name: 'a' }), aContainer({ name: 'b', mounts: [aMount('data')] })],
      volumes: [aVolume()],
    });
    const summary = aPodSummary({ usedBytes: 60, containers, volumes: [aVolumeSummary({ usedBytes: 60 })] });
    expect(shares(measured(summary, pod))).toEqual({ a: 0, b: 60 });
  });

  it('the own figures of a container are as the kubelet reports them', () => {
    const containers = [aContainerSummary({ name: 'app', rootfsBytes: 7 })];
    expect(measured(aPodSummary({ containers })).containers).toEqual([
      { name: 'app', usedBytes: 4096, rootfsBytes: 7, logsBytes: undefined },
    ]);
  });

  it('a pod has no containers when the kubelet lists none and the spec is unknown', () => {
    const summary = aPodSummary({ usedBytes: 9, containers: [] });
    expect(attributePod({ summary, pod: undefined, mode: 'measured' })).toMatchObject({
      usedBytes: 9,
      components: { other: 9 },
      containers: [],
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
    expect(attributePod({ summary, pod, mode: 'measured' })?.containers).toMatchObject([
      { name: 'proxy', usedBytes: 4, rootfsBytes: undefined },
      { name: 'app', usedBytes: 105, logsBytes: undefined },
    ]);
    expect(attributePod({ summary, pod, mode: 'even' })?.containers).toMatchObject([
      { name: 'proxy', usedBytes: 54 },
      { name: 'app', usedBytes: 55 },
    ]);
  });

  it('two entries with the name of one container are one container', () => {
    const containers = [...twoContainers, aContainerSummary({ name: 'app', rootfsBytes: 5 })];
    const usage = measured(aPodSummary({ usedBytes: 1325, containers }));
    expect(usage.containers).toEqual([
      { name: 'app', usedBytes: 1105, rootfsBytes: 1005, logsBytes: 100 },
      { name: 'log', usedBytes: 220, rootfsBytes: 200, logsBytes: 20 },
    ]);
    expect(usage.components.other).toBe(0);
  });
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
            return usage && shares(usage);
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
  expect(usage && shares(usage)).toEqual({ app: 666, log: 665 });
  expect(usage?.components).toMatchObject({ rootfs: 1200, logs: 120, emptydir: 11, other: 0 });
});

describe('attributePod: volumes', () => {
  it('every volume is listed with type and medium, those without figures too', () => {
    const pod = aPod({
      volumes: [
        aVolume({ name: 'shm', type: 'emptydir', medium: 'Memory' }),
        aVolume({ name: 'token', type: 'projected' }),
        aVolume({ name: 'db', type: 'ephemeral' }),
      ],
    });
    const volumes = [
      aVolumeSummary({ name: 'shm', usedBytes: 12 }),
      aVolumeSummary({ name: 'token' }),
      aVolumeSummary({ name: 'db', usedBytes: 8, hasClaim: true }),
    ];
    expect(measured(aPodSummary({ volumes }), pod).volumes).toEqual([
      { name: 'shm', type: 'emptydir', medium: 'Memory', usedBytes: 12 },
      { name: 'token', type: 'projected', medium: '', usedBytes: undefined },
      { name: 'db', type: 'ephemeral', medium: '', usedBytes: 8 },
    ]);
  });

  it.each([
    ['an unknown pod', undefined],
    ['a pod whose spec lacks them', aPod()],
  ])('all that is known of the volumes of %s is whether they have a claim', (_, pod) => {
    const volumes = [aVolumeSummary({ name: 'db', hasClaim: true }), aVolumeSummary({ name: 'tmp' })];
    expect(attributePod({ summary: aPodSummary({ volumes }), pod, mode: 'measured' })?.volumes).toMatchObject([
      { name: 'db', type: 'pvc', medium: '' },
      { name: 'tmp', type: 'unknown', medium: '' },
    ]);
  });

  it('two entries with the name of one volume are one volume', () => {
    const volumes = [aVolumeSummary({ usedBytes: 6 }), aVolumeSummary(), aVolumeSummary({ usedBytes: 4 })];
    const usage = measured(aPodSummary({ usedBytes: 10, volumes }), aPod({ volumes: [aVolume()] }));
    expect(usage.volumes).toEqual([{ name: 'data', type: 'emptydir', medium: '', usedBytes: 10 }]);
    expect(usage.components).toMatchObject({ emptydir: 10, other: 0 });
  });
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

  it('volumes that no container mounts are not pending, as the kubelet never lists them', () => {
    const volumes = [aVolume({ name: 'data' }), aVolume({ name: 'token', type: 'projected' })];
    const containers = [aContainer({ mounts: [aMount('token')] })];
    expect(measured(aPodSummary(), aPod({ volumes, containers })).volumesPending).toBe(false);
  });

  it('volumes of which only the sum is kept are not pending', () => {
    const summary = aPodSummary({ volumes: [aVolumeSummary({ name: '(others)' })] });
    const containers = [aContainer({ mounts: [aMount('data')] })];
    expect(measured(summary, aPod({ volumes: [aVolume({ name: 'data' })], containers })).volumesPending).toBe(false);
  });

  it('volumes of an unknown pod are not pending', () => {
    expect(attributePod({ summary: aPodSummary(), pod: undefined, mode: 'measured' })?.volumesPending).toBe(false);
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
        expect(usage?.usedBytes).toBe(summary.usedBytes);
        expect(bigSum(components.map((component) => usage?.components[component]))).toBe(total);
        const values = usage?.containers.map(({ usedBytes }) => usedBytes) ?? [];
        if (values.length > 0) expect(bigSum(values)).toBe(total);
        expect(values.reduce((a, b) => a + b, 0)).toBe(values.length > 0 ? summary.usedBytes : 0);
        expect(values.some((value) => Object.is(value, -0))).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  it.each(attributionModes)('the breakdown has the same usage and adds up for each container (%s)', (mode) => {
    fc.assert(
      fc.property(summaries, pods, (summary, pod) => {
        const breakdown = explainPod({ summary, pod, mode });
        expect(breakdown?.usage).toEqual(attributePod({ summary, pod, mode }));
        expect(breakdown?.containers.map(({ name, usedBytes }) => ({ name, usedBytes }))).toEqual(
          breakdown?.usage.containers.map(({ name, usedBytes }) => ({ name, usedBytes })),
        );
        for (const { usedBytes, ownRootfsBytes, ownLogsBytes, volumeShares, restBytes } of breakdown?.containers ??
          []) {
          const parts = [ownRootfsBytes, ownLogsBytes, ...volumeShares.map(({ bytes: share }) => share), restBytes];
          expect(bigSum(parts)).toBe(BigInt(usedBytes));
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
        expect(usage?.containers.map(({ name }) => name)).toEqual([...new Set(named.map(({ name }) => name))]);
        expect(usage?.volumes.map(({ name }) => name)).toEqual([...new Set(summary.volumes?.map(({ name }) => name))]);
      }),
    );
  });
});

/** Throws on a fraction. */
function bigSum(values: readonly (number | undefined)[]): bigint {
  return values.reduce((total, value) => total + BigInt(value ?? NaN), 0n);
}
