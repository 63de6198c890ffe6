import { setImmediate as nextTurn } from 'node:timers/promises';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createDedupe, createInterner } from '../../src/cluster/kube/dedupe.js';
import type { Container, Pod, Volume } from '../../src/cluster/kube/objects.js';
import { measuredVolumes } from '../../src/cluster/kube/pod-rest.js';
import { projectPod } from '../../src/cluster/kube/projection.js';
import { type Amount, roundUp } from '../../src/cluster/kube/quantity.js';
import type { PodSummary } from '../../src/cluster/kubelet/summary.js';
import { attributePod } from '../../src/facts/node/attribute.js';
import { type LimitRatio, limitRatios, type LimitRule, limitRules } from '../../src/facts/node/limit-ratios.js';
import { evictionRequest, hasLimits, podLimit, podRequestBytes } from '../../src/facts/node/limits.js';
import { podFindings } from '../../src/facts/node/pod-findings.js';
import { freedByEviction, signalUsage } from '../../src/facts/node/signal-usage.js';
import { mountedVolumeNames } from '../../src/facts/node/volume-usage.js';
import { findingReport } from '../../src/people/report/finding-report.js';
import {
  aContainer,
  aContainerSummary,
  aMount,
  aPod,
  aPodSummary,
  aVolume,
  aVolumeSummary,
} from '../support/builders.js';
import { heldBytes } from '../support/heap.js';
import {
  indexed,
  keptPod,
  manyContainers,
  mountedEmptyDirs,
  type PodParts,
  unmountedEmptyDirs,
} from '../support/hostile-pods.js';

const kibibyte = 2 ** 10;

const names = (items: readonly { readonly name: string }[]): readonly string[] => items.map(({ name }) => name);

describe('a pod with very many parts', () => {
  it('the first hundred containers and volumes of the spec are kept in detail, and the rest is counted', () => {
    const { containers, volumes, rest } = keptPod({
      initContainers: indexed(3, (index) => ({ name: `init${index}` })),
      containers: indexed(150, (index) => ({ name: `c${index}` })),
      volumes: indexed(250, (index) => ({ name: `v${index}`, emptyDir: {} })),
    });
    expect(names(containers)).toEqual(['init0', 'init1', 'init2', ...indexed(97, (index) => `c${index}`)]);
    expect(names(volumes)).toEqual(indexed(100, (index) => `v${index}`));
    expect(rest).toMatchObject({ containerCount: 53, volumeCount: 150, mountCount: 0, labelCount: 0 });
  });

  it('all parts of a pod with a hundred of each are kept', () => {
    const parts = { ...manyContainers(100), volumes: unmountedEmptyDirs(100).volumes ?? [] };
    expect(keptPod(parts, { labels: Object.fromEntries(indexed(100, (index) => [`k${index}`, ''])) }).rest).toBe(
      undefined,
    );
  });

  it('the first hundred labels of a pod are kept, and the rest is counted', () => {
    const labels = Object.fromEntries(indexed(130, (index) => [`k${index}`, 'x']));
    const pod = keptPod({}, { labels });
    expect(Object.keys(pod.labels)).toEqual(indexed(100, (index) => `k${index}`));
    expect(pod.rest).toMatchObject({ labelCount: 30, containerCount: 0 });
  });

  it('the first mounts are kept, as many as are bounded in number and in the length of their paths', () => {
    const many = keptPod(mountedEmptyDirs(10, 1_500));
    expect(many.containers[0]?.mounts).toHaveLength(1_000);
    expect(many.rest).toMatchObject({ mountCount: 500 });
    const long = keptPod({
      volumes: [{ name: 'v', emptyDir: {} }],
      containers: [
        {
          name: 'a',
          volumeMounts: indexed(3, (index) => ({ name: 'v', mountPath: `/${index}${'x'.repeat(40_000)}` })),
        },
        { name: 'b', volumeMounts: [{ name: 'v', mountPath: '/b' }] },
      ],
    });
    expect(long.containers.map(({ mounts }) => mounts.length)).toEqual([1, 1]);
    expect(long.rest).toMatchObject({ mountCount: 2 });
  });

  it('volumes that only a container of the rest mounts are known as mounted', () => {
    const pod = keptPod({
      volumes: indexed(600, (index) => ({ name: `v${index}`, emptyDir: {} })),
      containers: [
        ...indexed(100, (index) => ({ name: `c${index}` })),
        { name: 'last', volumeMounts: ['v1', 'v300', 'v599'].map((name) => ({ name, mountPath: `/${name}` })) },
      ],
    });
    expect([...mountedVolumeNames(pod)]).toEqual(['v1', 'v300', 'v599']);
    expect(names(measuredVolumes(pod).slice(100))).toEqual(['v300', 'v599']);
  });

  it('names of other objects that are too long for any object are not kept', () => {
    const long = 'x'.repeat(254);
    const ownerReferences = [{ kind: 'Foo', name: long, controller: true }];
    const mirror = { 'kubernetes.io/config.mirror': '', 'kubernetes.io/config.hash': long };
    expect(keptPod({}, { ownerReferences, annotations: mirror })).toMatchObject({
      controller: undefined,
      isStatic: true,
      kubeletUid: 'u1',
    });
    const longest = [{ kind: 'Foo', name: long.slice(1), controller: true }];
    expect(keptPod({}, { ownerReferences: longest }).controller?.name).toHaveLength(253);
  });
});

