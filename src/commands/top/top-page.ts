import { didYouMean } from '../../config/suggestion.js';
import { UsageError } from '../../lib/base/errors.js';
import { byNames, largestFirst } from '../../lib/base/ranking.js';
import { formatCount } from '../../lib/base/text.js';
import { renderTable } from '../../people/pens/table.js';
import { terminalText, wrap } from '../../people/pens/terminal-text.js';
import type { ListedNodeReport } from '../../people/query/list-nodes.js';
import type { AnswerFacts, ViewParameters, ViewReader } from '../../serve/source/view-source.js';
import type { TopResource } from '../resources.js';
import { notFound } from '../text/not-found.js';
import { evictionsView } from './eviction-rows.js';
import { ageNote, missingNotes } from './missing.js';
import { nextView, nothingNext } from './next-rows.js';
import { nodesView } from './node-rows.js';
import { containersView, volumesView } from './part-rows.js';
import { podsView } from './pod-rows.js';
import type { View, ViewColumn } from './view.js';
import { workloadsView } from './workload-rows.js';

export interface TopQuery {
  readonly resource: TopResource;
  /** Of the API's list. */
  readonly parameters: ViewParameters;
  /** The only row; undefined: all. */
  readonly name: string | undefined;
  /** A column; undefined: the usual order. */
  readonly sortBy: string | undefined;
  /** Rows at most; Infinity for all. */
  readonly limit: number;
}

/** What was found, in order. */
export interface Listing {
  readonly query: TopQuery;
  readonly facts: AnswerFacts;
  /** Of the whole list; there may be fewer rows here. */
  readonly totalCount: number;
  readonly rowCount: number;
  /** Why there is nothing, as far as the namespace explains it; undefined with rows. */
  readonly emptyNote: string | undefined;
  readonly reports: () => readonly object[];
  readonly names: () => readonly string[];
  /** Of the first rows. */
  readonly table: (rowCount: number, screen: Screen) => ReturnType<typeof renderTable>;
  /** About the first rows; undefined when they are as they seem. */
  readonly rowsNote: (rowCount: number) => string | undefined;
}

export interface Screen {
  /** Infinity: nothing is shortened or hidden. */
  readonly columns: number;
  /** Undefined: any number of lines. */
  readonly rows?: number;
  readonly isWide?: boolean;
  readonly hasHeader?: boolean;
  readonly hasColour?: boolean;
  /** Whether it is shown again and again. */
  readonly isWatched?: boolean;
  /** Whether it has a note of how old the data is; with it unless false. */
  readonly hasAge?: boolean;
}

interface Lister {
  readonly list: (reader: ViewReader, query: TopQuery) => Promise<Listing>;
  readonly headers: readonly string[];
}

const listers: Readonly<Record<TopResource, Lister>> = {
  next: lister(nextView),
  workloads: lister(workloadsView),
  pods: lister(podsView),
  containers: lister(containersView),
  volumes: lister(volumesView),
  nodes: lister(nodesView),
  evictions: lister(evictionsView),
};

function lister<Row extends object>(view: View<Row>): Lister {
  return {
    headers: view.columns.map(({ header }) => header.toLowerCase()),
    list: async (reader, query) => {
      const { items, totalCount, ...facts } = await readRows(reader, view, query);
      return listing(view, query, {
        rows: items,
        totalCount,
        facts,
        emptyNote:
          items.length === 0
            ? await emptyNote(reader, query, { facts, node: await namedNode(reader, query) })
            : undefined,
      });
    },
  };
}

/** By a column that the API does not sort by, all rows are read. */
async function readRows<Row>(
  reader: ViewReader,
  view: View<Row>,
  query: TopQuery,
): Promise<AnswerFacts & { readonly items: readonly Row[]; readonly totalCount: number }> {
  const { parameters, name, sortBy, limit } = query;
  if (name !== undefined) return readNamed(reader, view, query, name);
  const column = view.columns.find(({ header }) => header.toLowerCase() === sortBy);
  if (column === undefined) return view.read(reader, { parameters, count: limit });
  const { order } = column;
  if (order !== undefined) return view.read(reader, { parameters: { ...parameters, order }, count: limit });
  const all = await view.read(reader, { parameters, count: Infinity });
  return { ...all, items: all.items.toSorted(byColumn(column)).slice(0, limit) };
}

/** Throws UserError when there is none of the name. */
async function readNamed<Row>(reader: ViewReader, view: View<Row>, { parameters, resource }: TopQuery, name: string) {
  const found = await view.read(reader, { parameters: { ...parameters, search: name }, count: Infinity });
  const items = found.items.filter((row) => view.name(row).split('/')[1] === name);
  if (items.length > 0) return { ...found, items, totalCount: items.length };
  const stem = name.split('-')[0] ?? '';
  const others = await view.read(reader, { parameters: { ...parameters, search: stem }, count: 1_000 });
  const names = others.items.map((row) => view.name(row).split('/')[1] ?? '');
  const namespace = resource === 'nodes' ? undefined : parameters['namespace'];
  throw notFound(resource.replace(/s$/, ''), name, names, { namespace, facts: others });
}

