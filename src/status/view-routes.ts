import { type ListKind, listKinds, parametersOf } from '../query/list-query.js';

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

/** What there is below {@link apiPrefix}, in the form of OpenAPI. */
export const openApiPath = `${apiPrefix}/openapi.json`;

/** What the address of an object says already of the list of its pods; undefined for one that has no such list. */
const fixedParameters: Readonly<Record<ObjectKind, string | undefined>> = {
  node: 'node',
  pod: undefined,
  workload: 'workload',
  namespace: 'namespace',
  eviction: undefined,
};

/** Returns the names of the parameters that a view has: of its list, or of the list of its pods. */
export function parametersOfView(kind: ListKind | ObjectKind | 'search'): readonly string[] {
  if (kind === 'search') return ['search'];
  if (kind === 'pod') return ['podLimit'];
  if (!isObject(kind)) return parametersOf(kind);
  const fixed = fixedParameters[kind];
  return fixed === undefined ? [] : parametersOf('pods').filter((name) => name !== fixed);
}

function isObject(kind: ListKind | ObjectKind): kind is ObjectKind {
  return Object.hasOwn(objectRoutes, kind);
}

/** The pages besides that at `/`, as patterns of Express. Each is below {@link apiPrefix} as JSON too. */
export const viewPaths: readonly string[] = [
  ...listPages.map((kind) => `/${kind}`),
  ...Object.values(objectRoutes).map((parts) => `/${parts.join('/')}`),
];
