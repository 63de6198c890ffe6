import { addKnown } from '../base/merge.js';
import type { NodeSnapshot, PodSnapshot } from '../node/node-state.js';
import { unnamedContainer, unnamedVolume } from '../node/unknown-items.js';
import { type Component, components, type PodUsage } from '../node/usage.js';

/** The snapshot with its nameless pods as one, without namespace and name, so that sums over a node stay right. */
export function withNamelessAsOne(snapshot: NodeSnapshot): NodeSnapshot {
  const nameless = snapshot.pods.filter(({ isNameless }) => isNameless);
  if (nameless.length === 0) return snapshot;
  return { ...snapshot, pods: [...snapshot.pods.filter(({ isNameless }) => isNameless !== true), together(nameless)] };
}

function together(pods: readonly PodSnapshot[]): PodSnapshot {
  const usage = sumOf(pods.map((pod) => pod.usage));
  const { usedBytes, inodesUsed } = usage;
  const common = { namespace: '', name: '', startTimeMs: undefined };
  return {
    ...common,
    pod: undefined,
    summary: { ...common, uid: '', usedBytes, inodesUsed, ioPressure: undefined, containers: [], volumes: undefined },
    usage,
    limitBytes: undefined,
    requestBytes: undefined,
    ratios: [],
    workloads: [],
  };
}

function sumOf(usages: readonly PodUsage[]): PodUsage {
  const sums: Record<Component, number> = { rootfs: 0, logs: 0, emptydir: 0, configmap: 0, other: 0 };
  for (const usage of usages) for (const component of components) sums[component] += usage.components[component];
  return {
    usedBytes: usages.reduce((sum, { usedBytes }) => sum + usedBytes, 0),
    inodesUsed: usages.map(({ inodesUsed }) => inodesUsed).reduce(addKnown, undefined),
    components: sums,
    containers: unnamedContainer(usages.flatMap(({ containers }) => containers)),
    volumes: unnamedVolume(usages.flatMap(({ volumes }) => volumes)),
    volumesPending: false,
  };
}
