import { UserError } from '../base/errors.js';
import { joinTruncated } from '../base/text.js';
import { workloadOf, type WorkloadReference } from '../report/workload-report.js';
import { workloadPath } from '../workload/workload.js';
import { notFound } from './text/suggestions.js';
import { terminalText } from './text/terminal-text.js';
import type { ViewReader } from './views/view-source.js';

/** A workload that there is, or was: it is known by its evictions too. */
export interface FoundWorkload extends WorkloadReference {
  /** See `workloadPath`. */
  readonly path: string;
}

/**
 * Finds the workload of the name: `NAME`, `TYPE/NAME`, `NAMESPACE/NAME` or `NAMESPACE/TYPE/NAME`. A name without a namespace is
 * one of `namespace` (undefined: of any) or of a workload that spans namespaces. Throws UserError when there is none, or more
 * than one.
 */
export async function findWorkload(
  reader: ViewReader,
  name: string,
  namespace: string | undefined,
): Promise<FoundWorkload> {
  const workloads = await namedLike(reader, name.slice(name.lastIndexOf('/') + 1));
  const exact = workloads.filter((workload) => workload.workloadNamespace === '' && workload.workload === name);
  const matching = exact.length > 0 ? exact : workloads.filter((workload) => isNamed(workload, name, namespace));
  const [found, ...others] = matching;
  if (found === undefined) {
    const all = workloads.length > 0 ? workloads : await namedLike(reader, '');
    throw notFound('workload', name, all.map(shownName), namespace);
  }
  if (others.length === 0) return found;
  const names = joinTruncated(matching.map(shownName).map(terminalText).sort(), maxNamesCount);
  throw new UserError(`workload "${terminalText(name)}" is ambiguous: ${names}`);
}

const maxNamesCount = 10;

/** Those whose names have the text, each once, also of evicted pods. */
async function namedLike(reader: ViewReader, text: string): Promise<readonly FoundWorkload[]> {
  const [workloads, evictions] = await Promise.all([
    reader.list('workloads', { search: text.toLowerCase() }, Infinity),
    reader.list('evictions', {}, Infinity),
  ]);
  const ofEvictions = evictions.items.flatMap((eviction) => eviction.workloads);
  const isLike = ({ workload }: WorkloadReference): boolean => workload.toLowerCase().includes(text.toLowerCase());
  const found = [...workloads.items, ...ofEvictions.filter(isLike)].map((reference) => {
    const { workload, workloadType, workloadNamespace } = reference;
    return { workload, workloadType, workloadNamespace, path: workloadPath(workloadOf(reference)) };
  });
  return [...new Map(found.map((workload) => [workload.path, workload])).values()];
}

/** `shop/deployment/cart`, or the bare name of one that may span namespaces. */
export function shownName({ workload, workloadType, workloadNamespace }: WorkloadReference): string {
  return workloadNamespace === '' ? workload : `${workloadNamespace}/${workloadType}/${workload}`;
}

function isNamed(reference: WorkloadReference, text: string, namespace: string | undefined): boolean {
  const { workload, workloadType, workloadNamespace } = reference;
  const parts = text.split('/');
  if (parts.pop() !== workload) return false;
  const isInScope = namespace === undefined || ['', namespace].includes(workloadNamespace);
  return qualifiersOf(parts).some(
    (qualifier) =>
      (qualifier.namespace === undefined ? isInScope : qualifier.namespace === workloadNamespace) &&
      (qualifier.type === undefined || isOfType(workloadType, qualifier.type)),
  );
}

/** What the parts before a name may mean. */
function qualifiersOf(
  parts: readonly string[],
): readonly { readonly namespace?: string | undefined; readonly type?: string | undefined }[] {
  const [first, second] = parts;
  if (parts.length === 0) return [{}];
  if (parts.length === 1) return [{ namespace: first }, { type: first }];
  return parts.length === 2 ? [{ namespace: first, type: second }] : [];
}

/** As kubectl names them; `barepod`: a pod without a controller. */
const typesOf: Readonly<Record<string, string>> = {
  deploy: 'deployment',
  sts: 'statefulset',
  ds: 'daemonset',
  rs: 'replicaset',
  cj: 'cronjob',
  po: 'barepod',
  pod: 'barepod',
};

/** Kinds too, singular and plural, without regard to case. */
function isOfType(type: string, text: string): boolean {
  const word = text.toLowerCase();
  const singular = word.replace(/s$/, '');
  return [word, singular, typesOf[word], typesOf[singular]].includes(type.toLowerCase());
}

/** Returns whether kubectl names a workload so: `deploy`, `StatefulSets`. */
export function isWorkloadType(text: string): boolean {
  const word = text.toLowerCase();
  const types = new Set([...Object.values(typesOf), 'job']);
  return [word, word.replace(/s$/, '')].some(
    (one) => types.has(one) || (one in typesOf && one !== 'pod' && one !== 'po'),
  );
}
