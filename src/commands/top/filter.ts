import type { MeasuredNodeState, PodSnapshot, WorkloadSnapshot } from '../../scrape/snapshot.js';
import { workloadKey, workloadName } from '../../workload/workload.js';
import type { ClusterReading, KnownPod } from '../cluster-reader.js';

/** Which pods are looked at; undefined: all. */
export interface PodFilter {
  readonly namespace: string | undefined;
  readonly workload: string | undefined;
}

export interface FoundPod {
  readonly node: MeasuredNodeState;
  readonly pod: PodSnapshot;
}

export function measuredPods({ snapshot }: ClusterReading, filter: PodFilter): readonly FoundPod[] {
  return snapshot.nodes.flatMap((node) => {
    if (node.state === 'absent') return [];
    return podsOf(node, filter).map((pod) => ({ node, pod }));
  });
}

export function podsOf({ snapshot }: MeasuredNodeState, filter: PodFilter): readonly PodSnapshot[] {
  return snapshot.pods.filter((pod) => isWanted(pod, filter));
}

export function knownPods(reading: ClusterReading, filter: PodFilter): readonly KnownPod[] {
  return reading.knownPods.filter(({ pod: { namespace }, workloads }) => isWanted({ namespace, workloads }, filter));
}

export function hasFilter({ namespace, workload }: PodFilter): boolean {
  return namespace !== undefined || workload !== undefined;
}

/** With a namespace those that have pods there; their figures are of all their pods. */
export function wantedWorkloads(reading: ClusterReading, filter: PodFilter): readonly WorkloadSnapshot[] {
  const { namespace, workload: wantedName } = filter;
  const all = reading.snapshot.workloads.filter(
    ({ workload }) => wantedName === undefined || workloadName(workload) === wantedName,
  );
  if (namespace === undefined) return all;
  const pods = [...knownPods(reading, filter), ...measuredPods(reading, filter).map(({ pod }) => pod)];
  const keys = new Set(pods.flatMap(({ workloads }) => workloads.map(workloadKey)));
  return all.filter(({ workload }) => keys.has(workloadKey(workload)));
}

function isWanted(pod: Pick<PodSnapshot, 'namespace' | 'workloads'>, { namespace, workload }: PodFilter): boolean {
  const isInNamespace = namespace === undefined || pod.namespace === namespace;
  return (
    isInNamespace && (workload === undefined || pod.workloads.some((candidate) => workloadName(candidate) === workload))
  );
}
