import type { Pod } from '../kube/objects.js';
import { type LabelSelector, matchesSelector } from '../kube/selector.js';
import type { MeasuredNodeView } from '../node/node-view.js';
import { deriveMeasured, type PodRecord } from '../node/pod-record.js';
import type { EvictionReport } from '../report/eviction-report.js';
import type { FoundPod } from '../report/pod-report.js';
import { workloadOf } from '../report/workload-report.js';
import { workloadKey } from '../workload/workload.js';
import type { WorkloadSnapshot } from '../workload/workload-partial.js';
import type { ClusterReading, KnownPod } from './cluster-reading.js';

/** Which pods are listed. */
export interface PodFilter {
  /** Undefined: of all namespaces. */
  readonly namespace: string | undefined;
  /** Of their labels. Pods that the API server does not know match the empty selector alone. */
  readonly selector: LabelSelector;
  /** The key of their workload; undefined: of any. */
  readonly workload: string | undefined;
}

export function measuredNodes({ snapshot }: ClusterReading): readonly MeasuredNodeView[] {
  return snapshot.nodes.filter((node) => node.state !== 'absent');
}

export function measuredPods(reading: ClusterReading, filter: PodFilter): readonly FoundPod[] {
  return measuredNodes(reading).flatMap((node) =>
    podsOf(node, filter).map((pod) => ({ node, pod: deriveMeasured(pod, node.snapshot.context) })),
  );
}

/** The same without what is derived of them. */
export function measuredRecords(reading: ClusterReading, filter: PodFilter): readonly PodRecord[] {
  return measuredNodes(reading).flatMap((node) => podsOf(node, filter));
}

export function podsOf({ snapshot }: MeasuredNodeView, filter: PodFilter): readonly PodRecord[] {
  return snapshot.pods.filter(({ summary, bound, workloads }) =>
    isWanted({ namespace: summary.namespace, pod: bound?.pod, workloads }, filter),
  );
}

export function knownPods(reading: ClusterReading, filter: PodFilter): readonly KnownPod[] {
  return [...reading.knownPods].filter(({ pod, workloads }) =>
    isWanted({ namespace: pod.namespace, pod, workloads }, filter),
  );
}

/** The evictions of pods that the filter names. */
export function wantedEvictions({ evictions }: ClusterReading, filter: PodFilter): readonly EvictionReport[] {
  const { namespace, selector, workload: wanted } = filter;
  return evictions.filter(
    (eviction) =>
      (namespace === undefined || eviction.namespace === namespace) &&
      matchesSelector(selector, eviction.labels) &&
      (wanted === undefined || eviction.workloads.map(workloadOf).some((workload) => workloadKey(workload) === wanted)),
  );
}

export function hasFilter({ namespace, selector, workload }: PodFilter): boolean {
  return namespace !== undefined || selector.length > 0 || workload !== undefined;
}

/**
 * Those of the namespace and those that span namespaces; with a selector, those that have such pods. Their values are
 * of all their pods.
 */
export function wantedWorkloads(reading: ClusterReading, filter: PodFilter): readonly WorkloadSnapshot[] {
  const { namespace, selector, workload: wanted } = filter;
  const inNamespace = reading.snapshot.workloads.filter(
    ({ workload }) =>
      (wanted === undefined || workloadKey(workload) === wanted) &&
      (namespace === undefined || workload.namespace === '' || workload.namespace === namespace),
  );
  if (selector.length === 0) return inNamespace;
  const pods = [...knownPods(reading, filter), ...measuredRecords(reading, filter)];
  const keys = new Set(pods.flatMap(({ workloads }) => workloads.map(workloadKey)));
  return inNamespace.filter(({ workload }) => keys.has(workloadKey(workload)));
}

function isWanted(
  {
    namespace,
    pod,
    workloads,
  }: Pick<PodRecord, 'workloads'> & { readonly namespace: string; readonly pod: Pod | undefined },
  filter: PodFilter,
): boolean {
  if (filter.namespace !== undefined && filter.namespace !== namespace) return false;
  if (filter.selector.length > 0 && (pod === undefined || !matchesSelector(filter.selector, pod.labels))) return false;
  return filter.workload === undefined || workloads.some((workload) => workloadKey(workload) === filter.workload);
}
