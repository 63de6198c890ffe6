import type { ClusterModel } from './cluster-model.js';
import type { ScenarioContext } from './scenario.js';
import type { SimulatedPod } from './simulated-pod.js';
import type { OwnerSpec, PodSpec } from './specs.js';

type Labels = Readonly<Record<string, string>>;

/** A workload whose pods run on the given nodes, one on each. */
export interface WorkloadSpec extends Pick<PodSpec, 'namespace' | 'name' | 'containers' | 'volumes'> {
  readonly nodeNames: readonly string[];
}

export interface DeploymentSpec extends WorkloadSpec {
  /** Interval at which one pod after the other is deleted and replaced. Default: never. */
  readonly replaceEveryMs?: number;
}

export interface CronJobSpec extends WorkloadSpec {
  readonly everyMs: number;
  /** How long a job's pod runs before it completes. */
  readonly runMs: number;
  /** Ended jobs that are kept, with their pods. */
  readonly keptCount: number;
  /** How often a job replaces a pod that failed. Default: 6. */
  readonly backoffLimit?: number;
}

const startAfterMs = 2_000;
const graceMs = 5_000;
/** Time from a failure of a pod until its controller deletes it. */
const reactionMs = 50;
/** How often the scheduler looks at a pod that fits on no node. */
const schedulingMs = 5_000;
const defaultBackoffLimit = 6;
const firstJobBackoffMs = 10_000;
const firstDaemonSetBackoffMs = 1_000;
const longestDaemonSetBackoffMs = 15 * 60_000;

/** Pods of a ReplicaSet, named by its hash and five letters. A failed one is replaced and stays. */
export function addDeployment(context: ScenarioContext, spec: DeploymentSpec): void {
  const { model, schedule, random } = context;
  const hash = random.nameSuffix(10);
  const owner: OwnerSpec = { kind: 'ReplicaSet', name: `${spec.name}-${hash}` };
  const add = (nodeName: string, pace: Pick<PodSpec, 'startAfterMs'>): string => {
    const name = `${owner.name}-${random.nameSuffix(5)}`;
    addScheduled(context, {
      ...podOf(spec, { name, nodeName, owner }),
      labels: labels(spec, { 'pod-template-hash': hash }),
      ...pace,
    });
    return name;
  };
  let pods = spec.nodeNames.map((nodeName) => ({ nodeName, name: add(nodeName, {}) }));
  onOwnPodFailed(model, spec.namespace, owner, (failed) => {
    const replaced = pods.find(({ name }) => name === failed.spec.name);
    if (replaced === undefined) return;
    const { nodeName } = replaced;
    pods = [...pods.filter((pod) => pod !== replaced), { nodeName, name: add(nodeName, { startAfterMs }) }];
  });
  if (spec.replaceEveryMs === undefined) return;
  schedule.every(spec.replaceEveryMs, () => {
    const [oldest, ...rest] = pods;
    if (oldest === undefined) return;
    model.deletePod(spec.namespace, oldest.name, graceMs);
    pods = [...rest, { nodeName: oldest.nodeName, name: add(oldest.nodeName, { startAfterMs }) }];
  });
}

/** Pods named by their ordinal. A failed one is deleted and created again with its name. */
export function addStatefulSet(context: ScenarioContext, spec: WorkloadSpec): void {
  const { model, schedule, random } = context;
  const owner: OwnerSpec = { kind: 'StatefulSet', name: spec.name };
  const revision = `${spec.name}-${random.nameSuffix(10)}`;
  for (const [ordinal, nodeName] of spec.nodeNames.entries()) {
    const name = `${spec.name}-${ordinal}`;
    const ownLabels = { 'controller-revision-hash': revision, 'statefulset.kubernetes.io/pod-name': name };
    model.addPod({ ...podOf(spec, { name, nodeName, owner }), labels: labels(spec, ownLabels) });
  }
  onOwnPodFailed(model, spec.namespace, owner, (failed) => {
    schedule.after(reactionMs, () => {
      if (!model.hasPod(failed)) return;
      model.deletePod(spec.namespace, failed.spec.name);
      addScheduled(context, { ...failed.spec, startAfterMs });
    });
  });
}

/**
 * One pod on each node. A failed one is deleted and replaced: the first at once, further ones on its node after a back-off.
 * https://github.com/kubernetes/kubernetes/blob/v1.37.1/pkg/controller/daemon/daemon_controller.go
 */
