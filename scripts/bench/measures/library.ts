import { Child } from '../child.js';
import type { Figures } from '../figures.js';
import type { Ingest, Kept, LibraryRequest } from '../library.js';
import type { Run } from '../run-options.js';
import { median } from '../statistics.js';

/** The sources of this checkout, whatever exporter the other figures are of. */
export async function measureLibrary({ shape, roundCount }: Run): Promise<Figures> {
  const { podsPerNode, profile } = shape;
  await using library = await Child.forkBundled<LibraryRequest>(import.meta.url, '../library-process.ts', [
    '--expose-gc',
  ]);
  const { rounds } = await library.ask<Ingest>({ do: 'ingest', podsPerNode, profile, roundCount });
  const { storedBytes, fullBytes } = await library.ask<Kept>({ do: 'kept', podsPerNode });
  return {
    ingestCpu: median(rounds.map(({ ingestMs }) => ingestMs)),
    ingestToParse: median(rounds.map(({ ingestMs, parseMs }) => ingestMs / parseMs)),
    keptBytes: storedBytes,
    keptToFull: storedBytes / fullBytes,
  };
}
