import { describe, expect, it } from 'vitest';

import { podUsage } from '../../sim/model/pod-usage.js';
import type { SimulatedPod } from '../../sim/model/simulated-pod.js';
import type { PodSpec, VolumeSource, VolumeSpec } from '../../sim/model/specs.js';
import { capturesNeeded, hasCaptures, readRecording } from '../support/captures.js';
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
