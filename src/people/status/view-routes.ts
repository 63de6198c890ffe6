import { type ObjectKind, objectRoutes } from '../../config/served-paths.js';
import { type ListKind, parametersOf } from '../query/list-query.js';

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
  if (!isObject(kind)) return parametersOf(kind);
  const fixed = fixedParameters[kind];
  return fixed === undefined ? [] : parametersOf('pods').filter((name) => name !== fixed);
}

function isObject(kind: ListKind | ObjectKind): kind is ObjectKind {
  return Object.hasOwn(objectRoutes, kind);
}
