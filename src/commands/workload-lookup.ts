import { workloadPath } from '../facts/workload/workload.js';
import { UserError } from '../lib/base/errors.js';
import { joinTruncated } from '../lib/base/text.js';
import { terminalText } from '../people/pens/terminal-text.js';
import { workloadOf, type WorkloadReference } from '../people/report/workload-report.js';
import type { AnswerFacts, ViewReader } from '../serve/source/view-source.js';
import { notFound } from './text/not-found.js';

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
  const { workloads, facts } = await namedLike(reader, name.slice(name.lastIndexOf('/') + 1));
  const exact = workloads.filter((workload) => workload.workloadNamespace === '' && workload.workload === name);
  const matching = exact.length > 0 ? exact : workloads.filter((workload) => isNamed(workload, name, namespace));
  const [found, ...others] = matching;
  if (found === undefined) {
    const all = workloads.length > 0 ? workloads : (await namedLike(reader, '')).workloads;
    throw notFound('workload', name, all.map(shownName), { namespace: namespaceOf(name, namespace), facts });
  }
  if (others.length === 0) return found;
  const names = joinTruncated(matching.map(shownName).map(terminalText).sort(), maxNamesCount);
  throw new UserError(`workload "${terminalText(name)}" is ambiguous: ${names}`);
}

const maxNamesCount = 10;

/** Those whose names have the text, each once, also of evicted pods. */
async function namedLike(
  reader: ViewReader,
  text: string,
): Promise<{ readonly workloads: readonly FoundWorkload[]; readonly facts: AnswerFacts }> {
  const [listed, evictions] = await Promise.all([
    reader.list('workloads', { search: text.toLowerCase() }, Infinity),
    reader.list('evictions', {}, Infinity),
  ]);
  const ofEvictions = evictions.items.flatMap((eviction) => eviction.workloads);
  const isLike = ({ workload }: WorkloadReference): boolean => workload.toLowerCase().includes(text.toLowerCase());
  const found = [...listed.items, ...ofEvictions.filter(isLike)].map((reference) => {
    const { workload, workloadType, workloadNamespace } = reference;
    return { workload, workloadType, workloadNamespace, path: workloadPath(workloadOf(reference)) };
  });
  return { workloads: [...new Map(found.map((workload) => [workload.path, workload])).values()], facts: listed };
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

/** Those that kubectl knows, where their kinds are installed. `barepod`: a pod without a controller. */
export const workloadTypes = [
  'deployment',
  'statefulset',
  'daemonset',
  'replicaset',
  'cronjob',
  'job',
  'rollout',
  'deploymentconfig',
  'barepod',
] as const;
export type WorkloadType = (typeof workloadTypes)[number];

const shortForms: Readonly<Record<string, WorkloadType>> = {
  deploy: 'deployment',
  dc: 'deploymentconfig',
  ro: 'rollout',
  sts: 'statefulset',
  ds: 'daemonset',
  rs: 'replicaset',
  cj: 'cronjob',
};

/** Returns the type of workloads that kubectl names so: `deploy`, `StatefulSets`, `cronjob.batch`. */
export function workloadTypeOf(text: string): WorkloadType | undefined {
  const words = wordsOf(text);
  return workloadTypes.find((type) => words.includes(type));
}

/** Types of other controllers too. */
function isOfType(type: string, text: string): boolean {
  const words = wordsOf(text);
  return words.includes(type.toLowerCase()) || (type === 'barepod' && ['po', 'pod'].some((pod) => words.includes(pod)));
}

/** What the text may name: without the group and regardless of case, also in singular and in full. */
function wordsOf(text: string): readonly (string | undefined)[] {
  const [word = ''] = text.toLowerCase().split('.');
  const forms = [word, word.replace(/s$/, '')];
  return [...forms, ...forms.map((form) => shortForms[form])];
}
