import { shellWord } from '../base/text.js';
import type { Pod } from '../kube/objects.js';
import type { LimitReport } from './limit-report.js';
import type { WorkloadReference } from './workload-report.js';

/** Not those of jobs: their templates are immutable. */
const kindsOfPods: ReadonlySet<string> = new Set(['deployment', 'statefulset', 'daemonset', 'cronjob']);

/** Returns the arguments of kubectl that name the workload whose specification the pod has: `-n shop deployment/cart`. */
export function ownerTarget(workloads: readonly WorkloadReference[]): string | undefined {
  const owner = ownerOf(workloads);
  return owner && `-n ${shellWord(owner.workloadNamespace)} ${shellWord(`${owner.workloadType}/${owner.workload}`)}`;
}

export function ownerOf(workloads: readonly WorkloadReference[]): WorkloadReference | undefined {
  return workloads.find(({ workloadType }) => kindsOfPods.has(workloadType));
}

export function ownerEdit(workloads: readonly WorkloadReference[]): readonly string[] {
  const target = ownerTarget(workloads);
  return target === undefined ? [] : [`kubectl edit ${target}`];
}

/** What the container writes, or the one that mounts the volume; without a container of the limit, the first one. */
export function lookInside(pod: Pod | undefined, limit: LimitReport | undefined): readonly string[] {
  if (pod === undefined || limit === undefined) return [];
  const { container, volume } = limit;
  const [place] = pod.containers.flatMap(({ name, mounts }) => {
    if (container !== undefined && name !== container) return [];
    if (volume === undefined) return [{ name, path: '/' }];
    const mount = mounts.find(({ volumeName }) => volumeName === volume);
    return mount === undefined ? [] : [{ name, path: mount.path }];
  });
  if (place === undefined) return [];
  const target = `-n ${shellWord(pod.namespace)} ${shellWord(pod.name)} -c ${shellWord(place.name)}`;
  return [`kubectl exec ${target} -- sh -c ${shellWord(`du -xkd3 ${shellWord(place.path)} | sort -n | tail -20`)}`];
}
