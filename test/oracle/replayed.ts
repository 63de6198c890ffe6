import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { replay } from '../../src/commands/replay.js';
import { aCommandContext } from '../support/command-context.js';
import { parseExposition } from '../support/exposition-parser.js';
import { temporaryFolder } from '../support/programs.js';
import type { Semantics } from './predict.js';
import { type SeriesTable, tableOf } from './series.js';

interface Recorded {
  /** The body of a `/stats/summary` answer. */
  readonly summary: string | object;
  readonly pods: readonly unknown[];
  readonly nodes: readonly unknown[];
}

/** What the program serves of a recording: files in, the text of an exposition out. */
export async function replayed({ summary, pods, nodes }: Recorded, semantics: Semantics): Promise<SeriesTable> {
  await using folder = await temporaryFolder();
  const file = (name: string): string => path.join(folder.path, name);
  const settings = {
    // Evictions are predicted by the kubelet's own answers: test/eviction.
    metrics: {
      profile: 'full',
      deny: ['ephemeral_storage_(pod_(evicted_.*|eviction_rank|time_to_limit_seconds)|node_(time_to_)?eviction_.*)'],
    },
    workloads: { controllers: semantics.controllers },
    attribution: semantics.attribution,
  };
  const objects = [listOf('Pod', pods), listOf('Node', nodes)].map((list) => JSON.stringify(list));
  await writeFile(file('summary.json'), typeof summary === 'string' ? summary : JSON.stringify(summary));
  await writeFile(file('objects.yaml'), objects.join('\n---\n'));
  await writeFile(file('config.yaml'), JSON.stringify(settings));
  const { context, out, error } = aCommandContext();
  await replay(
    {
      settings: { configFile: file('config.yaml'), values: {} },
      summaries: file('summary.json'),
      objects: file('objects.yaml'),
    },
    context,
  );
  if (error() !== '') throw new Error(error());
  return tableOf(parseExposition(out(), 'text'));
}

function listOf(kind: string, items: readonly unknown[]): unknown {
  return { kind: `${kind}List`, apiVersion: 'v1', items };
}
