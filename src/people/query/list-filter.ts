import { matchesSelector } from '../../cluster/kube/selector.js';
import type { PodRecord } from '../../facts/node/pod-record.js';
import { type Workload, workloadPath } from '../../facts/workload/workload.js';
import { type ListQuery, matchesSearch } from './list-query.js';
import type { NamespacedName } from './listed-pod.js';

/** Returns whether another one is wanted; undefined: any. */
export function isOther(wanted: string | undefined, name: string): boolean {
  return wanted !== undefined && wanted !== name;
}

/** Returns whether a pod has the workload and the labels: one that the API server does not know has no labels. */
export function isOfQuery(
  { workloads, bound }: Pick<PodRecord, 'workloads' | 'bound'>,
  { workload, selector }: Pick<ListQuery, 'workload' | 'selector'>,
): boolean {
  if (workload !== undefined && !belongsTo(workloads, workload)) return false;
  return selector.length === 0 || (bound !== undefined && matchesSelector(selector, bound.pod.labels));
}

/**
 * Returns whether each word occurs in the names of a pod, and of `part` of it, joined by `/`. Joins them only where it makes a
 * difference: for a word with `/`, and for names that the API server does not know, which may be in upper case.
 */
export function matchesPod(
  search: ListQuery['search'],
  { namespace, name }: NamespacedName,
  isKnown: boolean,
  part?: string,
): boolean {
  for (const word of search) {
    if (name.includes(word) || namespace.includes(word) || part?.includes(word) === true) continue;
    const mayMatch = !isKnown || search.some((other) => other.includes('/'));
    return (
      mayMatch && matchesSearch(search, part === undefined ? `${namespace}/${name}` : `${namespace}/${name}/${part}`)
    );
  }
  return true;
}

/** Returns whether one of the workloads has the path, see {@link workloadPath}. */
export function belongsTo(workloads: readonly Workload[], path: string): boolean {
  return workloads.some((of) => path.endsWith(of.name) && workloadPath(of) === path);
}
