import { formatBytes } from '../../../lib/base/units.js';
import { type Column, tableLines } from '../../../people/pens/table.js';
import { paragraphs, terminalText, wrapped } from '../../../people/pens/terminal-text.js';
import {
  type EntryReport,
  hasFound,
  type ListingProblem,
  type PartReport,
  type PodDirectories,
} from './pod-directories.js';

const shownCount = 20;

/** Returns what is in a pod, for people. */
export function directoryText(report: PodDirectories, width: number): string {
  const { namespace, pod, node, bytes, parts, largest, problems } = report;
  const place = node === undefined ? '' : ` on ${node}`;
  const found = hasFound(report) ? `${formatBytes(bytes)} found. Logs are not in it.` : 'nothing was listed.';
  const hiddenCount = largest.length - shownCount;
  const more = hiddenCount > 0 ? [`and ${hiddenCount} more; -o json has them.`] : [];
  return paragraphs([
    wrapped([`Pod ${namespace}/${pod}${place}: ${found}`], width),
    tableLines(partColumns, parts, width),
    [...tableLines(entryColumns, largest.slice(0, shownCount), width), ...wrapped(more, width)],
    ...problems.map((problem) => problemLines(problem, width)),
  ]);
}

/** The commands are this program's own. None is broken, so that it can be copied. */
function problemLines({ text, commands }: ListingProblem, width: number): readonly string[] {
  return [...wrapped([text], width), ...commands.map((command) => `  ${terminalText(command)}`)];
}

const partColumns: readonly Column<PartReport>[] = [
  { header: 'PART', text: partName, minWidth: 12 },
  { header: 'USED', text: ({ bytes }) => formatBytes(bytes), align: 'right' },
  { header: 'FILES', text: ({ fileCount }) => String(fileCount), align: 'right', dropRank: 1 },
  { header: '', text: partNote, minWidth: 12 },
];

const entryColumns: readonly Column<EntryReport>[] = [
  { header: 'USED', text: ({ bytes }) => formatBytes(bytes), align: 'right' },
  { header: 'TYPE', text: ({ isDirectory }) => (isDirectory ? 'directory' : 'file'), dropRank: 3 },
  { header: 'IN', text: partName, minWidth: 10, dropRank: 2 },
  { header: 'PATH', text: ({ path }) => path, minWidth: 20 },
];

function partName({ container, volume }: Pick<PartReport, 'container' | 'volume'>): string {
  return volume === undefined ? `rootfs ${container}` : `emptydir ${volume}`;
}

const stateTexts = {
  complete: undefined,
  unreadable: 'some of it could not be read',
  timeout: 'the time was up: at least this much',
} as const;

/** Returns what is to be said of a part; '' for nothing. */
function partNote({ state, skippedCount }: PartReport): string {
  const notes = [stateTexts[state], skippedCount > 0 ? `${skippedCount} names skipped` : undefined];
  return notes.filter((note) => note !== undefined).join('; ');
}
