import { readFileSync } from 'node:fs';

/** Returns the text of a script without the comments that have a line of their own: it is sent with each command. */
export function shellScript(file: URL): string {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.filter((line) => !line.startsWith('#')).join('\n');
}
