import { RequestError, UserError } from '../../lib/base/errors.js';
import { terminalText } from '../../people/pens/terminal-text.js';
import type { AnswerSession, ListQuestion, OpenAnswers } from '../../serve/source/answer-source.js';
import { type CommandOutput, dataText, hasColour, screenColumns } from '../text/output.js';
import { cutNote, type Listing, missingOf, pageText, type Screen, tableOf, topPage } from './top-page.js';

export interface TopOptions {
  readonly resource: ListQuestion['resource'];
  /** The only one; of pods, nodes and namespaces. */
  readonly name?: string | undefined;
  /** Undefined: that of the context; of nodes, all. */
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  /** Of pods, in kubectl's form. */
  readonly selector: string;
  /** Only what is on this node. */
  readonly node?: string | undefined;
  /** Any name that `findWorkload` takes. */
  readonly workload: string | undefined;
  /** See {@link ListQuestion}. */
  readonly order?: string | undefined;
  readonly column?: string | undefined;
  /** Rows at most; undefined for as many as are read at a glance on a terminal, as many as an answer has elsewhere. */
  readonly limit: number | undefined;
  readonly output: 'table' | 'wide' | 'json' | 'yaml' | 'name';
  readonly hasHeader: boolean;
  /** Time between two readings; undefined: one reading. */
  readonly watchIntervalMs: number | undefined;
}

/** The cursor to the upper left corner, and everything below it gone. */
const clearScreen = '\u001b[H\u001b[J';

/** Lists the largest consumers. Throws UserError when no node has data, unless it is to be read again. */
export async function top(options: TopOptions, open: OpenAnswers, context: CommandOutput): Promise<void> {
  const { resource, watchIntervalMs } = options;
  const use = async (session: AnswerSession): Promise<void> => {
    const question = questionOf(options, session, context);
    const read = async (): Promise<Listing> => {
      const answers = await session.read(context.stopSignal);
      return { question, answer: await answers.list(question) };
    };
    const first = await read();
    context.stopSignal.throwIfAborted();
    const print = createPrinter(options, context);
    if (watchIntervalMs !== undefined) {
      await watch({ first, read, print, intervalMs: watchIntervalMs }, context);
      return;
    }
    const { causes } = first.answer;
    if (causes.length === 0 || resource === 'nodes') print(first);
    if (causes.length > 0) throw new UserError(causes.map(terminalText).join('\n'));
  };
  const subject = {
    namespaceOf: (contextNamespace: string) => scopeOf(options, contextNamespace),
    isOfEvictions: resource === 'evictions',
    node: resource === 'nodes' ? options.name : options.node,
    podName: ['pods', 'containers', 'volumes'].includes(resource) ? options.name : undefined,
  };
  await open(subject, use);
}

function questionOf(options: TopOptions, session: AnswerSession, context: CommandOutput): ListQuestion {
  const { resource, name, namespace, selector, node, workload, order, column } = options;
  return {
    ...{ resource, name, selector, node, workload, order, column },
    namespace: scopeOf(options, session.namespace),
    isNamespaceNamed: namespace !== undefined,
    limit: limitOf(options, context),
  };
}

const terminalLimit = 20;

function limitOf({ limit, output }: TopOptions, { terminal }: CommandOutput): number {
  const isTable = output === 'table' || output === 'wide';
  return limit ?? (isTable && terminal() !== undefined ? terminalLimit : Infinity);
}

/** Nodes and namespaces belong to none, and what is next may be a node. */
function scopeOf({ resource, namespace, allNamespaces }: TopOptions, contextNamespace: string | undefined) {
  if (allNamespaces || resource === 'nodes' || resource === 'namespaces') return undefined;
  return namespace ?? (resource === 'next' ? undefined : contextNamespace);
}

/** Until the stop signal, or until the output is closed. A reading that is cut short is not shown. */
async function watch(
  {
    first,
    read,
    print,
    intervalMs,
  }: {
    readonly first: Listing;
    readonly read: () => Promise<Listing>;
    readonly print: (listing: Listing) => void;
    readonly intervalMs: number;
  },
  context: CommandOutput,
): Promise<void> {
  const { clock, stopSignal, outputClosed } = context;
  const end = AbortSignal.any([stopSignal, outputClosed]);
  const isOver = (): boolean => end.aborted;
  let listing: Listing | undefined = first;
  while (!isOver()) {
    if (listing !== undefined) print(listing);
    await clock.sleep(intervalMs, end).catch(() => undefined); // rejects only when it is to end
    listing = isOver() ? undefined : await attempt(read, context);
  }
}

/** An exporter that is replaced is back in a moment. Returns undefined for a failure, which it prints, and when it is to stop. */
async function attempt(
  read: () => Promise<Listing>,
  { writeError, stopSignal }: CommandOutput,
): Promise<Listing | undefined> {
  try {
    return await read();
  } catch (error) {
    if (stopSignal.aborted) return undefined;
    if (!(error instanceof RequestError)) throw error;
    writeError(`${terminalText(error.message)}\n`);
    return undefined;
  }
}

type Printer = (listing: Listing) => void;

function createPrinter(options: TopOptions, context: CommandOutput): Printer {
  const { output } = options;
  return output === 'table' || output === 'wide' ? tablePrinter(options, context) : dataPrinter(options, context);
}

/** The table on standard output, the notes on standard error; on a terminal that is redrawn, both in one picture. */
function tablePrinter({ output, hasHeader, watchIntervalMs }: TopOptions, context: CommandOutput): Printer {
  const isWatch = watchIntervalMs !== undefined;
  const isWide = output === 'wide';
  return (listing) => {
    const terminal = context.terminal();
    const columns = isWide ? Infinity : screenColumns(terminal);
    const isTerminal = terminal !== undefined;
    const screen: Screen = {
      columns,
      isWide,
      hasHeader,
      hasColour: hasColour(context),
      isWatched: isWatch,
      hasAge: isTerminal,
    };
    if (isWatch && isTerminal) {
      const picture = pageText(topPage(listing, { ...screen, rows: terminal.rows }));
      context.writeOut(clearScreen + picture);
      return;
    }
    const { lines, notes } = topPage(listing, screen);
    const separator = isWatch ? ['\n'] : [];
    const before = isTerminal && lines.length > 0 ? ['\n'] : [];
    if (lines.length > 0) context.writeOut([...lines.map((line) => `${line}\n`), ...separator].join(''));
    if (notes.length > 0) context.writeError([...before, ...notes.map((note) => `${note}\n`)].join(''));
  };
}

/** What is missing goes to standard error, when it changes. */
function dataPrinter({ output, watchIntervalMs }: TopOptions, context: CommandOutput): Printer {
  const isWatch = watchIntervalMs !== undefined;
  let lastNotes = '';
  return (listing) => {
    const { answer } = listing;
    if (output === 'name') {
      const lines = tableOf(answer).rows.map(({ name = '' }) => `${terminalText(name)}\n`);
      context.writeOut(lines.join(''));
    } else if (output === 'yaml') {
      context.writeOut(`${isWatch ? '---\n' : ''}${dataText(answer.data, 'yaml')}`);
    } else context.writeOut(dataText(answer.data, isWatch ? 'line' : 'json'));
    const { rows, none } = tableOf(answer);
    const note = rows.length === 0 ? none : cutNote(listing);
    const notes = [...(note === undefined ? [] : [note]), ...missingOf(answer)].map(terminalText).join('\n');
    if (notes !== lastNotes && notes !== '') context.writeError(`${notes}\n`);
    lastNotes = notes;
  };
}
