import type { ClusterReading } from '../cluster-reader.js';
import { renderTable, type TableText } from '../text/table.js';
import { wrap } from '../text/terminal-text.js';
import { containersView } from './containers.js';
import type { PodFilter } from './filter.js';
import { ageNote, missingNotes } from './missing.js';
import { nodesView } from './nodes.js';
import { podsView } from './pods.js';
import type { View } from './view.js';
import { volumesView } from './volumes.js';
import { workloadsView } from './workloads.js';

/** What `top` can list. */
export const topSubjects = ['workloads', 'pods', 'containers', 'volumes', 'nodes'] as const;
export type TopSubject = (typeof topSubjects)[number];

export interface TopQuery {
  readonly subject: TopSubject;
  readonly filter: PodFilter;
  /** Rows at most; Infinity for all. */
  readonly limit: number;
}

interface Found {
  /** Plain data, biggest first. */
  readonly rows: readonly object[];
  readonly table: (limit: number, width: number) => TableText;
}

const finders: Readonly<Record<TopSubject, (reading: ClusterReading, filter: PodFilter) => Found>> = {
  workloads: finder(workloadsView),
  pods: finder(podsView),
  containers: finder(containersView),
  volumes: finder(volumesView),
  nodes: finder(nodesView),
};

function finder<Row extends object>(view: View<Row>) {
  return (reading: ClusterReading, filter: PodFilter): Found => {
    const rows = view.rows(reading, filter);
    return { rows, table: (limit, width) => renderTable(view.columns, rows.slice(0, limit), width) };
  };
}

export function topRows(reading: ClusterReading, { subject, filter, limit }: TopQuery): readonly object[] {
  return finders[subject](reading, filter).rows.slice(0, limit);
}

export interface ScreenSize {
  readonly columns: number;
  /** Undefined: any number of lines. */
  readonly rows?: number;
}

/** The table with what there is to say about it. With a number of rows the table gives way, lest the biggest scroll away. */
export function topText(reading: ClusterReading, query: TopQuery, screen: ScreenSize): string {
  const found = finders[query.subject](reading, query.filter);
  const shownCount = Math.min(query.limit, found.rows.length);
  return `${fittingLines(reading, query, { found, screen, shownCount }).join('\n')}\n`;
}

interface Page {
  readonly found: Found;
  readonly screen: ScreenSize;
  readonly shownCount: number;
}

/** With fewer rows there may be more notes: row after row goes until all fits, with the line that the cursor is left on. */
function fittingLines(reading: ClusterReading, query: TopQuery, page: Page): readonly string[] {
  const text = lines(reading, query, page);
  const excess = text.length + 1 - (page.screen.rows ?? Infinity);
  if (excess <= 0 || page.shownCount <= 1) return text;
  return fittingLines(reading, query, { ...page, shownCount: Math.max(1, page.shownCount - excess) });
}

function lines(reading: ClusterReading, query: TopQuery, { found, screen, shownCount }: Page): readonly string[] {
  const table = found.table(shownCount, screen.columns);
  const notes = [
    countNote(query, found.rows.length, shownCount),
    table.dropped.length === 0 ? undefined : `No room for ${table.dropped.join(', ')}.`,
    ageNote(reading),
    ...missingNotes(reading, query.filter),
  ];
  const text = notes.filter((note) => note !== undefined).flatMap((note) => wrap(note, screen.columns));
  return found.rows.length === 0 ? text : [...table.lines, '', ...text];
}

function countNote({ subject, limit }: TopQuery, count: number, shownCount: number): string | undefined {
  if (count === 0) return `No ${subject}.`;
  if (shownCount >= count) return undefined;
  const hint = shownCount < limit ? 'the terminal has room for no more' : '--limit 0 for all';
  return `${shownCount} of ${count} ${subject}; ${hint}.`;
}