function listing<Row extends object>(
  view: View<Row>,
  query: TopQuery,
  {
    rows,
    ...found
  }: Pick<Listing, 'totalCount' | 'facts' | 'emptyNote'> & {
    readonly rows: readonly Row[];
  },
): Listing {
  const isShown = ({ isWide, isOfNamespace, isSeldom, value }: ViewColumn<Row>, screen: Screen): boolean =>
    (isWide !== true || screen.isWide === true) &&
    (isOfNamespace !== true || query.parameters['namespace'] === undefined) &&
    (isSeldom !== true || rows.some((row) => value?.(row) !== undefined));
  return {
    query,
    ...found,
    rowCount: rows.length,
    reports: () => rows.map(view.report ?? ((row) => row)),
    names: () => rows.map(view.name),
    rowsNote: (count) => view.note?.(rows.slice(0, count)),
    table: (count, screen) => {
      const columns = view.columns.filter((candidate) => isShown(candidate, screen));
      return renderTable(columns, rows.slice(0, count), screen.columns, screen);
    },
  };
}

/** By value, largest first and unknown ones last, or by text. A value may be below 0. */
function byColumn<Row>({ value, text }: ViewColumn<Row>): (a: Row, b: Row) => number {
  if (value === undefined) return byNames((row) => [text(row)]);
  return largestFirst(
    (row) => value(row) ?? -Infinity,
    () => [],
  );
}

/** The columns that `--sort-by` may name. */
function columnsOf(resource: TopResource): readonly string[] {
  return listers[resource].headers;
}

/** The column that `--sort-by` names, also as `.used` or `{.used}`. Throws UsageError. */
export function parseSortBy(text: string, resource: TopResource): string {
  const headers = columnsOf(resource);
  const word = text.replace(/^\{?\.?(.*?)\}?$/, '$1').toLowerCase();
  const name = word === 'name' && resource !== 'next' ? resource.slice(0, -1) : word;
  if (headers.includes(name)) return name;
  const allowed = `${headers.join(', ')}${didYouMean(name, headers)}`;
  throw new UsageError(`--sort-by: found "${terminalText(text)}", allowed: ${allowed}`);
}

export function list(reader: ViewReader, query: TopQuery): Promise<Listing> {
  return listers[query.resource].list(reader, query);
}

export interface TopPage {
  /** The table; none without rows. */
  readonly lines: readonly string[];
  readonly notes: readonly string[];
}

/** The table and its notes. On a screen of few lines there are fewer rows, so that the first ones do not scroll away. */
export function topPage(found: Listing, screen: Screen): TopPage {
  return fittingPage(found, screen, found.rowCount);
}

/** A page as one text, its notes below its table. */
export function pageText({ lines, notes }: TopPage): string {
  return `${[...lines, ...(lines.length === 0 ? [] : ['']), ...notes].join('\n')}\n`;
}

/** With fewer rows there may be more notes: row after row goes until all fits, with the line that the cursor is left on. */
function fittingPage(found: Listing, screen: Screen, shownCount: number): TopPage {
  const page = pageOf(found, screen, shownCount);
  const excess = pageText(page).split('\n').length - (screen.rows ?? Infinity);
  if (excess <= 0 || shownCount <= 1) return page;
  return fittingPage(found, screen, Math.max(1, shownCount - excess));
}

function pageOf(found: Listing, screen: Screen, shownCount: number): TopPage {
  const table = found.table(shownCount, screen);
  const dropped = found.rowCount === 0 ? [] : table.dropped;
  const notes = [
    found.emptyNote ?? countNote(found, shownCount),
    dropped.length === 0 ? undefined : `Columns hidden: ${dropped.join(', ')} (widen the terminal or use -o wide)`,
    found.rowsNote(shownCount),
    screen.hasAge === false ? undefined : ageNote(found.facts, screen.isWatched === true),
    ...missingNotes(found.facts),
  ];
  return {
    lines: found.rowCount === 0 ? [] : table.lines,
    notes: notes.filter((note) => note !== undefined).flatMap((note) => wrap(note, screen.columns)),
  };
}

/** Undefined without one, and of evictions, which outlive their nodes. Throws UserError when there is none of the name. */
async function namedNode(
  reader: ViewReader,
  { resource, parameters: { node } }: TopQuery,
): Promise<ListedNodeReport | undefined> {
  if (node === undefined || resource === 'evictions') return undefined;
  const { items, ...facts } = await reader.list('nodes', {}, Infinity);
  const found = items.find((item) => item.node === node);
  const names = items.map((item) => item.node);
  if (found === undefined) throw notFound('node', node, names, { facts });
  return found;
}

async function emptyNote(
  reader: ViewReader,
  { resource, parameters }: TopQuery,
  { facts, node }: { readonly facts: AnswerFacts; readonly node: ListedNodeReport | undefined },
): Promise<string> {
  const { namespace } = parameters;
  const found = resource === 'next' ? 'pods' : resource;
  const nothing = resource === 'next' ? nothingNext(parameters, facts, node) : `No ${resource} found.`;
  if (namespace === undefined) return nothing;
  const start = `No ${found} found in namespace ${terminalText(namespace)}`;
  const { items } = await reader.list('namespaces', {}, Infinity);
  const namespaces = items.map((item) => item.namespace);
  const isThere = namespaces.includes(namespace);
  if (isThere && resource === 'next') return nothing;
  if (namespaces.length === 0 || isThere) return `${start}.`;
  return `${start}${didYouMean(namespace, namespaces) || '; -A for all namespaces'}`;
}

function countNote({ query, totalCount, rowCount }: Listing, shownCount: number): string | undefined {
  if (shownCount >= totalCount) return undefined;
  const hint = shownCount < rowCount ? 'the terminal has no more lines' : '--limit 0 for all';
  return `${formatCount(shownCount)} of ${formatCount(totalCount)} ${query.resource === 'next' ? 'pods and nodes' : query.resource}; ${hint}.`;
}
