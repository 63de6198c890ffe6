import { readFileSync } from 'node:fs';

/**
 * How many files and connections this process may have open; undefined where Linux's /proc does not show it, or without a
 * limit. Node.js raises the soft limit to the hard one when it starts.
 */
export function readOpenFileLimit(file = '/proc/self/limits'): number | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  const softLimit = /^Max open files +(\d+)/m.exec(text)?.[1];
  return softLimit === undefined ? undefined : Number(softLimit);
}

/** How to fix a limit that is too low. */
export const openFileHint = 'raise it with ulimit -n, or LimitNOFILE of systemd or containerd';

/** With so many the program starts and serves any number of nodes: its own files are opened at once. */
const neededCount = 96;

/** Why the program cannot start, on one line; undefined when it can, or the limit is not known. */
export function openFileFault(limit: number | undefined): string | undefined {
  if (limit === undefined || limit >= neededCount) return undefined;
  return `the limit of open files is ${limit}, and ${neededCount} are needed: ${openFileHint}`;
}