export function addDaemonSet({ model, schedule, random }: ScenarioContext, spec: WorkloadSpec): void {
  const owner: OwnerSpec = { kind: 'DaemonSet', name: spec.name };
  const revision = random.nameSuffix(10);
  const add = (nodeName: string, pace: Pick<PodSpec, 'startAfterMs'>): void => {
    const name = `${spec.name}-${random.nameSuffix(5)}`;
    const ownLabels = { 'controller-revision-hash': revision };
    model.addPod({ ...podOf(spec, { name, nodeName, owner }), labels: labels(spec, ownLabels), ...pace });
  };
  for (const nodeName of spec.nodeNames) add(nodeName, {});
  const backoffs = new Map<string, { readonly sinceMs: number; readonly lastsMs: number }>();
  onOwnPodFailed(model, spec.namespace, owner, (failed) => {
    const { name, nodeName = '' } = failed.spec;
    const { sinceMs, lastsMs } = backoffs.get(nodeName) ?? { sinceMs: -Infinity, lastsMs: 0 };
    const delayMs = Math.max(reactionMs, sinceMs + lastsMs - schedule.nowMs);
    const nextMs = Math.min(longestDaemonSetBackoffMs, Math.max(firstDaemonSetBackoffMs, 2 * lastsMs));
    backoffs.set(nodeName, { sinceMs: schedule.nowMs + delayMs, lastsMs: nextMs });
    schedule.after(delayMs, () => {
      if (!model.hasPod(failed)) return;
      model.deletePod(spec.namespace, name);
      add(nodeName, { startAfterMs: reactionMs });
    });
  });
}

interface Job {
  readonly owner: OwnerSpec;
  readonly nodeName: string;
  readonly podNames: string[];
}

/**
 * Starts a job now and in every period, on one node after the other. Its name ends in the minute of its schedule. A failed
 * pod stays, and is replaced after a back-off as often as the job allows.
 */
export function addCronJob(context: ScenarioContext, spec: CronJobSpec): void {
  const { model, schedule, random } = context;
  const jobs: Job[] = [];
  let count = 0;
  const addPod = ({ owner, nodeName, podNames }: Job): void => {
    const name = `${owner.name}-${random.nameSuffix(5)}`;
    const ownLabels = { 'batch.kubernetes.io/job-name': owner.name };
    const pod = podOf(spec, { name, nodeName, owner });
    addScheduled(context, { ...pod, labels: labels(spec, ownLabels), runMs: spec.runMs, startAfterMs });
    podNames.push(name);
  };
  const run = (): void => {
    const owner: OwnerSpec = { kind: 'Job', name: `${spec.name}-${Math.floor(schedule.nowMs / 60_000)}` };
    const job = { owner, nodeName: spec.nodeNames[count++ % spec.nodeNames.length] ?? '', podNames: [] };
    addPod(job);
    jobs.push(job);
    const oldest = jobs.length > spec.keptCount + 1 ? jobs.shift() : undefined;
    for (const name of oldest?.podNames ?? []) model.deletePod(spec.namespace, name);
  };
  model.onPodFailed(({ spec: { namespace, name } }) => {
    const job = jobs.find(({ podNames }) => namespace === spec.namespace && podNames.includes(name));
    const failedCount = job?.podNames.length ?? 0;
    if (job === undefined || failedCount > (spec.backoffLimit ?? defaultBackoffLimit)) return;
    schedule.after(firstJobBackoffMs * 2 ** (failedCount - 1), () => {
      if (jobs.includes(job)) addPod(job);
    });
  });
  run();
  schedule.every(spec.everyMs, run);
}

/** Adds the pod. It is scheduled once its node has no taint: of the pods here, only those of DaemonSets tolerate it. */
function addScheduled({ model, schedule }: ScenarioContext, { nodeName = '', ...spec }: PodSpec): void {
  const isTainted = (): boolean => model.node(nodeName)?.hasDiskPressure === true;
  if (!isTainted()) {
    model.addPod({ ...spec, nodeName });
    return;
  }
  const pod = model.addPod(spec);
  const bind = (): void => {
    if (!model.hasPod(pod)) return;
    if (isTainted()) schedule.after(schedulingMs, bind);
    else model.bindPod(spec.namespace, spec.name, nodeName);
  };
  schedule.after(schedulingMs, bind);
}

function onOwnPodFailed(
  model: ClusterModel,
  namespace: string,
  owner: OwnerSpec,
  listener: (pod: SimulatedPod) => void,
): void {
  model.onPodFailed((pod) => {
    const { kind, name } = pod.spec.owner ?? {};
    if (pod.spec.namespace === namespace && kind === owner.kind && name === owner.name) listener(pod);
  });
}

function podOf(
  { namespace, containers, volumes }: WorkloadSpec,
  own: Pick<PodSpec, 'name'> & { readonly nodeName: string; readonly owner: OwnerSpec },
): PodSpec {
  return { namespace, containers, ...(volumes !== undefined && { volumes }), ...own };
}

function labels({ name, namespace }: WorkloadSpec, own: Labels): Labels {
  return { app: name, 'app.kubernetes.io/name': name, 'app.kubernetes.io/part-of': namespace, ...own };
}
