import { workloadPath } from '../../facts/workload/workload.js';
import { UserError } from '../../lib/base/errors.js';
import { joinTruncated } from '../../lib/base/text.js';
import { terminalText } from '../../people/pens/terminal-text.js';
import { shownName, workloadOf, type WorkloadReference } from '../../people/report/workload-report.js';
import { notFound, tooManyAlike } from './not-found.js';
import type { AnswerFacts, ViewReader } from './view-source.js';
import { isOfType, workloadTypeOf } from './workload-types.js';

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
  const { workloads, facts, isComplete } = await namedLike(
    reader,
    searchOf(name),
    name.slice(name.lastIndexOf('/') + 1),
  );
  const exact = workloads.filter((workload) => workload.workloadNamespace === '' && workload.workload === name);
  const matching = exact.length > 0 ? exact : workloads.filter((workload) => isNamed(workload, name, namespace));
  const [found, ...others] = matching;
  if (found === undefined && !isComplete) throw tooManyAlike('workloads', name, 'write NAMESPACE/TYPE/NAME');
  if (found === undefined) {
    const all = workloads.length > 0 ? workloads : (await namedLike(reader)).workloads;
    throw notFound('workload', name, all.map(shownName), { namespace: namespaceOf(name, namespace), facts });
  }
  if (others.length === 0) return found;
  const names = joinTruncated(matching.map(shownName).map(terminalText).sort(), maxNamesCount);
  throw new UserError(`workload "${terminalText(name)}" is ambiguous: ${names}`);
}

const maxNamesCount = 10;

/** Returns words of the path of the workload: its type may be written otherwise. */
function searchOf(name: string): string {
  const [namespace = '', ...others] = name.split('/');
  const last = `/${others.at(-1) ?? namespace}`;
  return (others.length === 2 ? `${namespace}/ ${last}` : last).toLowerCase();
}

/** Returns those whose names begin with the text, each once, also of evicted pods. */
async function namedLike(
  reader: ViewReader,
  search?: string,
  text = '',
): Promise<{
  readonly workloads: readonly FoundWorkload[];
  readonly facts: AnswerFacts;
  readonly isComplete: boolean;
}> {
  const [listed, evictions] = await Promise.all([reader.list('workloads', { search }), reader.list('evictions', {})]);
  const ofEvictions = evictions.items.flatMap((eviction) => eviction.workloads);
  const isLike = ({ workload }: WorkloadReference): boolean => workload.toLowerCase().startsWith(text.toLowerCase());
  const found = [...listed.items, ...ofEvictions.filter(isLike)].map((reference) => {
    const { workload, workloadType, workloadNamespace } = reference;
    return { workload, workloadType, workloadNamespace, path: workloadPath(workloadOf(reference)) };
  });
  return {
    workloads: [...new Map(found.map((workload) => [workload.path, workload])).values()],
    facts: listed,
    isComplete: listed.isComplete,
  };
}

/** Returns whether the text names the workload, see {@link findWorkload}. */
export function isNamed(reference: WorkloadReference, text: string, namespace: string | undefined): boolean {
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

/** Returns the one that is named with the workload, else `namespace`. */
function namespaceOf(name: string, namespace: string | undefined): string | undefined {
  const [first = '', second] = name.split('/');
  return second === undefined || workloadTypeOf(first) !== undefined ? namespace : first;
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
