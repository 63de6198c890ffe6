import type { Controller, Pod } from '../../cluster/kube/objects.js';

/** Words of kubernetes-mixin for what stands in for a controller; other types are the kind in lower case, as there. */
const controllerTypes: ReadonlyMap<string, string> = new Map([
  ['Pod', 'barepod'],
  ['Node', 'staticpod'],
]);

/** The value of the label `workload_type` for a kind of controller. */
export function controllerType(kind: string): string {
  return controllerTypes.get(kind) ?? kind.toLowerCase();
}

/**
 * Finds what a pod belongs to, as people know it: the controlling owner, where a ReplicaSet stands for its Deployment or Argo
 * Rollout and a Job for its CronJob. Read from the pod's own names, so that no further API access is needed. DeploymentConfigs
 * are found in the projection of the pod.
 */
export function controllerOf(pod: Pod): Controller {
  if (pod.isStatic) return { kind: 'Node', name: withoutSuffix(pod.name, pod.nodeName) ?? pod.name };
  const { controller } = pod;
  if (controller === undefined) return { kind: 'Pod', name: pod.name };
  if (controller.isForeign === true) return controller;
  if (controller.kind === 'ReplicaSet') return ofReplicaSet(controller, pod);
  return controller.kind === 'Job' ? ofJob(controller) : controller;
}

/** The labels that hold the hash with which an owner of ReplicaSets completes its name to theirs: exact. */
const hashLabels = [
  ['Deployment', 'pod-template-hash'],
  ['Rollout', 'rollouts-pod-template-hash'],
] as const;

function ofReplicaSet(replicaSet: Controller, { labels }: Pod): Controller {
  for (const [kind, label] of hashLabels) {
    const name = withoutSuffix(replicaSet.name, labels[label]);
    if (name !== undefined) return { kind, name };
  }
  return replicaSet;
}

/**
 * A CronJob names its Jobs after itself and the scheduled time in minutes since 1970: from mid-2019, before the first version
 * that does so, to 2046. Dates such as `-20261127` are below. https://github.com/kubernetes/kubernetes/pull/100537
 */
const scheduledMinutes = { min: 26_000_000, max: 40_000_000 };

function ofJob(job: Controller): Controller {
  const { name, minutes = 0 } = /^(?<name>.+)-(?<minutes>\d{8})$/.exec(job.name)?.groups ?? {};
  const isScheduled = Number(minutes) >= scheduledMinutes.min && Number(minutes) <= scheduledMinutes.max;
  return name === undefined || !isScheduled ? job : { kind: 'CronJob', name };
}

/** What comes before `-suffix`; undefined when the name does not end so or nothing comes before. */
function withoutSuffix(name: string, suffix: string | undefined): string | undefined {
  if (!suffix || !name.endsWith(`-${suffix}`)) return undefined;
  return name.slice(0, -suffix.length - 1) || undefined;
}
