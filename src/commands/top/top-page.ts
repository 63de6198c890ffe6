import { UsageError } from '../../base/errors.js';
import { byNames, largestFirst } from '../../base/ranking.js';
import { didYouMean } from '../../config/suggestion.js';
import type { ClusterReading } from '../../query/cluster-reading.js';
import { knownPods, measuredRecords, type PodFilter } from '../../query/pod-filter.js';
import type { TopResource } from '../resources.js';
import { suggestions } from '../text/suggestions.js';
import { renderTable } from '../text/table.js';
import { terminalText, wrap } from '../text/terminal-text.js';
import { evictionsView } from './eviction-rows.js';
import { ageNote, missingNotes } from './missing.js';
import { nodesView } from './node-rows.js';
import { containersView, podsView, volumesView } from './pod-rows.js';
import { unenforcedNote, type View, type ViewColumn } from './view.js';
import { workloadsView } from './workload-rows.js';

export interface TopQuery {
  readonly resource: TopResource;
  readonly filter: PodFilter;
  /** A column; undefined: largest first. */
  readonly sortBy: string | undefined;
  /** Rows at most; Infinity for all. */
  readonly limit: number;
}

/** What there is to list, in order. */
export interface Listing {
  readonly rowCount: number;
  /** Of the first rows. */
  readonly reports: (limit: number) => readonly object[];
  readonly names: (limit: number) => readonly string[];
  readonly table: (limit: number, screen: Screen) => ReturnType<typeof renderTable>;
  /** About limits of the first rows; undefined when they are as they seem. */
  readonly limitsNote: (limit: number) => string | undefined;
}

export interface Screen {
  /** Infinity: nothing is shortened or hidden. */
  readonly columns: number;
  /** Undefined: any number of lines. */
  readonly rows?: number;
  readonly isWide?: boolean;
  readonly hasHeader?: boolean;
  readonly hasColour?: boolean;
  /** Whether it has a note of how old the data is; with it unless false. */
  readonly hasAge?: boolean;
}

interface Lister {
  readonly list: (reading: ClusterReading, query: TopQuery) => Listing;
  readonly headers: readonly string[];
}

const listers: Readonly<Record<TopResource, Lister>> = {
  workloads: lister(workloadsView),
  pods: lister(podsView),
  containers: lister(containersView),
  volumes: lister(volumesView),
  nodes: lister(nodesView),
  evictions: lister(evictionsView),
};

function lister<Row extends object>({ columns, ...view }: View<Row>): Lister {
  return {
    headers: columns.map(({ header }) => header.toLowerCase()),
    list: (reading, { filter, sortBy }) => {
      const found = view.rows(reading, filter);
      const column = columns.find(({ header }) => header.toLowerCase() === sortBy);
      const rows = column === undefined ? found : [...found].sort(byColumn(column));
      const isShown = ({ isWide, isOfNamespace, isSeldom, value }: ViewColumn<Row>, screen: Screen): boolean =>
        (isWide !== true || screen.isWide === true) &&
        (isOfNamespace !== true || filter.namespace === undefined) &&
        (isSeldom !== true || rows.some((row) => value?.(row) !== undefined));
      return {
        rowCount: rows.length,
        reports: (limit) => rows.slice(0, limit).map(view.report ?? ((row) => row)),
        names: (limit) => rows.slice(0, limit).map(view.name),
        limitsNote: (limit) => unenforcedNote(rows.slice(0, limit).map((row) => view.limit?.(row))),
        table: (limit, screen) =>
          renderTable(
            columns.filter((candidate) => isShown(candidate, screen)),
            rows.slice(0, limit),
            screen.columns,
            screen,
          ),
      };
    },
  };
}

/** By value, largest first and unknown ones last, or by text. */
function byColumn<Row>({ value, text }: ViewColumn<Row>): (a: Row, b: Row) => number {
  return value === undefined ? byNames((row) => [text(row)]) : largestFirst(value, () => []);
}

