import { RequestError, UserError } from '../../lib/base/errors.js';
import { terminalText } from '../../people/pens/terminal-text.js';
import type { AnswerSession, ListQuestion, OpenAnswers } from '../../serve/source/answer-source.js';
import { type CommandOutput, dataText, hasColour, screenColumns } from '../text/output.js';
import { cutNote, type Listing, missingOf, pageText, tableOf, topPage } from './top-page.js';

/** Without a namespace, that of the context is meant; of nodes, all. */
export interface TopOptions extends Omit<ListQuestion, 'isNamespaceNamed' | 'order' | 'limit'> {
  readonly allNamespaces: boolean;
  readonly order?: string | undefined;
  /** Rows at most; undefined for as many as are read at a glance on a terminal, as many as an answer has elsewhere. */
  readonly limit: number | undefined;
  readonly output: 'table' | 'wide' | 'json' | 'yaml' | 'name';
  readonly hasHeader: boolean;
  /** Time between two readings; undefined: one reading. */
  readonly watchIntervalMs: number | undefined;
}

/** The cursor to the upper left corner, and everything below it gone. */
const clearScreen = '\u001b[H\u001b[J';

/** Lists the largest consumers, the last known ones too. Throws UserError when no node has data, unless it is to be read again. */
export async function top(options: TopOptions, open: OpenAnswers, context: CommandOutput): Promise<void> {
  const { resource, name, watchIntervalMs } = options;
  const subject = {
    namespaceOf: (contextNamespace: string) => scopeOf(options, contextNamespace),
    isOfEvictions: resource === 'evictions',
    node: resource === 'nodes' ? name : options.node,
    podName: ['pods', 'containers', 'volumes'].includes(resource) ? name : undefined,
  };
  await open(subject, async (session) => {
    const question = questionOf(options, session, context);
    const read = async (): Promise<Listing> => {
      const answers = await session.read(context.stopSignal);
      return { question, answer: await answers.list(question) };
    };
    const first = await read();
    context.stopSignal.throwIfAborted();
    const print = createPrinter(options, context);
    const { causes } = first.answer;
    if (watchIntervalMs === undefined && causes.length > 0) {
      if (tableOf(first.answer).rows.length > 0) print(withoutNotes(first)); // the causes say it
      throw new UserError(causes.map(terminalText).join('\n'));
    }
    print(first);
    if (watchIntervalMs !== undefined) await watch(read, print, watchIntervalMs, context);
  });
}

function withoutNotes({ question, answer }: Listing): Listing {
  return {
    question,
    answer: { ...answer, documents: answer.documents.map((document) => ({ ...document, notes: [] })) },
  };
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

/**
 * Until the stop signal, or until the output is closed. A reading that is cut short is not shown, and one that fails is said: an exporter
 * that is replaced is back in a moment, as a workload without pods may be.
 */
async function watch(
  read: () => Promise<Listing>,
  print: Printer,
  intervalMs: number,
  { clock, stopSignal, outputClosed, writeError }: CommandOutput,
): Promise<void> {
  const end = AbortSignal.any([stopSignal, outputClosed]);
  const isOver = (): boolean => end.aborted;
  while (!isOver()) {
    await clock.sleep(intervalMs, end).catch(() => undefined); // rejects only when it is to end
    if (isOver()) return;
    try {
      const listing = await read();
      if (!isOver()) print(listing);
    } catch (error) {
      if (isOver()) return;
      if (!(error instanceof RequestError || error instanceof UserError)) throw error;
      writeError(`${terminalText(error.message)}\n`);
    }
  }
}

type Printer = (listing: Listing) => void;

function createPrinter(options: TopOptions, context: CommandOutput): Printer {
  const { output } = options;
  return output === 'table' || output === 'wide' ? tablePrinter(options, context) : dataPrinter(options, context);
}

/** The table on standard output, the notes on standard error; on a terminal that is redrawn, both in one picture. */
function tablePrinter({ output, hasHeader, watchIntervalMs }: TopOptions, context: CommandOutput): Printer {
  const isWatched = watchIntervalMs !== undefined;
  const isWide = output === 'wide';
  const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
  return (listing) => {
    const terminal = context.terminal();
    const redrawn = isWatched ? terminal : undefined;
    const page = topPage(listing, {
      ...{ isWide, hasHeader, isWatched, hasColour: hasColour(context), hasAge: terminal !== undefined },
      columns: isWide ? Infinity : screenColumns(terminal),
      rows: redrawn?.rows,
    });
    const { lines, notes } = page;
    if (redrawn !== undefined) {
      context.writeOut(clearScreen + pageText(page));
      return;
    }
    if (lines.length > 0) context.writeOut(textOf(isWatched ? [...lines, ''] : lines));
    const isApart = terminal !== undefined && lines.length > 0;
    if (notes.length > 0) context.writeError(textOf(isApart ? ['', ...notes] : notes));
  };
}

/** What is missing goes to standard error, when it changes. */
function dataPrinter({ output, watchIntervalMs }: TopOptions, context: CommandOutput): Printer {
  const isWatched = watchIntervalMs !== undefined;
  let lastNotes = '';
  return (listing) => {
    const { answer } = listing;
    const { rows, none } = tableOf(answer);
    if (output === 'name') {
      context.writeOut(rows.map(({ name = '' }) => `${terminalText(name)}\n`).join(''));
    } else if (output === 'yaml') {
      context.writeOut(`${isWatched ? '---\n' : ''}${dataText(answer.data, 'yaml')}`);
    } else context.writeOut(dataText(answer.data, isWatched ? 'line' : 'json'));
    const note = rows.length === 0 ? none : cutNote(listing);
    const notes = [...(note === undefined ? [] : [note]), ...missingOf(answer)].map(terminalText).join('\n');
    if (notes !== lastNotes && notes !== '') context.writeError(`${notes}\n`);
    lastNotes = notes;
  };
}
