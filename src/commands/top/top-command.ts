import { UsageError, UserError } from '../../base/errors.js';
import { type LabelSelector, parseSelector } from '../../kube/selector.js';
import type { ClusterReading } from '../../query/cluster-reading.js';
import { workloadKey } from '../../workload/workload.js';
import type { CommandContext } from '../context.js';
import type { ExporterAddress } from '../evictions/exporter-address.js';
import { type ClusterFlags, type ClusterSession, withReader } from '../one-shot.js';
import type { topForms, TopResource } from '../resources.js';
import { dataText, hasColour, screenColumns, terminalText } from '../text/terminal-text.js';
import { findWorkload } from '../workload-lookup.js';
import { causesOfAbsence, missingNotes } from './missing.js';
import { emptyNote, list, pageText, parseSortBy, type Screen, topPage, type TopQuery } from './top-page.js';

export interface TopOptions extends ClusterFlags {
  readonly resource: TopResource;
  /** Undefined: that of the context; of nodes, all. */
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  /** Of pods, in kubectl's form. */
  readonly selector: string;
  /** Any name that `findWorkload` takes. */
  readonly workload: string | undefined;
  readonly sortBy: string | undefined;
  /** Rows at most; Infinity for all; undefined for as many as are read at a glance on a terminal, all elsewhere. */
  readonly limit: number | undefined;
  readonly output: (typeof topForms)[number];
  readonly hasHeader: boolean;
  /** Time between two readings; undefined: one reading. */
  readonly watchIntervalMs: number | undefined;
  /** Of evictions; undefined: the Service of this project's manifests. */
  readonly exporter: ExporterAddress | undefined;
}

/** The cursor to the upper left corner, and everything below it gone. */
const clearScreen = '\u001b[H\u001b[J';

/** Lists the largest consumers. Throws UserError when no node has data, unless it is to be read again. */
export async function top(options: TopOptions, context: CommandContext): Promise<void> {
  const { resource, watchIntervalMs } = options;
  const selector = podSelector(options.selector);
  const sortBy = options.sortBy === undefined ? undefined : parseSortBy(options.sortBy, resource);
  const use = async (session: ClusterSession): Promise<void> => {
    const { reader, config } = session;
    const read = (): Promise<ClusterReading> => reader.read(config.scrape.maxDurationMs, context.stopSignal);
    const first = await read();
    context.stopSignal.throwIfAborted();
    const query = {
      resource,
      filter: { ...filterOf(options, session, first), selector },
      sortBy,
      limit: limitOf(options, context),
    };
    const print = createPrinter(options, query, context);
    if (watchIntervalMs !== undefined) {
      await watch({ first, read, print, intervalMs: watchIntervalMs }, context);
      return;
    }
    const causes = causesOfAbsence(first, config.kubelet.access);
    if (causes.length === 0 || resource === 'nodes') print(first);
    if (causes.length > 0) throw new UserError(causes.join('\n'));
  };
  await withReader(options, context, use, { evictions: resource === 'evictions' ? options : undefined });
}

const terminalLimit = 20;

function limitOf({ limit, output }: TopOptions, { terminal }: CommandContext): number {
  const isTable = output === 'table' || output === 'wide';
  return limit ?? (isTable && terminal() !== undefined ? terminalLimit : Infinity);
}

function podSelector(text: string): LabelSelector {
  try {
    return parseSelector(text);
  } catch (error) {
    throw error instanceof UserError ? new UsageError(`--selector: ${error.message}`, { cause: error }) : error;
  }
}

/** Nodes belong to no namespace: only one that is asked for matters to them. */
function filterOf(
  { resource, namespace, allNamespaces, workload }: TopOptions,
  session: ClusterSession,
  reading: ClusterReading,
): Omit<TopQuery['filter'], 'selector'> {
  const contextNamespace = resource === 'nodes' ? undefined : session.namespace;
  const scope = allNamespaces ? undefined : (namespace ?? contextNamespace);
  if (workload === undefined) return { namespace: scope, workload: undefined };
  const found = findWorkload(reading, workload, scope);
  // The namespace of a workload that is named with it need not be given again.
  const isElsewhere = namespace === undefined && found.namespace !== scope;
  return { namespace: isElsewhere ? found.namespace || undefined : scope, workload: workloadKey(found) };
}

/** Until the stop signal, or until the output is closed. A reading that is cut short is not shown. */
async function watch(
  {
    first,
    read,
    print,
    intervalMs,
  }: {
    readonly first: ClusterReading;
    readonly read: () => Promise<ClusterReading>;
    readonly print: (reading: ClusterReading) => void;
    readonly intervalMs: number;
  },
  context: CommandContext,
): Promise<void> {
  const { clock, stopSignal, outputClosed } = context;
  const end = AbortSignal.any([stopSignal, outputClosed]);
  for (let reading = first; !end.aborted; reading = await read()) {
    print(reading);
    await clock.sleep(intervalMs, end).catch(() => undefined); // rejects only when it is to end
  }
}

type Printer = (reading: ClusterReading) => void;

function createPrinter(options: TopOptions, query: TopQuery, context: CommandContext): Printer {
  const { output } = options;
  return output === 'table' || output === 'wide'
    ? tablePrinter(options, query, context)
    : dataPrinter(options, query, context);
}

/** The table on standard output, the notes on standard error; on a terminal that is redrawn, both in one picture. */
function tablePrinter(
  { output, hasHeader, watchIntervalMs }: TopOptions,
  query: TopQuery,
  context: CommandContext,
): Printer {
  const isWatch = watchIntervalMs !== undefined;
  const isWide = output === 'wide';
  return (reading) => {
    const terminal = context.terminal();
    const columns = isWide ? Infinity : screenColumns(terminal);
    const isTerminal = terminal !== undefined;
    const screen: Screen = { columns, isWide, hasHeader, hasColour: hasColour(context), hasAge: isTerminal };
    if (isWatch && isTerminal) {
      const picture = pageText(topPage(reading, query, { ...screen, rows: terminal.rows }));
      context.writeOut(clearScreen + picture);
      return;
    }
    const { lines, notes } = topPage(reading, query, screen);
    const separator = isWatch ? ['\n'] : [];
    const before = isTerminal && lines.length > 0 ? ['\n'] : [];
    if (lines.length > 0) context.writeOut([...lines.map((line) => `${line}\n`), ...separator].join(''));
    if (notes.length > 0) context.writeError([...before, ...notes.map((note) => `${note}\n`)].join(''));
  };
}

/** What is missing goes to standard error, when it changes. */
function dataPrinter({ output, watchIntervalMs }: TopOptions, query: TopQuery, context: CommandContext): Printer {
  const isWatch = watchIntervalMs !== undefined;
  let lastNotes = '';
  return (reading) => {
    const listing = list(reading, query);
    if (output === 'name')
      context.writeOut(
        listing
          .names(query.limit)
          .map((name) => `${terminalText(name)}\n`)
          .join(''),
      );
    else if (output === 'yaml')
      context.writeOut(`${isWatch ? '---\n' : ''}${dataText(listing.reports(query.limit), 'yaml')}`);
    else context.writeOut(dataText(listing.reports(query.limit), isWatch ? 'line' : 'json'));
    const notes = [
      ...(listing.rowCount === 0 ? [emptyNote(reading, query)] : []),
      ...missingNotes(reading, query.filter),
    ].join('\n');
    if (notes !== lastNotes && notes !== '') context.writeError(`${notes}\n`);
    lastNotes = notes;
  };
}
