import { formatAge, formatBytes, formatPercent } from '../../../base/units.js';
import { type Column, tableLines } from '../../text/table.js';
import { paragraphs, wrapped } from '../../text/terminal-text.js';
import { ownLines } from '../../text/verdict-lines.js';
import type { EntryReport, PartReport, PodDirectories } from './directory-report.js';

const shownCount = 20;

/** What is in a pod, for people. */
export function directoryText(report: PodDirectories, width: number): string {
  const { parts, largest, problems } = report;
  const hiddenCount = largest.length - shownCount;
  const more = hiddenCount > 0 ? [`and ${hiddenCount} more; -o json has them.`] : [];
  return paragraphs([
    wrapped(headline(report), width),
    tableLines(partColumns, parts, width),
    [...tableLines(entryColumns, largest.slice(0, shownCount), width), ...wrapped(more, width)],
    ...problems.map((problem) => ownLines(problem, width)),
  ]);
}

function headline(report: PodDirectories): readonly string[] {
  const { namespace, pod, node, usedBytes, summaryBytes, summaryAgeMs, differenceBytes } = report;
  const place = node === undefined ? '' : ` on ${node}`;
  const sum = `Pod ${namespace}/${pod}${place}: ${formatBytes(usedBytes)} in all, with logs as in the summary.`;
  if (summaryBytes === undefined || differenceBytes === undefined) return [sum];
  const age = summaryAgeMs === undefined ? '' : `, ${formatAge(summaryAgeMs)} old,`;
  return [sum, `The summary${age} has ${formatBytes(summaryBytes)}: ${differenceText(differenceBytes)}`];
}

function differenceText(bytes: number): string {
  if (bytes === 0) return 'the same.';
  const found = `${formatBytes(Math.abs(bytes))} ${bytes > 0 ? 'more' : 'less'} was found.`;
  return `${found} Volumes in a summary are up to two minutes old.`;
}

const partColumns: readonly Column<PartReport>[] = [
  { header: 'PART', text: placeText, minWidth: 12 },
  { header: 'FOUND', text: ({ foundBytes }) => formatBytes(foundBytes), align: 'right' },
  { header: 'SUMMARY', text: ({ summaryBytes }) => formatBytes(summaryBytes), align: 'right', dropRank: 1 },
  { header: 'DIFFERENCE', text: ({ differenceBytes }) => formatBytes(differenceBytes), align: 'right', dropRank: 2 },
  { header: 'SHARE', text: ({ ratio }) => formatPercent(ratio), align: 'right', dropRank: 1 },
  { header: '', text: noteText, minWidth: 12 },
];

const entryColumns: readonly Column<EntryReport>[] = [
  { header: 'USED', text: ({ bytes }) => formatBytes(bytes), align: 'right' },
  { header: 'SHARE', text: ({ ratio }) => formatPercent(ratio), align: 'right' },
  { header: 'TYPE', text: ({ isDirectory }) => (isDirectory ? 'directory' : 'file'), dropRank: 3 },
  { header: 'IN', text: placeText, minWidth: 10, dropRank: 2 },
  { header: 'PATH', text: ({ path }) => path, minWidth: 20 },
];

function placeText({ part, container, volume }: PartReport | EntryReport): string {
  const name = volume ?? container;
  return name === undefined ? part : `${part} ${name}`;
}

const stateTexts = {
  complete: undefined,
  unreadable: 'some of it could not be read',
  timeout: 'the time was up: at least this much',
} as const;

function noteText({ part, state, skippedCount = 0, foundBytes }: PartReport): string {
  if (foundBytes === undefined) return part === 'logs' || part === 'other' ? '' : 'not listed';
  const notes = [state && stateTexts[state], skippedCount > 0 ? `${skippedCount} names skipped` : undefined];
  return notes.filter((note) => note !== undefined).join('; ');
}
