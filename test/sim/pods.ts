import { scheduledPod, started } from '../../sim/model/pod-states.js';
import type { SimulatedPod } from '../../sim/model/simulated-pod.js';
import type { PodSpec } from '../../sim/model/specs.js';

/** A running pod with one container, on `node-1` of the namespace `default` unless the test says otherwise. */
export function podSpec(name: string, more: Partial<PodSpec> = {}): PodSpec {
  return {
    namespace: 'default',
    name,
    nodeName: 'node-1',
    containers: [{ name: 'app', rootfs: { initialBytes: 8192 }, logs: { initialBytes: 4096 } }],
    ...more,
  };
}

/** A pod of {@link podSpec} without a cluster, just started. */
export function startedPod(name: string, more: Partial<PodSpec>, nowMs: number, firstVolumePassMs = 0): SimulatedPod {
  const birth = { uid: name, kubeletUid: name, ownerUid: undefined, pace: 1, firstVolumePassMs, nowMs };
  return started(scheduledPod(podSpec(name, more), birth), nowMs);
}