/** The column that `--sort-by` names, also as `.used` or `{.used}`. Throws UsageError. */
export function parseSortBy(text: string, resource: TopResource): string {
  const { headers } = listers[resource];
  const word = text.replace(/^\{?\.?(.*?)\}?$/, '$1').toLowerCase();
  const name = word === 'name' ? resource.slice(0, -1) : word;
  if (headers.includes(name)) return name;
  const allowed = `${headers.join(', ')}${didYouMean(name, headers)}`;
  throw new UsageError(`--sort-by: found "${terminalText(text)}", allowed: ${allowed}`);
}

export function list(reading: ClusterReading, query: TopQuery): Listing {
  return listers[query.resource].list(reading, query);
}

export interface TopPage {
  /** The table; none without rows. */
  readonly lines: readonly string[];
  readonly notes: readonly string[];
}

/** The table and its notes. On a screen of few lines there are fewer rows, so that the largest do not scroll away. */
export function topPage(reading: ClusterReading, query: TopQuery, screen: Screen): TopPage {
  const listing = list(reading, query);
  return fittingPage(reading, query, { listing, screen, shownCount: Math.min(query.limit, listing.rowCount) });
}

/** A page as one text, its notes below its table. */
export function pageText({ lines, notes }: TopPage): string {
  return `${[...lines, ...(lines.length === 0 ? [] : ['']), ...notes].join('\n')}\n`;
}

interface Draft {
  readonly listing: Listing;
  readonly screen: Screen;
  readonly shownCount: number;
}

/** With fewer rows there may be more notes: row after row goes until all fits, with the line that the cursor is left on. */
function fittingPage(reading: ClusterReading, query: TopQuery, draft: Draft): TopPage {
  const page = pageOf(reading, query, draft);
  const excess = pageText(page).split('\n').length - (draft.screen.rows ?? Infinity);
  if (excess <= 0 || draft.shownCount <= 1) return page;
  return fittingPage(reading, query, { ...draft, shownCount: Math.max(1, draft.shownCount - excess) });
}

function pageOf(reading: ClusterReading, query: TopQuery, { listing, screen, shownCount }: Draft): TopPage {
  const table = listing.table(shownCount, screen);
  const { dropped } = table;
  const notes = [
    listing.rowCount === 0 ? emptyNote(reading, query) : countNote(query, listing.rowCount, shownCount),
    dropped.length === 0 ? undefined : `Columns hidden: ${dropped.join(', ')} (widen the terminal or use -o wide)`,
    listing.limitsNote(shownCount),
    screen.hasAge === false ? undefined : ageNote(reading),
    ...missingNotes(reading, query.filter),
  ];
  return {
    lines: listing.rowCount === 0 ? [] : table.lines,
    notes: notes.filter((note) => note !== undefined).flatMap((note) => wrap(note, screen.columns)),
  };
}

/** Why there is nothing, as far as the namespace explains it. */
export function emptyNote(reading: ClusterReading, { resource, filter }: TopQuery): string {
  const { namespace } = filter;
  if (namespace === undefined) return `No ${resource} found.`;
  const start = `No ${resource} found in namespace ${terminalText(namespace)}`;
  const everywhere = { ...filter, namespace: undefined };
  const pods = [
    ...knownPods(reading, everywhere).map(({ pod }) => pod),
    ...measuredRecords(reading, everywhere).map(({ summary }) => summary),
  ];
  const namespaces = new Set(pods.map((pod) => pod.namespace));
  if (namespaces.size === 0 || namespaces.has(namespace)) return `${start}.`;
  return `${start}${suggestions(namespace, namespaces) || '; -A lists all namespaces.'}`;
}

function countNote({ resource, limit }: TopQuery, count: number, shownCount: number): string | undefined {
  if (shownCount >= count) return undefined;
  const hint = shownCount < limit ? 'the terminal has no more lines' : '--limit 0 for all';
  return `${shownCount} of ${count} ${resource}; ${hint}.`;
}
