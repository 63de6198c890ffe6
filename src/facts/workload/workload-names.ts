import type { Workload } from './workload.js';
import { isOfType } from './workload-types.js';

/**
 * Returns whether a person names the workload so: `NAME`, `TYPE/NAME`, `NAMESPACE/NAME` or `NAMESPACE/TYPE/NAME`, also with `-` for the
 * namespace of one that may span namespaces. A name without a namespace is one of `namespace` (undefined: of any), or of such a workload.
 */
export function isNamed(workload: Workload, text: string, namespace: string | undefined): boolean {
  const parts = text.split('/');
  if (parts.pop() !== workload.name || parts.length > 2) return false;
  const [first, second] = parts;
  const isOfNamespace = first === (workload.namespace || '-');
  if (second !== undefined) return isOfNamespace && isOfType(workload.type, second);
  const isInScope = namespace === undefined || ['', namespace].includes(workload.namespace);
  return isOfNamespace || (isInScope && (first === undefined || isOfType(workload.type, first)));
}