const amount: fc.Arbitrary<number | undefined> = fc.option(fc.nat(50), { nil: undefined });
const drawnContainers = fc
  .array(fc.record({ kind: fc.constantFrom('init', 'sidecar', 'app', 'ephemeral'), limit: amount, request: amount }), {
    minLength: 90,
    maxLength: 300,
    size: 'max',
  })
  .map((drawn): readonly Container[] => {
    const order = ['init', 'app', 'ephemeral'];
    const placeOf = ({ kind }: { readonly kind: string }): number => order.indexOf(kind === 'sidecar' ? 'init' : kind);
    return drawn
      .toSorted((a, b) => placeOf(a) - placeOf(b))
      .map(({ kind, limit, request }, index) =>
        aContainer({ name: `c${index}`, kind, limitBytes: limit, requestBytes: request }),
      );
  });
const drawnVolumes = fc
  .array(
    fc.record({
      type: fc.constantFrom('emptydir', 'configmap', 'hostpath', 'secret'),
      medium: fc.constantFrom('', 'Memory'),
      sizeLimitBytes: fc.option(fc.integer({ min: 1, max: 50 }), { nil: undefined }),
      isMounted: fc.boolean(),
    }),
    { minLength: 90, maxLength: 300, size: 'max' },
  )
  .map((drawn) =>
    drawn.map(({ type, medium, sizeLimitBytes, isMounted }, index) => {
      const ofEmptyDir = type === 'emptydir' ? { medium, sizeLimitBytes } : {};
      return { isMounted, volume: aVolume({ name: `v${index}`, type, ...ofEmptyDir }) };
    }),
  );

function rawContainer({ name, limitBytes, requestBytes, kind, mounts }: Container): object {
  const amountOf = (bytes: Amount | undefined): object =>
    bytes === undefined ? {} : { 'ephemeral-storage': String(roundUp(bytes)) };
  return {
    name,
    resources: { limits: amountOf(limitBytes), requests: amountOf(requestBytes) },
    volumeMounts: mounts.map(({ volumeName, path }) => ({ name: volumeName, mountPath: path })),
    ...(kind === 'sidecar' ? { restartPolicy: 'Always' } : {}),
  };
}

const sources: Readonly<Record<string, string>> = { configmap: 'configMap', hostpath: 'hostPath', secret: 'secret' };

function rawVolume({ name, type, medium, sizeLimitBytes }: Volume): object {
  if (type !== 'emptydir') return { name, [sources[type] ?? '']: {} };
  const sizeLimit = sizeLimitBytes === undefined ? {} : { sizeLimit: String(roundUp(sizeLimitBytes)) };
  return { name, emptyDir: { ...(medium === '' ? {} : { medium }), ...sizeLimit } };
}

