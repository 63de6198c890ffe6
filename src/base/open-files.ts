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
