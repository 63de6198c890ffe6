import { UsageError, UserError } from '../../lib/base/errors.js';
import { programName, shellWord } from '../../lib/base/text.js';
import { evictionDocument } from '../../people/answers/eviction.js';
import { nodeDocument } from '../../people/answers/node.js';
import { podDocument } from '../../people/answers/pod.js';
import type { Document } from '../../people/pens/document.js';
import { terminalText } from '../../people/pens/terminal-text.js';
import { detailsOf, type TextForm, writeText } from '../../people/pens/text-pen.js';
import { causeText } from '../../people/report/eviction-cause-text.js';
import type { EvictionReport } from '../../people/report/eviction-report.js';
import { explainEviction } from '../../people/report/verdict-commands.js';
import { NotFoundError } from '../../people/status/view-errors.js';
import { type ClusterFlags, type ClusterSession, withViews } from '../../serve/source/one-shot.js';
import type { AnswerFacts, CommandObject, ObjectAnswer, ViewReader } from '../../serve/source/view-source.js';
import { connectionWords, sourceWords } from '../connection-words.js';
import type { CommandContext } from '../context.js';
import { type explainForms, type ExplainResource, isPathSegment } from '../resources.js';
import { notFound } from '../text/not-found.js';
import { dataText, hasColour, screenColumns } from '../text/output.js';
import { causesOfAbsence } from '../top/missing.js';
import { findWorkload, shownName } from '../workload-lookup.js';
import { workloadText, workloadWithPods } from './workload-text.js';

export interface ExplainOptions extends ClusterFlags {
  readonly resource: ExplainResource;
  /** `NAME` or `NAMESPACE/NAME`; of a workload whatever `findWorkload` takes. */
  readonly name: string;
  /** Undefined: that of the context. */
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  readonly output: (typeof explainForms)[number];
  /** With the details that a terminal leaves out otherwise. */
  readonly isWhole?: boolean;
}

/** Shows what adds up to a value. Throws UserError when there is nothing of the name. */
export async function explain(options: ExplainOptions, context: CommandContext): Promise<void> {
  const { resource } = options;
  const named = resource === 'pod' || resource === 'eviction' ? podName(options) : undefined;
  const use = async (session: ClusterSession): Promise<void> => {
    const { stopSignal } = context;
    const reader = await session.source.read(stopSignal);
    const namespace = scopeOf(options, named, session.namespace);
    const found = await explainers[resource]({ reader, options, name: named?.name ?? options.name, namespace });
    stopSignal.throwIfAborted();
    const { output } = options;
    if (output !== 'text') context.writeOut(dataText(found.data, output));
    else context.writeOut(asCalled(found.text(textForm(context)), options, context));
    const notes = [...found.facts.notes.map(terminalText), ...causesOfAbsence(found.facts, session.access)];
    for (const note of notes) context.writeError(`${note}\n`);
  };
  const subject = {
    namespaceOf: (contextNamespace: string) => scopeOf(options, named, contextNamespace),
    isOfEvictions: resource === 'eviction',
    node: resource === 'node' ? options.name : undefined,
    podName: resource === 'pod' ? named?.name : undefined,
  };
  await withViews(options, context, subject, use);
}

/**
 * Returns the text with its commands as this program was called, for the cluster that was named, without the command that prints it.
 */
function asCalled(text: string, options: ExplainOptions, { invocation }: Pick<CommandContext, 'invocation'>): string {
  const { resource, name } = options;
  const wordsOf = (words: readonly string[]): string => words.map((word) => ` ${shellWord(word)}`).join('');
  const connection = wordsOf(connectionWords(options));
  const source = wordsOf(sourceWords(options));
  const own = `  ${programName} explain ${resource} `;
  const lastPart = (names: string): string => names.slice(names.lastIndexOf('/') + 1);
  const isOwn = (line: string): boolean => line.startsWith(own) && lastPart(line.slice(own.length)) === lastPart(name);
  const connected = (line: string): string => {
    if (line.startsWith(`  ${programName} `)) return `${line}${connection}${source}`;
    return line.startsWith('  kubectl ') ? line.replace('kubectl', () => `kubectl${connection}`) : line;
  };
  const lines = text.split('\n').flatMap((line) => (isOwn(line) ? [] : [connected(line)]));
  return lines.join('\n').replaceAll(`${programName} explain `, `${invocation} explain `);
}

function textForm(context: CommandContext): TextForm {
  return { width: screenColumns(context.terminal()), hasColour: hasColour(context) };
}

function scopeOf(
  { namespace, allNamespaces }: ExplainOptions,
  named: GivenName | undefined,
  contextNamespace: string | undefined,
): string | undefined {
  return named?.namespace ?? (allNamespaces ? undefined : (namespace ?? contextNamespace));
}

/** What an explanation is of. */
interface Explained {
  readonly facts: AnswerFacts;
  /** As JSON and YAML have it. */
  readonly data: unknown;
  readonly text: (form: TextForm) => string;
}

interface Question {
  readonly reader: ViewReader;
  readonly options: ExplainOptions;
  readonly name: string;
  readonly namespace: string | undefined;
}

const explainers: Readonly<Record<ExplainResource, (question: Question) => Promise<Explained>>> = {
  pod: explainPods,
  workload: explainWorkload,
  node: explainNode,
  eviction: explainEvictions,
};

interface GivenName {
  readonly name: string;
  readonly namespace?: string;
}

