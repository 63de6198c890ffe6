import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { blockBytes } from '../../sim/model/growth.js';
import { completed, scheduledPod, started } from '../../sim/model/pod-states.js';
import { podUsage, tmpfsBytes } from '../../sim/model/pod-usage.js';
import type { SimulatedPod } from '../../sim/model/simulated-pod.js';
import type { ContainerSpec, PodSpec, VolumeSource, VolumeSpec } from '../../sim/model/specs.js';
import { capturesNeeded, hasCaptures, readRecording } from '../support/captures.js';
import { gib, mib } from '../support/units.js';
import { podSpec } from './pods.js';

const startedAtMs = Date.UTC(2026, 0, 1);
const firstVolumePassMs = 10_000;

function running(spec: PodSpec): SimulatedPod {
  const birth = { uid: 'u', kubeletUid: 'u', ownerUid: undefined, pace: 1, firstVolumePassMs, nowMs: startedAtMs };
  return started(scheduledPod(spec, birth), startedAtMs);
}

const sources: readonly VolumeSource[] = [
  'emptyDir',
  'configMap',
  'gitRepo',
  'secret',
  'projected',
  'downwardAPI',
  'hostPath',
  'persistentVolumeClaim',
];
const growth = fc.record({
  initialBytes: fc.integer({ min: 0, max: 10 ** 9 }),
  bytesPerSecond: fc.integer({ min: 0, max: 10 ** 6 }),
});
const container: fc.Arbitrary<ContainerSpec> = fc.record({
  name: fc.constant('app'),
  kind: fc.constantFrom('app', 'sidecar', 'init'),
  rootfs: growth,
  logs: growth,
});
const volume: fc.Arbitrary<VolumeSpec> = fc.record(
  {
    name: fc.constant('data'),
    source: fc.constantFrom(...sources),
    medium: fc.constant('Memory' as const),
    content: growth,
  },
  { requiredKeys: ['name', 'source', 'content'] },
);
const spec: fc.Arbitrary<PodSpec> = fc
  .record({ containers: fc.array(container), volumes: fc.array(volume), isStatic: fc.boolean() })
  .map((more) => podSpec('a', more));

const isCounted = ({ source, medium }: VolumeSpec): boolean =>
  source === 'configMap' || (source === 'emptyDir' && medium === undefined);

