import { setTimeout as delay } from 'node:timers/promises';

import { nodeNameOf } from '../cluster/pods.js';
import type { BenchExporter } from '../exporter.js';
import type { Figures } from '../figures.js';
import type { Run } from '../run-options.js';
import { scrape } from '../scraper.js';

const timeoutSeconds = 10;
/** The one that finds out, and the one that knows. */
const scrapeCount = 2;

/** Scrapes after a tenth of the kubelets have begun to hang and all data is old: the worse of two. */
export async function measureHanging({ cluster, shape }: Run, exporter: BenchExporter): Promise<Figures> {
  const hangCount = Math.ceil(shape.nodeCount / 10);
  await cluster.setFaults({ failCount: 0, hangCount });
  let [hangingWall, hangingMissing] = [0, 0];
  for (let count = 0; count < scrapeCount; count++) {
    await delay(shape.intervalMs);
    const { body, tookMs } = await scrape(exporter.port, { keepsBody: true, timeoutSeconds });
    hangingWall = Math.max(hangingWall, tookMs);
    hangingMissing = Math.max(hangingMissing, missingCount(body.toString('latin1'), hangCount, shape.nodeCount));
  }
  await cluster.setFaults({ failCount: 0, hangCount: 0 });
  return { hangingWall, hangingMissing };
}

/** Nodes from `first` on without data in the exposition. */
function missingCount(text: string, first: number, nodeCount: number): number {
  const line = /^ephemeral_storage_node_data_available\{[^}\n]*\bnode="([^"]+)"[^}\n]*\} 1$/gm;
  const present = new Set(Array.from(text.matchAll(line), ([, name]) => name));
  const others = Array.from({ length: nodeCount - first }, (_, index) => nodeNameOf(first + index));
  return others.filter((name) => !present.has(name)).length;
}