interface Drawn {
  /** As if there was no bound. */
  readonly whole: Pod;
  readonly kept: Pod;
  readonly summary: PodSummary;
}

const drawnPods: fc.Arbitrary<Drawn> = fc
  .record({ containers: drawnContainers, volumes: drawnVolumes, used: fc.func(fc.nat(100)), mounting: fc.nat(400) })
  .map(({ containers: drawn, volumes, used, mounting }) => {
    const mounts = volumes.flatMap(({ isMounted, volume: { name } }) => (isMounted ? [aMount(name)] : []));
    const containers = drawn.map((container, index) =>
      index === mounting % drawn.length ? { ...container, mounts } : container,
    );
    const ofKind = (...kinds: readonly string[]) =>
      containers.filter(({ kind }) => kinds.includes(kind)).map(rawContainer);
    const specs = volumes.map(({ volume }) => volume);
    const kept = keptPod({
      initContainers: ofKind('init', 'sidecar'),
      containers: ofKind('app'),
      ephemeralContainers: ofKind('ephemeral'),
      volumes: specs.map(rawVolume),
    } as PodParts);
    const summary = aPodSummary({
      usedBytes: used('pod'),
      containers: containers.map(({ name }) =>
        aContainerSummary({ name, rootfsBytes: used(name), logsBytes: used(`logs-${name}`) }),
      ),
      volumes: volumes.flatMap(({ isMounted, volume: { name, type } }) =>
        isMounted || type === 'hostpath'
          ? [aVolumeSummary({ name, usedBytes: used(name), inodesUsed: used(name) })]
          : [],
      ),
    });
    return { whole: aPod({ containers, volumes: specs }), kept, summary };
  });

const ratiosOf = (pod: Pod, summary: PodSummary): readonly LimitRatio[] =>
  limitRatios({ pod, summary, hasDedicatedImagefs: false, enforcesSidecars: true, resizesVolumes: false });
/** Above 1, only whether the rule is broken counts: the first is named. */
function expectNearest(kept: readonly LimitRatio[], whole: readonly LimitRatio[], rule: LimitRule): void {
  const [shown, all] = [kept, whole].map((ratios) => largest(ratios.filter((ratio) => ratio.rule === rule)));
  expect(Math.min(shown ?? -1, 1.001)).toBe(Math.min(all ?? -1, 1.001));
}

const largest = (ratios: readonly LimitRatio[]): number => Math.max(-1, ...ratios.map(({ ratio }) => ratio));

it('the rules of the kubelet see all containers and volumes of a pod, also those not kept in detail', () => {
  fc.assert(
    fc.property(drawnPods, ({ whole, kept, summary }) => {
      expect(podLimit(kept)).toEqual(podLimit(whole));
      expect(podRequestBytes(kept)).toEqual(podRequestBytes(whole));
      for (const version of ['v1.33.0', 'v1.37.1']) {
        expect(evictionRequest(kept, version)).toEqual(evictionRequest(whole, version));
      }
      expect(hasLimits(kept)).toBe(hasLimits(whole));
      const [ofWhole, ofKept] = [ratiosOf(whole, summary), ratiosOf(kept, summary)];
      expect(ofKept.find(({ ratio }) => ratio > 1)).toEqual(ofWhole.find(({ ratio }) => ratio > 1));
      for (const rule of limitRules) expectNearest(ofKept, ofWhole, rule);
      expect(ofKept.length).toBeLessThanOrEqual(203);
      for (const signal of ['nodefs.available', 'nodefs.inodesFree'] as const) {
        const input = { summary, signal, layout: 'dedicated' } as const;
        expect(signalUsage({ ...input, pod: kept })).toBe(signalUsage({ ...input, pod: whole }));
        expect(freedByEviction({ ...input, pod: kept })).toBe(freedByEviction({ ...input, pod: whole }));
      }
      const usageOf = (pod: Pod) => attributePod({ summary, pod, mode: 'measured' });
      expect(usageOf(kept).components).toEqual(usageOf(whole).components);
      expect(usageOf(kept).volumesPending).toBe(usageOf(whole).volumesPending);
    }),
    { numRuns: 20 },
  );
});

