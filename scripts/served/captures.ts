import { readdir } from 'node:fs/promises';
import path from 'node:path';

import { runArguments } from '../../src/commands/command-line.js';
import { aCommandContext } from '../../test/support/command-context.js';
import type { ServedFolder } from './folder.js';

const variants = [
  { name: 'standard', flags: [] },
  { name: 'full', flags: ['--set', 'metrics.profile=full'] },
  { name: 'even', flags: ['--set', 'attribution=even'] },
];

/** Writes the exposition of each recorded summary, with the API objects of a file whose name begins as its own does. */
export async function writeCaptures(location: string, folder: ServedFolder): Promise<void> {
  const entries = await readdir(location, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.json'));
  const paths = files.map(({ parentPath, name }) => path.join(parentPath, name)).sort();
  for (const file of paths.filter((name) => !/(_pods|_nodes?|-pods|_configz|podstats)\.json$/.test(name))) {
    const stem = file.replace(/_?summary\.json$/, '');
    const objects = paths.filter((other) => other.startsWith(`${stem}_`) && /_(pods|nodes?)\.json$/.test(other));
    for (const { name, flags } of variants) {
      const args = ['replay', '--summaries', file, ...objects.flatMap((object) => ['--objects', object]), ...flags];
      const { context, out, error } = aCommandContext();
      const exitCode = await runArguments(args, context);
      const text = `${out()}--- standard error\n${error()}--- exit code ${exitCode}\n`.replaceAll(location, 'CAPTURES');
      await folder.write(`captures/${path.relative(location, file)}.${name}.txt`, text);
    }
  }
}
