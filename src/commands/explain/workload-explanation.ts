import type { Config } from '../../config/schema.js';
import type { Controller } from '../../kube/objects.js';
import { formatSelector } from '../../kube/selector.js';
import type { WorkloadFigures } from '../../workload/figures.js';
import type { WorkloadDefinition } from '../../workload/label-workloads.js';
import { type Workload, workloadName } from '../../workload/workload.js';
import type { ClusterReading, KnownPod } from '../cluster-reader.js';
import { type NearMiss, nearMisses } from './near-misses.js';
import { podState } from './pod-state.js';

/** Which pods a workload has and what they add up to: plain data with exact numbers. */
export interface WorkloadReport {
  readonly workload: string;
  readonly origin: OriginReport;
  /** As exposed; undefined when the collection failed. */
  readonly figures: WorkloadFigures | undefined;
  readonly expectedPods: number;
  readonly measuredPods: number;
  readonly isComplete: boolean;
  /** Those that make it incomplete first, then biggest first. */
  readonly pods: readonly MemberReport[];
  /** Of a configured workload: the first of them, and how many there are. */
  readonly nearMisses?: readonly NearMiss[];
  readonly nearMissCount?: number;
}

export type OriginReport =
  | { readonly source: 'configured'; readonly selector: string; readonly namespaces: readonly string[] }
  | { readonly source: 'labels'; readonly labels: Readonly<Record<string, string>> }
  | { readonly source: 'controller'; readonly namespace: string; readonly controller: Controller };

export interface MemberReport {
  readonly namespace: string;
  readonly pod: string;
  readonly node: string | undefined;
  /** `pending`: measured, but without its volumes. */
  readonly state: 'measured' | 'pending' | 'unmeasured';
  readonly usedBytes: number | undefined;
  /** Why it is not measured. */
  readonly reason: string | undefined;
  /** Whether it makes the workload incomplete. */
  readonly isMissing: boolean;
}

const maxNearMissCount = 10;

export interface WorkloadQuestion {
  readonly name: string;
  readonly settings: Config['workloads'];
}

/** Undefined when there is no such workload. */
export function workloadReport(reading: ClusterReading, question: WorkloadQuestion): WorkloadReport | undefined {
  const { name, settings } = question;
  const workload = workloads(reading).find((candidate) => workloadName(candidate) === name);
  if (workload === undefined) return undefined;
  const snapshot = reading.snapshot.workloads.find((candidate) => workloadName(candidate.workload) === name);
  const definition = settings.selectors.find((candidate) => candidate.name === name);
  const { expectedPods, measuredPods, complete, figures } = snapshot ?? notCollected;
  return {
    workload: name,
    origin: originReport(workload, definition),
    figures,
    expectedPods,
    measuredPods,
    isComplete: complete,
    pods: memberReports(reading, name),
    ...(definition && nearMissReport(definition, reading)),
  };
}

/** Of a workload none of whose pods is expected or measured. */
const notCollected = { expectedPods: 0, measuredPods: 0, complete: false, figures: undefined };

function nearMissReport(
  definition: WorkloadDefinition,
  { knownPods }: ClusterReading,
): Pick<WorkloadReport, 'nearMisses' | 'nearMissCount'> {
  const others = knownPods.filter((known) => !belongs(known, definition.name)).map(({ pod }) => pod);
  const misses = nearMisses(definition, others);
  return { nearMisses: misses.slice(0, maxNearMissCount), nearMissCount: misses.length };
}

/** All workloads that there are, those without a measured pod too; a name may occur more than once. */
export function workloads({ snapshot, knownPods }: ClusterReading): readonly Workload[] {
  return [...snapshot.workloads.map(({ workload }) => workload), ...knownPods.flatMap((known) => known.workloads)];
}

function belongs({ workloads: all }: Pick<KnownPod, 'workloads'>, name: string): boolean {
  return all.some((workload) => workloadName(workload) === name);
}

function originReport({ namespace, name, origin }: Workload, definition: WorkloadDefinition | undefined): OriginReport {
  if (origin.source === 'labels') return origin;
  if (origin.source === 'controller') {
    return { source: 'controller', namespace, controller: { kind: origin.kind, name } };
  }
  const { selector = [], namespaces = [] } = definition ?? {};
  return { source: 'configured', selector: formatSelector(selector), namespaces };
}

function memberReports(reading: ClusterReading, name: string): readonly MemberReport[] {
  const known = reading.knownPods.filter((pod) => belongs(pod, name)).map((pod) => memberReport(pod, reading));
  return [...known, ...unknownMembers(reading, name)].sort(
    (a, b) =>
      Number(b.isMissing) - Number(a.isMissing) ||
      (b.usedBytes ?? -1) - (a.usedBytes ?? -1) ||
      (`${a.namespace}/${a.pod}` < `${b.namespace}/${b.pod}` ? -1 : 1),
  );
}

function memberReport({ pod }: KnownPod, reading: ClusterReading): MemberReport {
  const state = podState(pod, reading);
  const common = { namespace: pod.namespace, pod: pod.name, node: pod.nodeName };
  if (state.state === 'unmeasured') {
    const { reason, isExpected } = state;
    return { ...common, state: 'unmeasured', usedBytes: undefined, reason, isMissing: isExpected };
  }
  const { usedBytes, volumesPending } = state.pod.usage;
  return {
    ...common,
    state: volumesPending ? 'pending' : 'measured',
    usedBytes,
    reason: undefined,
    isMissing: volumesPending,
  };
}

/** Pods without API object, which the empty selector takes in. */
function unknownMembers({ snapshot }: ClusterReading, name: string): readonly MemberReport[] {
  return snapshot.nodes.flatMap((node) => {
    if (node.state === 'absent') return [];
    return node.snapshot.pods
      .filter((pod) => pod.pod === undefined && belongs(pod, name))
      .map((pod) => ({
        namespace: pod.namespace,
        pod: pod.name,
        node: node.nodeName,
        state: 'measured',
        usedBytes: pod.usage.usedBytes,
        reason: 'the API server does not know it',
        isMissing: false,
      }));
  });
}
