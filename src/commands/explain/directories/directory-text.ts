import { formatBytes, formatPercent } from '../../../lib/base/units.js';
import { type Column, tableLines } from '../../../people/pens/table.js';
import { paragraphs, wrapped } from '../../../people/pens/terminal-text.js';
import { ownLines } from '../../../people/pens/verdict-lines.js';
import { partName, partNote, summaryText, sumText } from '../../../people/report/directory-texts.js';
import {
  type EntryReport,
  hasFound,
  type PartReport,
  type PodDirectories,
} from '../../../people/report/pod-directories.js';

const shownCount = 20;

/** What is in a pod, for people. */
export function directoryText(report: PodDirectories, width: number): string {
  const { parts, largest } = report;
  const hiddenCount = largest.length - shownCount;
  const isKnown = hasFound(report) || parts.some(({ summaryBytes }) => summaryBytes !== undefined);
  const more = hiddenCount > 0 ? [`and ${hiddenCount} more; -o json has them.`] : [];
  return paragraphs([
    wrapped(headline(report), width),
    isKnown ? tableLines(partColumns, parts, width) : [],
    [...tableLines(entryColumns, largest.slice(0, shownCount), width), ...wrapped(more, width)],
    ...report.problems.map((problem) => ownLines(problem, width)),
  ]);
}

function headline(report: PodDirectories): readonly string[] {
  const { namespace, pod, node } = report;
  const place = node === undefined ? '' : ` on ${node}`;
  const subject = `Pod ${namespace}/${pod}${place}`;
  const summary = summaryText(report) ?? [];
  if (hasFound(report)) return [`${subject}: ${sumText(report)}.`].concat(summary);
  return [`${subject}: nothing was listed.`].concat(summary);
}

const partColumns: readonly Column<PartReport>[] = [
  { header: 'PART', text: partName, minWidth: 12 },
  { header: 'FOUND', text: ({ foundBytes }) => formatBytes(foundBytes), align: 'right' },
  { header: 'SUMMARY', text: ({ summaryBytes }) => formatBytes(summaryBytes), align: 'right', dropRank: 1 },
  { header: 'DIFFERENCE', text: ({ differenceBytes }) => formatBytes(differenceBytes), align: 'right', dropRank: 2 },
  { header: 'SHARE', text: ({ ratio }) => formatPercent(ratio), align: 'right', dropRank: 1 },
  { header: '', text: partNote, minWidth: 12 },
];

const entryColumns: readonly Column<EntryReport>[] = [
  { header: 'USED', text: ({ bytes }) => formatBytes(bytes), align: 'right' },
  { header: 'SHARE', text: ({ ratio }) => formatPercent(ratio), align: 'right' },
  { header: 'TYPE', text: ({ isDirectory }) => (isDirectory ? 'directory' : 'file'), dropRank: 3 },
  { header: 'IN', text: partName, minWidth: 10, dropRank: 2 },
  { header: 'PATH', text: ({ path }) => path, minWidth: 20 },
];
