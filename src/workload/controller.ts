import type { Controller, Pod } from '../kube/objects.js';

/** The kinds that kubernetes-mixin has a workload type for; `Pod`: without a controller, `Node`: static. */
const controllerTypes: ReadonlyMap<string, string> = new Map([
  ['Deployment', 'deployment'],
  ['StatefulSet', 'statefulset'],
  ['DaemonSet', 'daemonset'],
  ['ReplicaSet', 'replicaset'],
  ['Job', 'job'],
  ['CronJob', 'cronjob'],
  ['Pod', 'barepod'],
  ['Node', 'staticpod'],
]);

/** The value of the label `workload_type` for a kind of controller. */
export function controllerType(kind: string): string {
  return controllerTypes.get(kind) ?? kind.toLowerCase();
}

/**
 * What a pod belongs to, as people know it: the controlling owner, where a ReplicaSet stands for its Deployment and a
 * Job for its CronJob. Read from the pod's own names, so that no further API access is needed.
 */
export function controllerOf(pod: Pod): Controller {
  if (pod.isStatic) return { kind: 'Node', name: withoutSuffix(pod.name, pod.nodeName) ?? pod.name };
  const { controller } = pod;
  if (controller === undefined) return { kind: 'Pod', name: pod.name };
  if (controller.kind === 'ReplicaSet') return ofReplicaSet(controller, pod);
  return controller.kind === 'Job' ? ofJob(controller) : controller;
}

/** A Deployment names its ReplicaSets after itself and the hash with which it labels their pods: exact. */
function ofReplicaSet(replicaSet: Controller, { labels }: Pod): Controller {
  const deployment = withoutSuffix(replicaSet.name, labels['pod-template-hash']);
  return deployment === undefined ? replicaSet : { kind: 'Deployment', name: deployment };
}

/** A CronJob names its Jobs after itself and the scheduled time: minutes (eight digits) or seconds since the epoch. */
function ofJob(job: Controller): Controller {
  const cronJob = /^(?<name>.+)-\d{8,}$/.exec(job.name)?.groups?.['name'];
  return cronJob === undefined ? job : { kind: 'CronJob', name: cronJob };
}

/** What comes before `-suffix`; undefined when the name does not end so or nothing comes before. */
function withoutSuffix(name: string, suffix: string | undefined): string | undefined {
  if (!suffix || !name.endsWith(`-${suffix}`)) return undefined;
  return name.slice(0, -suffix.length - 1) || undefined;
}
