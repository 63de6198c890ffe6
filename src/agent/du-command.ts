import { access, constants } from 'node:fs/promises';
import path from 'node:path';

import { UserError } from '../base/errors.js';
import { mountPointsBelow } from '../node/mount-info.js';

/** What du is to measure. */
export interface DuTarget {
  /** An absolute path; of a link, the link itself is measured. */
  readonly directory: string;
  /** Levels below the directory that are listed; deeper ones count for those above them. */
  readonly maxDepth: number;
  /** Smaller entries are not listed and count for those above them. */
  readonly thresholdBytes: number;
}

/**
 * The command that runs GNU du at the lowest priority for CPU and disk: each of its programs takes the place of the one before.
 * Rejects when the image lacks one of them.
 */
export async function findDuCommand(searchPath: string): Promise<readonly string[]> {
  const names = ['ionice', 'nice', 'du'] as const;
  const [ionice, nice, du] = await Promise.all(names.map((name) => findProgram(name, searchPath)));
  if (ionice !== undefined && nice !== undefined && du !== undefined) return [ionice, '-c3', nice, '-n19', du];
  const missing = names.filter((_, index) => [ionice, nice, du][index] === undefined);
  throw new UserError(
    `cannot measure directories: ${missing.join(', ')} not found in PATH (${searchPath}); ` +
      "use the exporter's own image, or one with GNU coreutils and util-linux",
  );
}

async function findProgram(name: string, searchPath: string): Promise<string | undefined> {
  for (const folder of searchPath.split(path.delimiter)) {
    const file = path.join(folder, name);
    const isExecutable = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isExecutable) return file;
  }
  return undefined;
}

/** More would not fit in a command. */
const maxExcludedCount = 1_000;

/**
 * Lists directories and files, never follows links, stays on one filesystem; the last record is the total. `mounts`: the text of the
 * mount table, as du enters what is a bind of the same filesystem.
 */
export function duArguments({ directory, maxDepth, thresholdBytes }: DuTarget, mounts: string): readonly string[] {
  const excluded = mountPointsBelow(directory, mounts).slice(0, maxExcludedCount);
  const patterns = excluded.map((mountPoint) => `--exclude=${mountPoint.replaceAll(/[*?[\\]/g, String.raw`\$&`)}`);
  return ['-xP0acB1', `--max-depth=${maxDepth}`, `--threshold=${thresholdBytes}`, ...patterns, '--', directory];
}