describe('findings of a pod with very many parts', () => {
  const textsOf = (pod: Pod): readonly string[] =>
    podFindings({
      pod,
      summary: undefined,
      node: undefined,
      isNearPressure: false,
      logRotation: undefined,
      unenforced: undefined,
    }).map((finding) => findingReport({ pod, finding }).what);

  it('findings count the volumes of a pod that no container mounts, and name what is not kept', () => {
    expect(textsOf(keptPod(unmountedEmptyDirs(60_000)))).toEqual([
      'no container mounts emptyDir v0 and 59,999 other volumes',
      'not kept by name, beside the first 100 of each: 59,900 volumes',
    ]);
    const { volumes = [], containers = [] } = mountedEmptyDirs(101, 2_000);
    const others = indexed(101, (index) => ({ name: `c${index}` }));
    expect(textsOf(keptPod({ volumes, containers: [...containers, ...others] }))).toEqual([
      'not kept by name, beside the first 100 of each: 2 containers, 1 volume, 1,000 mounts',
    ]);
  });

  it('findings name the container that alone has a limit, and the rest as one', () => {
    const containers = [
      { name: 'c0', resources: { limits: { 'ephemeral-storage': '1Ki' } } },
      ...indexed(120, (index) => ({ name: `d${index}` })),
    ];
    expect(textsOf(keptPod({ containers }))[0]).toMatch(/ comes from container c0 alone; .*d98, \(others\)/);
  });
});

function largestLabels(podName: string): Readonly<Record<string, string>> {
  const entryOf = (at: number): [key: string, value: string] => [
    `${`${podName}.`.padEnd(253, 'y')}/${`k${at}`.padEnd(63, 'x')}`,
    `l${at}-${podName}`.padEnd(63, 'x'),
  ];
  return Object.fromEntries(indexed(100, entryOf));
}

/** With the most names, mounts and runs that are kept, all as long as they can be; of volumes or of statuses, one at a time. */
function largestOfAll(podName: string, { volumeCount, statusCount }: Readonly<Record<string, number>>): object {
  const long = (prefix: string): string => `${prefix}-${podName}-`.padEnd(63, 'x');
  const resources = { limits: { 'ephemeral-storage': '1Gi' } };
  const statuses = indexed(statusCount ?? 0, (at) => ({
    name: long(`c${at}`),
    restartCount: at,
    state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
  }));
  return {
    metadata: { labels: largestLabels(podName) },
    spec: {
      nodeName: 'node-1',
      volumes: indexed(volumeCount ?? 0, (at) => ({ name: long(`v${at}`), emptyDir: { sizeLimit: '1Gi' } })),
      containers: indexed(500, (at) => ({
        name: long(`c${at}`),
        resources,
        volumeMounts: indexed(at < 100 ? 10 : 13, (mount) => ({
          name: long(`v${at < 100 ? at * 5 + (mount % 5) : at + 400 * mount}`),
          mountPath: `/${podName}/${at}/${mount}/`.padEnd(at < 100 ? 65 : 0, '\u4e00'), // two bytes each
        })),
      })),
    },
    status: { phase: 'Running', containerStatuses: statuses },
  };
}

