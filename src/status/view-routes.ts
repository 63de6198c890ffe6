import { listKinds } from '../query/list-query.js';

/** Objects that have a page of their own, with the parts of its address. */
export const objectRoutes = {
  node: ['nodes', ':node'],
  pod: ['pods', ':namespace', ':pod'],
  workload: ['workloads', ':namespace', ':type', ':workload'],
  namespace: ['namespaces', ':namespace'],
  eviction: ['evictions', ':uid'],
} as const;

export type ObjectKind = keyof typeof objectRoutes;

/** Before the paths of pages, for the same as JSON. */
export const apiPrefix = '/api/v1';

/** Pages of lists, and the one that finds things of all kinds. */
export const listPages = [...listKinds, 'search'] as const;

/** The pages besides that at `/`, as patterns of Express. Each is below {@link apiPrefix} as JSON too. */
export const viewPaths: readonly string[] = [
  ...listPages.map((kind) => `/${kind}`),
  ...Object.values(objectRoutes).map((parts) => `/${parts.join('/')}`),
];
