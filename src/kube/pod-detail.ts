import type { Named } from '../base/names.js';
import { byName } from '../base/ranking.js';

/** Containers of a pod that are kept one by one; volumes as many. Authors of pods decide how many a pod has. */
export const maxDetailCount = 100;

/** What the rest of a pod's containers, or volumes, is called together. No container and no volume can have this name. */
export const othersName = '(others)';

/**
 * Which of a pod's containers or volumes are kept one by one, each part in the order of `items`. They are the first by name:
 * kubelets list them in changing order, and may list a part of the spec; what is kept of the spec is kept of every summary.
 */
export function splitDetail<T extends Named>(
  items: readonly T[],
): { readonly detailed: readonly T[]; readonly others: readonly T[] } {
  if (items.length <= maxDetailCount) return { detailed: items, others: [] };
  const sorted = items.toSorted(byName(({ name }) => name));
  const first = new Set(sorted.slice(0, maxDetailCount));
  return { detailed: items.filter((item) => first.has(item)), others: items.filter((item) => !first.has(item)) };
}
