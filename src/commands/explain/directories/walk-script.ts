import { readFileSync } from 'node:fs';

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
export const listedCount = 20;

/** What `walk-container.sh` says of itself: the lines of its output are described there. Its comments are not sent. */
const walkScript = shellScript(new URL('./walk-container.sh', import.meta.url));

/** Returns the command of a container's walks, without any word that a shell of this machine interprets. */
export function walkCommand({
  root,
  startedAtMs,
  durationSeconds,
  emptyDirPaths,
  otherPaths,
}: WalkPlan): readonly string[] {
  const numbers = [Math.floor(startedAtMs / 1000), durationSeconds, emptyDirPaths.length, listedCount].map(String);
  return ['sh', '-c', walkScript, 'sh', root, ...numbers, ...emptyDirPaths, ...otherPaths, ...runtimePaths];
}

/** Returns the text of a script without the comments that have a line of their own: it is sent with each command. */
export function shellScript(file: URL): string {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.filter((line) => !line.startsWith('#')).join('\n');
}
