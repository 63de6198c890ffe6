import { describe, expect, it } from 'vitest';

import { podUsage, tmpfsBytes } from '../../sim/model/pod-usage.js';
import type { SimulatedPod } from '../../sim/model/simulated-pod.js';
import type { PodSpec, VolumeSource, VolumeSpec } from '../../sim/model/specs.js';
import { capturesNeeded, hasCaptures, readRecording } from '../support/captures.js';
import { gib, mib } from '../support/units.js';
import { startedPod } from './pods.js';

const startedAtMs = Date.UTC(2026, 0, 1);
const firstVolumePassMs = 10_000;

const running = (spec: Partial<PodSpec>): SimulatedPod => startedPod('a', spec, startedAtMs, firstVolumePassMs);

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
describe('the usage of a pod as the kubelet reports it', () => {
  it.each<[string, number | undefined, readonly (number | undefined)[] | undefined, number]>([
    ['its size limit', 32 * mib, undefined, 32 * mib],
    ['its size limit in whole pages', 30_000_000, undefined, 30_003_200],
    ['what containers may have of memory', gib, [64 * mib, 32 * mib], 96 * mib],
    ['its size limit, when one container has no limit of memory', gib, [64 * mib, undefined], gib],
    ['the memory of the node', undefined, undefined, 16 * gib],
  ])('a volume in memory holds %s', (_what, sizeLimitBytes, memoryLimits = [undefined], expected) => {
    const container = { name: 'app', rootfs: { initialBytes: 0 }, logs: { initialBytes: 0 } };
    const content = { initialBytes: 20 * gib };
    const pod = running({
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
    });
    const usage = podUsage(pod, { nowMs: startedAtMs + firstVolumePassMs });
    expect(usage?.volumes?.map(({ spec: each, usedBytes }) => [tmpfsBytes(each, pod), usedBytes])).toEqual([
      [expected, expected],
    ]);
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
    const ours = running({ containers, volumes, isStatic });
    const usage = podUsage(ours, { nowMs: startedAtMs + firstVolumePassMs });
    expect(usage?.totalBytes).toBe(pod['ephemeral-storage'].usedBytes);
  });
});
