import { formatCount } from '../../lib/base/text.js';
import type { BlockOf } from '../../people/pens/document.js';
import { wrapped } from '../../people/pens/terminal-text.js';
import { lineText, writeTable } from '../../people/pens/text-pen.js';
import type { ListQuestion, WrittenAnswer } from '../../serve/source/answer-source.js';

/** What was found, and for which question. */
export interface Listing {
  readonly answer: WrittenAnswer;
  readonly question: ListQuestion;
}

export interface Screen extends Omit<Parameters<typeof writeTable>[1], 'width' | 'isWhole'> {
  /** Infinity: nothing is shortened or hidden. */
  readonly columns: number;
  /** Undefined: any number of lines. */
  readonly rows?: number | undefined;
  /** Whether it is shown again and again. */
  readonly isWatched?: boolean;
  /** Whether it has a note of how old the data is; with it unless false. */
  readonly hasAge?: boolean;
}

export interface TopPage {
  /** The table; none without rows. */
  readonly lines: readonly string[];
  readonly notes: readonly string[];
}

/** Returns the table of a list. */
export function tableOf(answer: WrittenAnswer): BlockOf<'table'> {
  const table = blocksOf(answer).find((block) => block.is === 'table');
  if (table === undefined) throw new Error('a list without a table');
  return table;
}

const blocksOf = ({ documents }: WrittenAnswer) => documents.flatMap(({ blocks }) => blocks);

/**
 * The table and its notes. On a screen of few lines there are fewer rows, so that the first ones do not scroll away; with fewer rows there
 * may be more notes: row after row goes until all fits, with the line that the cursor is left on.
 */
export function topPage(found: Listing, screen: Screen, shownCount = tableOf(found.answer).rows.length): TopPage {
  const page = pageOf(found, screen, shownCount);
  const excess = pageText(page).split('\n').length - (screen.rows ?? Infinity);
  if (excess <= 0 || shownCount <= 1) return page;
  return topPage(found, screen, Math.max(1, shownCount - excess));
}

/** A page as one text, its notes below its table. */
export function pageText({ lines, notes }: TopPage): string {
  return `${[...lines, ...(lines.length === 0 ? [] : ['']), ...notes].join('\n')}\n`;
}

function pageOf(found: Listing, screen: Screen, shownCount: number): TopPage {
  const table = tableOf(found.answer);
  const shown = { ...table, rows: table.rows.slice(0, shownCount) };
  const { lines, dropped } = writeTable(shown, { ...screen, width: screen.columns });
  const notes = [
    table.rows.length === 0 ? table.none : countNote(found, shownCount),
    dropped.length === 0 ? undefined : `Columns hidden: ${dropped.join(', ')} (widen the terminal or use -o wide)`,
    ...blocksOf(found.answer).flatMap((block) => (block.is === 'text' ? [lineText(block.line)] : [])),
    screen.hasAge === false ? undefined : found.answer.ageNote(screen.isWatched === true),
    ...missingOf(found.answer),
  ];
  return {
    lines,
    notes: wrapped(
      notes.filter((note) => note !== undefined),
      screen.columns,
    ),
  };
}

/** What is missing from an answer. */
export function missingOf({ documents }: WrittenAnswer): readonly string[] {
  return documents.flatMap(({ notes = [] }) => notes);
}

function countNote({ answer, question }: Listing, shownCount: number): string | undefined {
  const { rows, totalCount = rows.length, what = '' } = tableOf(answer);
  if (shownCount >= totalCount) return undefined;
  const hint = shownCount < rows.length ? 'the terminal has no more lines' : moreHint(answer, question, totalCount);
  return `${formatCount(shownCount)} of ${formatCount(totalCount)} ${what}; ${hint}.`;
}

/** Says that there are more rows than an answer has; undefined where the user wanted fewer. */
export function cutNote(found: Listing): string | undefined {
  const { answer, question } = found;
  return question.limit < answer.maxRowCount ? undefined : countNote(found, tableOf(answer).rows.length);
}

function moreHint({ maxRowCount }: WrittenAnswer, { resource, limit }: ListQuestion, totalCount: number): string {
  if (limit < maxRowCount && totalCount <= maxRowCount) return '--limit 0 for all';
  const choice = `choose with ${choiceOf(resource)}`;
  return limit < maxRowCount ? `--limit 0 for ${formatCount(maxRowCount)}, or ${choice}` : choice;
}

/** What chooses fewer rows. */
function choiceOf(resource: ListQuestion['resource']): string {
  if (resource === 'nodes' || resource === 'namespaces') return 'a name';
  return resource === 'workloads' ? '-n, -l' : '-n, -l, --node';
}