describe('the usage of a pod as the kubelet reports it', () => {
  it('the usage of a pod adds up writable layers, logs, the volumes on disk and the hosts file', () => {
    fc.assert(
      fc.property(spec, fc.integer({ min: 0, max: 10 ** 7 }), (each, ageMs) => {
        const usage = podUsage(running(each), { nowMs: startedAtMs + ageMs });
        const measured = each.containers.filter(({ kind }) => kind !== 'init');
        expect(usage === undefined).toBe(measured.length === 0);
        if (usage === undefined) return;
        let expected = each.isStatic === true ? 0 : blockBytes;
        for (const { rootfsBytes, logsBytes } of usage.containers) expected += rootfsBytes + logsBytes;
        for (const one of usage.volumes ?? []) if (isCounted(one.spec)) expected += one.usedBytes;
        expect(usage.containers.length).toBe(measured.length);
        expect(usage.totalBytes).toBe(expected);
        expect(usage.totalBytes % blockBytes).toBe(0);
      }),
    );
  });

  it('the usage of a pod lists every volume except host paths and git repositories, from the first pass on', () => {
    fc.assert(
      fc.property(spec, fc.integer({ min: 0, max: 2 * firstVolumePassMs }), (each, ageMs) => {
        const usage = podUsage(running(podSpec('a', { volumes: each.volumes ?? [] })), { nowMs: startedAtMs + ageMs });
        const listed = (each.volumes ?? []).filter(({ source }) => source !== 'hostPath' && source !== 'gitRepo');
        expect(usage?.volumes?.length).toBe(ageMs < firstVolumePassMs ? undefined : listed.length);
      }),
    );
  });

  it('the usage of a pod neither lists nor counts a volume that no container mounts', () => {
    const container = { name: 'app', rootfs: { initialBytes: 0 }, logs: { initialBytes: 0 }, mounts: ['used'] };
    const content = { initialBytes: blockBytes };
    const pod = running(
      podSpec('a', {
        containers: [container],
        volumes: ['used', 'unused'].map((name) => ({ name, source: 'emptyDir' as const, content })),
      }),
    );
    const usage = podUsage(pod, { nowMs: startedAtMs + firstVolumePassMs });
    expect(usage?.volumes?.map((each) => each.spec.name)).toEqual(['used']);
    expect(usage?.totalBytes).toBe(2 * blockBytes);
  });

  it.each<[string, number | undefined, readonly (number | undefined)[] | undefined, number]>([
    ['its size limit', 32 * mib, undefined, 32 * mib],
    ['its size limit in whole pages', 30_000_000, undefined, 30_003_200],
    ['what containers may have of memory', gib, [64 * mib, 32 * mib], 96 * mib],
    ['its size limit, when one container has no limit of memory', gib, [64 * mib, undefined], gib],
    ['the memory of the node', undefined, undefined, 16 * gib],
  ])('a volume in memory holds %s', (_what, sizeLimitBytes, memoryLimits = [undefined], expected) => {
    const container = { name: 'app', rootfs: { initialBytes: 0 }, logs: { initialBytes: 0 } };
    const content = { initialBytes: 20 * gib };
    const pod = running(
      podSpec('a', {
        containers: memoryLimits.map((memoryLimitBytes) => ({
          ...container,
          ...(memoryLimitBytes !== undefined && { memoryLimitBytes }),
        })),
        volumes: [
          {
            name: 'data',
            source: 'emptyDir',
            medium: 'Memory',
            content,
            ...(sizeLimitBytes !== undefined && { sizeLimitBytes }),
          },
        ],
      }),
    );
    const usage = podUsage(pod, { nowMs: startedAtMs + firstVolumePassMs });
    expect(usage?.volumes?.map(({ spec: each, usedBytes }) => [tmpfsBytes(each, pod), usedBytes])).toEqual([
      [expected, expected],
    ]);
  });

  it('the usage of a pod has volumes of each minute, layers of each ten seconds and logs of the request', () => {
    const each = { initialBytes: 0, bytesPerSecond: blockBytes };
    const pod = running(
      podSpec('a', {
        containers: [{ name: 'app', rootfs: each, logs: each }],
        volumes: [{ name: 'data', source: 'emptyDir', content: each }],
      }),
    );
    const blocksAt = (ageMs: number): readonly (number | undefined)[] => {
      const usage = podUsage(pod, { nowMs: startedAtMs + ageMs });
      return [usage?.volumes?.[0]?.usedBytes, usage?.containers[0]?.rootfsBytes, usage?.containers[0]?.logsBytes].map(
        (bytes) => bytes && bytes / blockBytes,
      );
    };
    expect(blocksAt(9_000)).toEqual([undefined, 0, 9]);
    expect(blocksAt(10_000)).toEqual([10, 10, 10]);
    expect(blocksAt(69_000)).toEqual([10, 60, 69]);
    expect(blocksAt(70_000)).toEqual([70, 70, 70]);
  });

  it('the usage of a pod has its volumes measured again after a restart of the kubelet', () => {
    const pod = running(
      podSpec('a', { volumes: [{ name: 'data', source: 'emptyDir', content: { initialBytes: 0 } }] }),
    );
    const restartedAtMs = startedAtMs + 100_000;
    expect(podUsage(pod, { nowMs: restartedAtMs + 9_999, restartedAtMs })?.volumes).toBeUndefined();
    expect(podUsage(pod, { nowMs: restartedAtMs + 10_000, restartedAtMs })?.volumes?.length).toBe(1);
  });

  it('the usage of a completed pod is undefined', () => {
    expect(podUsage(completed(running(podSpec('a')), startedAtMs), { nowMs: startedAtMs })).toBeUndefined();
  });
});

interface RecordedPod {
  readonly podRef: { readonly name: string };
  readonly containers: readonly { name: string; rootfs: { usedBytes: number }; logs: { usedBytes: number } }[];
  readonly volume?: readonly { name: string; usedBytes: number }[];
  readonly 'ephemeral-storage': { readonly usedBytes: number };
}

interface ApiPod {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: { readonly volumes?: readonly ({ name: string } & Record<string, unknown>)[] };
}

describe.skipIf(!hasCaptures)(`the recorded kubelet (${capturesNeeded})`, () => {
  const recorded =
    (JSON.parse(readRecording('live/kubelet_1_26_summary.json') || '{}') as { pods?: RecordedPod[] }).pods ?? [];
  const apiPods =
    (JSON.parse(readRecording('live/kubelet_1_26_pods.json') || '{}') as { items?: ApiPod[] }).items ?? [];

  it.each(recorded.map((pod) => [pod.podRef.name, pod] as const))('recorded pods add up like ours: %s', (name, pod) => {
    const { metadata, spec: apiSpec } = apiPods.find((each) => each.metadata.name === name) ?? {
      metadata: { name },
      spec: {},
    };
    const volumes = (pod.volume ?? []).map((each): VolumeSpec => {
      const declared = apiSpec.volumes?.find((one) => one.name === each.name) ?? { name: each.name };
      const source = sources.find((one) => one in declared) ?? 'emptyDir';
      const isMemory = JSON.stringify(declared).includes('Memory');
      return {
        name: each.name,
        source,
        ...(isMemory && { medium: 'Memory' }),
        content: { initialBytes: each.usedBytes },
      };
    });
    const containers = pod.containers.map((each) => ({
      name: each.name,
      rootfs: { initialBytes: each.rootfs.usedBytes },
      logs: { initialBytes: each.logs.usedBytes },
    }));
    const isStatic = metadata.annotations?.['kubernetes.io/config.hash'] !== undefined;
    const ours = running(podSpec(name, { containers, volumes, isStatic }));
    const usage = podUsage(ours, { nowMs: startedAtMs + firstVolumePassMs });
    expect(usage?.totalBytes).toBe(pod['ephemeral-storage'].usedBytes);
  });
});