describe('memory for pods of the largest size', { timeout: 60_000 }, () => {
  /** Of each pod; no two of them have a part in common. */
  async function keptBytes(make: (podName: string) => object): Promise<number> {
    const podCount = 16; // so many that what the heap holds besides counts little for each
    const intern = createInterner(8 * 2 ** 20);
    const dedupe = createDedupe();
    const objects = indexed(podCount, (index) => textOf(`p${index}`, make(`p${index}`)));
    const beforeBytes = heldBytes();
    const pods = objects.map((text) => projectPod(JSON.parse(text), intern, dedupe));
    await nextTurn(); // until then, V8 keeps what they were made from
    const retained = heldBytes() - beforeBytes;
    expect([pods, intern(''), dedupe(pods)]).toHaveLength(3);
    return retained / podCount;
  }

  function textOf(name: string, { metadata, ...parts }: { readonly metadata?: object }): string {
    const meta = { name, namespace: 'shop', uid: name, resourceVersion: '1', ...metadata };
    return JSON.stringify({ metadata: meta, ...parts });
  }

  const ownerOf = (kind: string) => ({ controller: true, kind, name: 'x' });
  const manyLabels = (podName: string) => Object.fromEntries(indexed(20_000, (at) => [`${podName}${at}`, `v${at}`]));
  const mountedAt = (count: number, pathOf: (at: number) => string): PodParts => ({
    volumes: [{ name: 'v', emptyDir: {} }],
    containers: [{ name: 'a', volumeMounts: indexed(count, (at) => ({ name: 'v', mountPath: pathOf(at) })) }],
  });

  it.each<[string, (podName: string) => PodParts & { readonly metadata?: object }, number?]>([
    ['unmounted emptyDirs', (podName) => unmountedEmptyDirs(60_000, podName)],
    ['mounted emptyDirs', (podName) => mountedEmptyDirs(25_000, 40_000, podName), 300],
    ['mounted emptyDirs with long names', (podName) => mountedEmptyDirs(9_500, 9_500, podName.padEnd(58, 'x')), 600],
    ['containers', (podName) => manyContainers(5_000, podName)],
    ['labels', (podName) => ({ metadata: { labels: manyLabels(podName) } })],
    ['names of an owner', (podName) => ({ metadata: { ownerReferences: [ownerOf(podName.padEnd(1e6))] } })],
    ['paths', (podName) => mountedAt(300, (at) => `/${podName}${at}${'x'.repeat(4_000)}`)],
    [
      'mounts with paths of two bytes for a character',
      (podName) => mountedAt(2_000, (at) => `/${podName}${at}`.padEnd(65, '\u4e00')),
    ],
  ])('memory for a pod of the largest size is that of a small part of it: %s', async (_case, make, maxKib = 250) => {
    const bytes = await keptBytes((podName) => {
      const { metadata = {}, ...spec } = make(podName);
      return { metadata, spec };
    });
    expect(bytes).toBeLessThan(maxKib * kibibyte);
  });

  // An object cannot have the most of both.
  it.each([
    { volumeCount: 500, statusCount: 5_000 },
    { volumeCount: 5_500, statusCount: 101 },
  ])('memory for a pod is less than 1 MiB, with the most of everything that is kept: %j', async (counts) => {
    expect(await keptBytes((podName) => largestOfAll(podName, counts))).toBeLessThan(1_024 * kibibyte);
  });

  it.each<[string, (podName: string) => object]>([
    ['labels', (podName) => ({ metadata: { labels: largestLabels(podName) } })],
    ['a path', (podName) => ({ spec: mountedAt(1, () => `/${podName}`.padEnd(65_000, 'p')) })],
  ])('memory for pods that are patched or created again, one at a time, goes with them: %s', async (_case, make) => {
    const intern = createInterner(2 ** 20);
    const dedupe = createDedupe();
    const replaceMany = async (first: number): Promise<Pod | undefined> => {
      let last: Pod | undefined;
      for (let index = first; index < first + 100; index += 1) {
        last = projectPod(JSON.parse(textOf(`p${index}`, make(`p${index}`))), intern, dedupe);
        await nextTurn(); // until then, V8 keeps what a WeakRef refers to
      }
      return last;
    };
    const pods = [await replaceMany(0)];
    const beforeBytes = heldBytes();
    pods.push(await replaceMany(100));
    expect(heldBytes() - beforeBytes).toBeLessThan(1.5 * 2 ** 20);
    expect(pods).toHaveLength(2);
  });
});
