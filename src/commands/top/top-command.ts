import { parseSelector } from '../../cluster/kube/selector-parser.js';
import { RequestError, UsageError, UserError } from '../../lib/base/errors.js';
import { terminalText } from '../../people/pens/terminal-text.js';
import { type ClusterFlags, type ClusterSession, withViews } from '../../serve/source/one-shot.js';
import type { ViewParameters, ViewReader } from '../../serve/source/view-source.js';
import type { CommandContext } from '../context.js';
import type { topForms, TopResource } from '../resources.js';
import { dataText, hasColour, screenColumns } from '../text/output.js';
import { findWorkload } from '../workload-lookup.js';
import { causesOfAbsence, missingNotes } from './missing.js';
import { list, type Listing, pageText, parseSortBy, type Screen, topPage, type TopQuery } from './top-page.js';

export interface TopOptions extends ClusterFlags {
  readonly resource: TopResource;
  /** The only one; of pods and nodes. */
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
  readonly sortBy: string | undefined;
  /** Rows at most; Infinity for all; undefined for as many as are read at a glance on a terminal, all elsewhere. */
  readonly limit: number | undefined;
  readonly output: (typeof topForms)[number];
  readonly hasHeader: boolean;
  /** Time between two readings; undefined: one reading. */
  readonly watchIntervalMs: number | undefined;
}

/** The cursor to the upper left corner, and everything below it gone. */
const clearScreen = '\u001b[H\u001b[J';

/** Lists the largest consumers. Throws UserError when no node has data, unless it is to be read again. */
export async function top(options: TopOptions, context: CommandContext): Promise<void> {
  const { resource, watchIntervalMs } = options;
  checkSelector(options.selector);
  const sortBy = options.sortBy === undefined ? undefined : parseSortBy(options.sortBy, resource);
  const use = async (session: ClusterSession): Promise<void> => {
    const start = await session.source.read(context.stopSignal);
    const query: TopQuery = {
      resource,
      name: options.name,
      parameters: await parametersOf(options, session, start),
      sortBy,
      limit: limitOf(options, context),
    };
    const first = await list(start, query);
    context.stopSignal.throwIfAborted();
    const print = createPrinter(options, context);
    if (watchIntervalMs !== undefined) {
      const read = async (): Promise<Listing> => list(await session.source.read(context.stopSignal), query);
      await watch({ first, read, print, intervalMs: watchIntervalMs }, context);
      return;
    }
    const causes = causesOfAbsence(first.facts, session.access);
    if (causes.length === 0 || resource === 'nodes') print(first);
    if (causes.length > 0) throw new UserError(causes.join('\n'));
  };
  const subject = {
    namespaceOf: (contextNamespace: string) => scopeOf(options, contextNamespace),
    isOfEvictions: resource === 'evictions',
    node: resource === 'nodes' ? options.name : options.node,
    podName: ['pods', 'containers', 'volumes'].includes(resource) ? options.name : undefined,
  };
  await withViews(options, context, subject, use);
}

const terminalLimit = 20;

function limitOf({ limit, output }: TopOptions, { terminal }: CommandContext): number {
  const isTable = output === 'table' || output === 'wide';
  return limit ?? (isTable && terminal() !== undefined ? terminalLimit : Infinity);
}

/** Before anything is read: the API would refuse it as a parameter. */
function checkSelector(text: string): void {
  try {
    parseSelector(text);
  } catch (error) {
    throw error instanceof UserError ? new UsageError(`--selector: ${error.message}`, { cause: error }) : error;
  }
}

/** Nodes belong to no namespace, and what is next may be a node. */
function scopeOf({ resource, namespace, allNamespaces }: TopOptions, contextNamespace: string | undefined) {
  if (allNamespaces || resource === 'nodes') return undefined;
  return namespace ?? (resource === 'next' ? undefined : contextNamespace);
}

/** Of the list that the API has. */
async function parametersOf(options: TopOptions, session: ClusterSession, reader: ViewReader): Promise<ViewParameters> {
  const { resource, namespace, workload, selector, node } = options;
  if (resource === 'nodes') return {};
  const scope = scopeOf(options, session.namespace);
  const place = resource === 'workloads' ? { selector } : { selector, node };
  if (workload === undefined) return { ...place, namespace: scope };
  const found = await findWorkload(reader, workload, scope);
  // The namespace of a workload that is named with it need not be given again.
  const isElsewhere = namespace === undefined && found.workloadNamespace !== scope;
  const itsScope = isElsewhere ? found.workloadNamespace || undefined : scope;
  return { ...place, namespace: itsScope, workload: found.path };
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
  context: CommandContext,
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
  { writeError, stopSignal }: CommandContext,
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

function createPrinter(options: TopOptions, context: CommandContext): Printer {
  const { output } = options;
  return output === 'table' || output === 'wide' ? tablePrinter(options, context) : dataPrinter(options, context);
}

/** The table on standard output, the notes on standard error; on a terminal that is redrawn, both in one picture. */
function tablePrinter({ output, hasHeader, watchIntervalMs }: TopOptions, context: CommandContext): Printer {
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
function dataPrinter({ output, watchIntervalMs }: TopOptions, context: CommandContext): Printer {
  const isWatch = watchIntervalMs !== undefined;
  let lastNotes = '';
  return (listing) => {
    if (output === 'name') {
      const lines = listing.names().map((name) => `${terminalText(name)}\n`);
      context.writeOut(lines.join(''));
    } else if (output === 'yaml') {
      context.writeOut(`${isWatch ? '---\n' : ''}${dataText(listing.reports(), 'yaml')}`);
    } else context.writeOut(dataText(listing.reports(), isWatch ? 'line' : 'json'));
    const { emptyNote } = listing;
    const notes = [...(emptyNote === undefined ? [] : [emptyNote]), ...missingNotes(listing.facts)].join('\n');
    if (notes !== lastNotes && notes !== '') context.writeError(`${notes}\n`);
    lastNotes = notes;
  };
}
