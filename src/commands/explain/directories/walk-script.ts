import { readFileSync } from 'node:fs';

import { tellingEntries, type Walk, type WalkEntry } from './pod-directories.js';

/** A container's file systems, as far as they are listed. */
export interface WalkPlan {
  /** What precedes every path: '' in the container itself, `/proc/1/root` beside it. */
  readonly root: '' | '/proc/1/root';
  /** What has changed since is the writable layer. */
  readonly startedAtMs: number;
  /** Of all walks together. */
  readonly durationSeconds: number;
  /** Mount paths of emptyDirs, which are walked. */
  readonly emptyDirPaths: readonly string[];
  /** All other mount paths, which are not. */
  readonly otherPaths: readonly string[];
}

/** The runtime mounts them, whatever the spec says. */
const runtimePaths = ['/etc/hosts', '/etc/hostname', '/etc/resolv.conf'];

/** How many directories, and how many files, a walk lists. */
const listedCount = 20;

/** What `walk-container.sh` says of itself: the lines of its output are described there. Its comments are not sent. */
const walkScript = shellScript(new URL('./walk-container.sh', import.meta.url));

/** Returns the command of a container's walks, without any word that a shell of this machine interprets. */
export function walkCommand(plan: WalkPlan): readonly string[] {
  const { root, startedAtMs, durationSeconds, emptyDirPaths, otherPaths } = plan;
  const numbers = [Math.floor(startedAtMs / 1000), durationSeconds, emptyDirPaths.length, listedCount].map(String);
  return ['sh', '-c', walkScript, 'sh', root, ...numbers, ...emptyDirPaths, ...otherPaths, ...runtimePaths];
}

/** Returns the text of a script without the comments that have a line of their own: it is sent with each command. */
export function shellScript(file: URL): string {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.filter((line) => !line.startsWith('#')).join('\n');
}

export interface WalkOutput {
  /** By their numbers. */
  readonly walks: ReadonlyMap<number, Walk>;
  /** Programs that the image has not, without which nothing is listed. */
  readonly missingTools: readonly string[];
  /** Share of the time in which all tasks of the node waited for its disks, if that is why nothing was listed. */
  readonly ioPressure: number | undefined;
}

/** Blocks of `stat`. */
const blockBytes = 512;
const maxPathLength = 4096;

/** Codes of `timeout`, of GNU and of older busyboxes, and of a shell whose child was killed. */
const timeoutCodes = [124, 137, 143];

const forms = {
  missing: /^m (?<tool>[a-z]{1,20})$/,
  pressure: /^p (?<percent>\d{1,3}(?:\.\d+)?)$/,
  entry: /^(?<kind>[df]) (?<blocks>\d{1,15}) (?<path>\/.*)$/,
  code: /^e (?<code>\d{1,3})$/,
  end: /^t (?<blocks>\d{1,15}) (?<files>\d{1,15}) (?<bad>\d{1,15})$/,
} as const;

/** Reads what the script has written. Whatever it does not understand is left out: a container may write anything. */
export function parseWalkOutput(text: string): WalkOutput {
  const [head = '', ...sections] = text.split(/^w /m);
  const percents = head.split('\n').flatMap((line) => forms.pressure.exec(line)?.groups?.['percent'] ?? []);
  return {
    walks: new Map(sections.flatMap(numberedWalk)),
    missingTools: head.split('\n').flatMap((line) => forms.missing.exec(line)?.groups?.['tool'] ?? []),
    ioPressure: percents[0] === undefined ? undefined : Number(percents[0]) / 100,
  };
}

/** Empty without its ends: nobody knows what is missing then. */
function numberedWalk(section: string): readonly (readonly [number, Walk])[] {
  const [number = '', ...lines] = section.split('\n');
  const { code } = lastMatch(forms.code, lines);
  const { blocks, files, bad } = lastMatch(forms.end, lines);
  if (!/^\d{1,4}$/.test(number) || blocks === undefined || code === undefined) return [];
  const walk = {
    state: stateOf(Number(code)),
    bytes: Number(blocks) * blockBytes,
    fileCount: Number(files),
    skippedCount: Number(bad),
    entries: tellingEntries(lines.flatMap(entryOf).slice(0, 2 * listedCount)),
  };
  return [[Number(number), walk]];
}

function lastMatch(form: RegExp, lines: readonly string[]): Readonly<Partial<Record<string, string>>> {
  return form.exec(lines.findLast((line) => form.test(line)) ?? '')?.groups ?? {};
}

function entryOf(line: string): readonly WalkEntry[] {
  const { kind, blocks, path } = forms.entry.exec(line)?.groups ?? {};
  if (path === undefined || path.length > maxPathLength) return [];
  return [{ path, bytes: Number(blocks) * blockBytes, isDirectory: kind === 'd' }];
}

function stateOf(code: number): Walk['state'] {
  if (code === 0) return 'complete';
  return timeoutCodes.includes(code) ? 'timeout' : 'unreadable';
}
