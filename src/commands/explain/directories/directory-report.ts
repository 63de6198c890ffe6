import { UserError } from '../../../lib/base/errors.js';
import { moreText } from '../../../lib/base/text.js';
import { formatBytes } from '../../../lib/base/units.js';
import { type Column, tableLines } from '../../../people/pens/table.js';
import { paragraphs, terminalText, wrapped } from '../../../people/pens/terminal-text.js';
import type { CredentialFlags } from '../../../serve/source/one-shot.js';
import { type CommandOutput, dataText, screenColumns } from '../../text/output.js';
import type { ExplainOptions } from '../explain-command.js';

export interface DirectoryOptions extends Omit<ExplainOptions, 'resource'>, CredentialFlags {
  /** Undefined: the default; 0: no limit. */
  readonly requestTimeoutMs?: number | undefined;
  /** Of a pod; undefined: all that run. */
  readonly container: string | undefined;
  /** Of the debug pod of a node. */
  readonly image: string;
  /** Prints what would be run. */
  readonly isDryRun: boolean;
}

export interface MeasuredDirectories {
  /** The writable layer of a container, an emptyDir, or what is of one owner on a node. */
  readonly parts: readonly DirectoryPart[];
  readonly largest: readonly MeasuredPath[];
}

interface DirectoryPart {
  readonly part: string;
  readonly bytes: number;
  /** Says what is not in the sum; often empty. */
  readonly note: string;
}

interface MeasuredPath {
  readonly part: string;
  readonly bytes: number;
  /** A directory ends with a slash, and has all that is in it. */
  readonly path: string;
}

export interface DirectoryReport extends MeasuredDirectories {
  readonly title: string;
  /** What was not measured, and the commands that help. */
  readonly problems: readonly { readonly text: string; readonly commands?: readonly string[] }[];
}

/** A directory that holds little more than one other entry says nothing that the entry does not say. */
const almostAll = 0.95;
/** Each is compared with all. */
const maxPathCount = 1_000;

/** Reads what the scripts have written. Whatever it does not understand is left out: a container may write anything. */
export function parseDirectories(text: string): MeasuredDirectories {
  const found = Array.from(
    text.matchAll(/^([ps])\t([^\t\n]*)\t(\d{1,16})\t(.*)$/gm),
    ([, kind, part = '', bytes, rest = '']) => ({
      isPart: kind === 's',
      part,
      bytes: Number(bytes),
      rest,
    }),
  );
  const parts = found.filter(({ isPart }) => isPart).map(({ part, bytes, rest: note }) => ({ part, bytes, note }));
  const paths = found.filter(({ isPart }) => !isPart).map(({ part, bytes, rest: path }) => ({ part, bytes, path }));
  const largest = paths.sort((a, b) => b.bytes - a.bytes).slice(0, maxPathCount);
  const isRepeated = ({ path, bytes }: MeasuredPath): boolean =>
    path.endsWith('/') &&
    largest.some((other) => other.path !== path && other.path.startsWith(path) && other.bytes >= almostAll * bytes);
  return { parts, largest: largest.filter((entry) => !isRepeated(entry)) };
}

const shownCount = 20;

/** Writes a report, the largest first. Throws UserError for one of which nothing was measured. */
export function writeDirectories(
  { title, problems, ...measured }: DirectoryReport,
  output: ExplainOptions['output'],
  { writeOut, terminal }: CommandOutput,
): void {
  const parts = measured.parts.toSorted((a, b) => b.bytes - a.bytes);
  const largest = measured.largest.toSorted((a, b) => b.bytes - a.bytes);
  const width = screenColumns(terminal());
  const text = (): string =>
    paragraphs([
      wrapped([title], width),
      tableLines(partColumns, parts, width),
      tableLines(pathColumns, largest.slice(0, shownCount), width),
      wrapped([moreText(shownCount, largest.length)].filter(Boolean), width),
      // No command is broken, so that it can be copied.
      ...problems.map(({ text: line, commands = [] }) => [
        ...wrapped([line], width),
        ...commands.map((command) => `  ${terminalText(command)}`),
      ]),
    ]);
  writeOut(output === 'text' ? text() : dataText({ title, parts, largest, problems }, output));
  if (parts.length + largest.length === 0) throw new UserError('nothing was measured');
}

const partColumns: readonly Column<DirectoryPart>[] = [
  { header: 'PART', text: ({ part }) => part, minWidth: 12 },
  { header: 'USED', text: ({ bytes }) => formatBytes(bytes), align: 'right' },
  { header: '', text: ({ note }) => note, minWidth: 12 },
];

const pathColumns: readonly Column<MeasuredPath>[] = [
  { header: 'USED', text: ({ bytes }) => formatBytes(bytes), align: 'right' },
  { header: 'IN', text: ({ part }) => part, minWidth: 10, dropRank: 2 },
  { header: 'PATH', text: ({ path }) => path, minWidth: 20 },
];
