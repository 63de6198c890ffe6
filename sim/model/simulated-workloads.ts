import type { ScenarioContext } from './scenario.js';
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
  /** Completed jobs that are kept, with their pods. */
  readonly keptCount: number;
}

const startAfterMs = 2_000;
const graceMs = 5_000;

/** Pods of a ReplicaSet, named by its hash and five letters. */
export function addDeployment({ model, schedule, random }: ScenarioContext, spec: DeploymentSpec): void {
  const hash = random.nameSuffix(10);
  const owner: OwnerSpec = { kind: 'ReplicaSet', name: `${spec.name}-${hash}` };
  const add = (nodeName: string, pace: Pick<PodSpec, 'startAfterMs'>): string => {
    const name = `${owner.name}-${random.nameSuffix(5)}`;
    model.addPod({
      ...podOf(spec, { name, nodeName, owner }),
      labels: labels(spec, { 'pod-template-hash': hash }),
      ...pace,
    });
    return name;
  };
  let pods = spec.nodeNames.map((nodeName) => ({ nodeName, name: add(nodeName, {}) }));
  if (spec.replaceEveryMs === undefined) return;
  schedule.every(spec.replaceEveryMs, () => {
    const [oldest, ...rest] = pods;
    if (oldest === undefined) return;
    model.deletePod(spec.namespace, oldest.name, graceMs);
    pods = [...rest, { nodeName: oldest.nodeName, name: add(oldest.nodeName, { startAfterMs }) }];
  });
}

/** Pods named by their ordinal. */
export function addStatefulSet({ model, random }: ScenarioContext, spec: WorkloadSpec): void {
  const owner: OwnerSpec = { kind: 'StatefulSet', name: spec.name };
  const revision = `${spec.name}-${random.nameSuffix(10)}`;
  for (const [ordinal, nodeName] of spec.nodeNames.entries()) {
    const name = `${spec.name}-${ordinal}`;
    const ownLabels = { 'controller-revision-hash': revision, 'statefulset.kubernetes.io/pod-name': name };
    model.addPod({ ...podOf(spec, { name, nodeName, owner }), labels: labels(spec, ownLabels) });
  }
}

export function addDaemonSet({ model, random }: ScenarioContext, spec: WorkloadSpec): void {
  const owner: OwnerSpec = { kind: 'DaemonSet', name: spec.name };
  const revision = random.nameSuffix(10);
  for (const nodeName of spec.nodeNames) {
    const name = `${spec.name}-${random.nameSuffix(5)}`;
    const ownLabels = { 'controller-revision-hash': revision };
    model.addPod({ ...podOf(spec, { name, nodeName, owner }), labels: labels(spec, ownLabels) });
  }
}

/** Starts a job now and in every period, on one node after the other. Its name ends in the minute of its schedule. */
export function addCronJob({ model, schedule, random }: ScenarioContext, spec: CronJobSpec): void {
  const jobs: string[] = [];
  let count = 0;
  const run = (): void => {
    const owner: OwnerSpec = { kind: 'Job', name: `${spec.name}-${Math.floor(schedule.nowMs / 60_000)}` };
    const name = `${owner.name}-${random.nameSuffix(5)}`;
    const nodeName = spec.nodeNames[count++ % spec.nodeNames.length] ?? '';
    const ownLabels = { 'batch.kubernetes.io/job-name': owner.name };
    const pod = podOf(spec, { name, nodeName, owner });
    model.addPod({ ...pod, labels: labels(spec, ownLabels), runMs: spec.runMs, startAfterMs });
    jobs.push(name);
    if (jobs.length <= spec.keptCount + 1) return;
    const oldest = jobs.shift();
    if (oldest !== undefined) model.deletePod(spec.namespace, oldest);
  };
  run();
  schedule.every(spec.everyMs, run);
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
