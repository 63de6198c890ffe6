import { UsageError } from '../../lib/base/errors.js';
import { programName, shellWord } from '../../lib/base/text.js';
import { terminalText } from '../../people/pens/terminal-text.js';
import { detailsOf, writeText } from '../../people/pens/text-pen.js';
import type { ObjectQuestion, OpenAnswers, WrittenAnswer } from '../../serve/source/answer-source.js';
import { isPathSegment } from '../resources.js';
import { type CommandOutput, dataText, hasColour, screenColumns } from '../text/output.js';

/** The name of a pod may have its namespace; without one, that of the context is meant. */
export interface ExplainOptions extends ObjectQuestion {
  readonly allNamespaces: boolean;
  readonly output: 'text' | 'json' | 'yaml';
  /** With the details that a terminal leaves out otherwise. */
  readonly isWhole?: boolean;
}

/** How this program was called: what each command that it prints needs too. */
export interface CalledAs {
  readonly invocation: string;
  /** Flags that name the cluster and the user, as kubectl has them. */
  readonly connection: readonly string[];
  /** Flags that name what this program reads. */
  readonly source: readonly string[];
}

/** Shows what adds up to a value. Throws UserError when there is nothing of the name. */
export async function explain(
  options: ExplainOptions,
  { open, called }: { readonly open: OpenAnswers; readonly called: CalledAs },
  context: CommandOutput,
): Promise<void> {
  const { resource, output, allNamespaces } = options;
  const { stopSignal, writeOut, writeError } = context;
  const named = resource === 'pod' ? podName(options) : undefined;
  const name = named?.name ?? options.name;
  const namespaceOf = (contextNamespace: string | undefined): string | undefined =>
    named?.namespace ?? (allNamespaces ? undefined : (options.namespace ?? contextNamespace));
  const subject = {
    namespaceOf,
    isOfEvictions: resource === 'eviction',
    node: resource === 'node' ? name : undefined,
    podName: named?.name,
  };
  await open(subject, async (session) => {
    const answers = await session.read(stopSignal);
    const answer = await answers.explain({ resource, name, namespace: namespaceOf(session.namespace) });
    stopSignal.throwIfAborted();
    const isText = output === 'text';
    writeOut(isText ? asCalled(textOf(answer, options, context), options, called) : dataText(answer.data, output));
    const notes = [...answer.documents.flatMap(({ notes: of = [] }) => of), ...answer.causes];
    for (const note of notes) writeError(`${terminalText(note)}\n`);
  });
}

/**
 * Returns the text with its commands as this program was called, for the cluster that was named, without the command that prints it.
 */
function asCalled(text: string, { resource, name }: ExplainOptions, called: CalledAs): string {
  const wordsOf = (words: readonly string[]): string => words.map((word) => ` ${shellWord(word)}`).join('');
  const connection = wordsOf(called.connection);
  const source = wordsOf(called.source);
  const own = `  ${programName} explain ${resource} `;
  const lastPart = (names: string): string => names.slice(names.lastIndexOf('/') + 1);
  const isOwn = (line: string): boolean => line.startsWith(own) && lastPart(line.slice(own.length)) === lastPart(name);
  const connected = (line: string): string => {
    const isOurs = line.startsWith(`  ${programName} `);
    if (isOurs) return `${line.replace(programName, () => called.invocation)}${connection}${source}`;
    return line.startsWith('  kubectl ') ? line.replace('kubectl', () => `kubectl${connection}`) : line;
  };
  const lines = text.split('\n').flatMap((line) => (isOwn(line) ? [] : [connected(line)]));
  return lines.join('\n');
}

/** Names what is left out at the end. */
function textOf({ documents }: WrittenAnswer, { isWhole = false }: ExplainOptions, context: CommandOutput): string {
  const details = isWhole ? [] : [...new Set(documents.flatMap(detailsOf))];
  const more = details.length === 0 ? '' : `\nwith --all: ${details.join(', ')}\n`;
  const form = { width: screenColumns(context.terminal()), hasColour: hasColour(context), isWhole };
  return documents.map((document) => writeText({ ...document, notes: [] }, form)).join('\n') + more;
}

/** The namespace that the name or the flag has. Throws UsageError when they differ. */
export function podName({ name: text, namespace }: Omit<ObjectQuestion, 'resource'>): Omit<ObjectQuestion, 'resource'> {
  const parts = text.split('/');
  const name = parts.pop() ?? '';
  const [named] = parts;
  if (parts.length > 1 || ![name, ...parts].every(isPathSegment)) {
    throw new UsageError(`explain pod "${terminalText(text)}": expected NAME or NAMESPACE/NAME`);
  }
  if (named !== undefined && namespace !== undefined && named !== namespace) {
    throw new UsageError(`explain pod "${terminalText(text)}": --namespace is ${terminalText(namespace)}`);
  }
  return { name, namespace: named ?? namespace };
}
