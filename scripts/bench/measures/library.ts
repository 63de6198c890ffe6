import { Child } from '../child.js';
import type { Figures } from '../figures.js';
import type { Ingest, Kept, LibraryRequest } from '../library.js';
import type { Run } from '../run-options.js';
import { median } from '../statistics.js';

/** As in life: the other pods of a node use what they used a minute before. */
const halfChanged = 0.5;

const ratio = (rounds: Ingest['rounds']): number => median(rounds.map(({ ingestMs, parseMs }) => ingestMs / parseMs));

/** The sources of this checkout, whatever exporter the other figures are of. */
export async function measureLibrary({ shape, roundCount }: Run): Promise<Figures> {
  const { podsPerNode, profile } = shape;
  await using library = await Child.forkBundled<LibraryRequest>(import.meta.url, '../library-process.ts', [
    '--expose-gc',
  ]);
  const ingest = (changedShare: number): Promise<Ingest> =>
    library.ask<Ingest>({ do: 'ingest', podsPerNode, profile, roundCount, changedShare });
  const { rounds } = await ingest(halfChanged);
  const { rounds: ofNewSizes } = await ingest(1);
  const { storedBytes, fullBytes } = await library.ask<Kept>({ do: 'kept', podsPerNode });
  return {
    ingestCpu: median(rounds.map(({ ingestMs }) => ingestMs)),
    ingestToParse: ratio(rounds),
    newIngestToParse: ratio(ofNewSizes),
    keptBytes: storedBytes,
    keptToFull: storedBytes / fullBytes,
  };
}