/** The namespace that the name or the flag has. Throws UsageError when they differ. */
export function podName({
  resource,
  name: text,
  namespace,
}: Pick<ExplainOptions, 'resource' | 'name' | 'namespace'>): GivenName {
  const parts = text.split('/');
  const name = parts.pop() ?? '';
  const [named] = parts;
  if (parts.length > 1 || ![name, ...parts].every(isPathSegment)) {
    throw new UsageError(`explain ${resource} "${terminalText(text)}": expected NAME or NAMESPACE/NAME`);
  }
  if (named !== undefined && namespace !== undefined && named !== namespace) {
    throw new UsageError(`explain ${resource} "${terminalText(text)}": --namespace is ${terminalText(namespace)}`);
  }
  const found = named ?? namespace;
  return found === undefined ? { name } : { name, namespace: found };
}

/** Of every pod of the name: in all namespaces there may be several. */
async function explainPods({ reader, options, name, namespace }: Question): Promise<Explained> {
  const namespaces = namespace === undefined ? await namespacesOf(reader, name) : [namespace];
  const answers: ObjectAnswer<'pod'>[] = [];
  for (const each of namespaces) {
    const answer = await objectOf(reader, 'pod', [each, name], {});
    if (answer !== undefined) answers.push(answer);
  }
  const pods = answers.flatMap(({ data }) => data.pods);
  const [first] = answers;
  const [eviction] = answers.flatMap(({ data }) => data.evictions);
  if (pods.length === 0 && eviction !== undefined) throw podGone(options.name, eviction);
  if (first === undefined || pods.length === 0) throw await podNotFound(reader, options.name, namespace);
  const documents = answers.flatMap(({ data }) => (data.pods.length === 0 ? [] : [podDocument(data)]));
  return { facts: first, data: pods, text: documentsText(documents, options) };
}

async function namespacesOf(reader: ViewReader, name: string): Promise<readonly string[]> {
  const { items } = await reader.list('pods', { search: name }, Infinity);
  return [...new Set(items.flatMap(({ pod, namespace }) => (pod === name ? [namespace] : [])))].sort();
}

/** Undefined when there is no such object. */
async function objectOf<Kind extends CommandObject>(
  reader: ViewReader,
  kind: Kind,
  path: readonly string[],
  parameters: Readonly<Record<string, string | undefined>>,
): Promise<ObjectAnswer<Kind> | undefined> {
  try {
    return await reader.object(kind, path, parameters);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/** It is known by its eviction alone. */
function podGone(name: string, eviction: EvictionReport): Error {
  const command = explainEviction(eviction).replace(`${programName} `, '');
  return new UserError(`no pod "${terminalText(name)}": it was evicted (${causeText(eviction)}), see ${command}`);
}

/** With names that are like it: those that begin alike, else the first ones. */
async function podNotFound(reader: ViewReader, name: string, namespace: string | undefined): Promise<Error> {
  const stem = name.slice(name.lastIndexOf('/') + 1).split('-')[0] ?? '';
  const alike = await reader.list('pods', { search: stem }, 1_000);
  const { items } = alike.items.length > 0 ? alike : await reader.list('pods', {}, 1_000);
  const names = items.map((pod) => `${pod.namespace}/${pod.pod}`);
  return notFound('pod', name, names, { namespace, facts: alike });
}

/** A page has no more pods of a workload. */
const shownPodCount = '1000';

async function explainWorkload({ reader, name, namespace }: Question): Promise<Explained> {
  const found = await findWorkload(reader, name, namespace);
  const answer = await objectOf(reader, 'workload', found.path.split('/'), { limit: shownPodCount });
  if (answer === undefined) throw notFound('workload', name, [], { namespace, facts: { notes: [] } }); // it has just gone
  const explanation = workloadWithPods(answer.data);
  return {
    facts: answer,
    data: explanation,
    text: ({ width }) => workloadText(explanation, { name: shownName(found), width }),
  };
}

/** The newest of the pod first: a name may be used again. */
async function explainEvictions({ reader, options, name, namespace }: Question): Promise<Explained> {
  const answer = await reader.list('evictions', { search: name, namespace }, Infinity);
  const found = answer.items.filter(({ pod }) => pod === name);
  if (found.length === 0) {
    const { items, ...facts } = await reader.list('evictions', {}, 1_000);
    const names = items.map((eviction) => `${eviction.namespace}/${eviction.pod}`);
    throw notFound('eviction of pod', options.name, names, { namespace, facts });
  }
  const documents = found.map((eviction) => evictionDocument(eviction));
  return { facts: answer, data: found, text: documentsText(documents, options) };
}

async function explainNode({ reader, options, name }: Question): Promise<Explained> {
  const answer = await objectOf(reader, 'node', [name], {});
  if (answer === undefined) {
    const { items, ...facts } = await reader.list('nodes', {}, 1_000);
    const names = items.map(({ node }) => node);
    throw notFound('node', name, names, { facts });
  }
  return { facts: answer, data: answer.data.node, text: documentsText([nodeDocument(answer.data)], options) };
}

/** Names what is left out at the end. */
function documentsText(documents: readonly Document[], { isWhole = false }: ExplainOptions): Explained['text'] {
  const details = isWhole ? [] : [...new Set(documents.flatMap(detailsOf))];
  const more = details.length === 0 ? '' : `\nwith --all: ${details.join(', ')}\n`;
  return (form) => documents.map((document) => writeText(document, { ...form, isWhole })).join('\n') + more;
}
