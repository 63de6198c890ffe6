/** Files of the host. Those of the kernel are in memory, so they are read synchronously. */
import { readdirSync, readFileSync } from 'node:fs';

/** Returns the text of a file; undefined for one that cannot be read, such as that of a pod that has just ended. */
export function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Returns the names in a folder; none for a folder that cannot be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
