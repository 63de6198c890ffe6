import { shellWord } from '../../lib/base/text.js';
import type { WorkloadReference } from './workload-report.js';

/** Not those of jobs: their templates are immutable. */
const kindsOfPods: ReadonlySet<string> = new Set(['deployment', 'statefulset', 'daemonset', 'cronjob']);

/** Custom resources too: kubectl cannot set one of their fields, nor find their pods. */
const editedKinds: ReadonlySet<string> = new Set([...kindsOfPods, 'rollout', 'deploymentconfig']);

/** Returns the arguments of kubectl that name the workload whose specification the pod has: `-n shop deployment/cart`. */
export function ownerTarget(workloads: readonly WorkloadReference[], kinds = kindsOfPods): string | undefined {
  const owner = ownerOf(workloads, kinds);
  return owner && `-n ${shellWord(owner.workloadNamespace)} ${shellWord(`${owner.workloadType}/${owner.workload}`)}`;
}

export function ownerOf(workloads: readonly WorkloadReference[], kinds = kindsOfPods): WorkloadReference | undefined {
  return workloads.find(({ workloadType }) => kinds.has(workloadType));
}

export function ownerCommand(verb: 'describe' | 'edit', workloads: readonly WorkloadReference[]): readonly string[] {
  const target = ownerTarget(workloads, editedKinds);
  return target === undefined ? [] : [`kubectl ${verb} ${target}`];
}
