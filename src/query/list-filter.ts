import { matchesSelector } from '../kube/selector.js';
import type { PodRecord } from '../node/pod-record.js';
import { type Workload, workloadPath } from '../workload/workload.js';
import type { ListQuery } from './list-query.js';

/** Returns whether a pod has the workload and the labels: one that the API server does not know has no labels. */
export function isOfQuery(
  { workloads, bound }: Pick<PodRecord, 'workloads' | 'bound'>,
  { workload, selector }: Pick<ListQuery, 'workload' | 'selector'>,
): boolean {
  if (workload !== undefined && !belongsTo(workloads, workload)) return false;
  return selector.length === 0 || (bound !== undefined && matchesSelector(selector, bound.pod.labels));
}

/** Returns whether one of the workloads has the path, see {@link workloadPath}. */
export function belongsTo(workloads: readonly Workload[], path: string): boolean {
  return workloads.some((of) => path.endsWith(of.name) && workloadPath(of) === path);
}
