import { setTimeout as delay } from 'node:timers/promises';

import type { BenchExporter } from '../exporter.js';
import type { Figures } from '../figures.js';
import type { Run } from '../run-options.js';
import { scrape } from '../scraper.js';
import { podCountOf } from '../shapes.js';
import { median } from '../statistics.js';

const changedCount = 2_000;
/** Until the exporter has taken all events, and rests. */
const settleMs = 3_000;

/** The scrape after pods have changed on all nodes, while their summaries are fresh. */
export async function measureChanges({ cluster, shape, roundCount }: Run, exporter: BenchExporter): Promise<Figures> {
  const count = Math.min(changedCount, podCountOf(shape));
  const rounds: { readonly eventsMs: number; readonly scrapeMs: number }[] = [];
  while (rounds.length < roundCount) {
    await scrape(exporter.port);
    const before = await exporter.usage();
    await cluster.modifyPods(count);
    await delay(settleMs);
    const changed = await exporter.usage();
    await scrape(exporter.port);
    const after = await exporter.usage();
    rounds.push({ eventsMs: changed.cpuMs - before.cpuMs, scrapeMs: after.cpuMs - changed.cpuMs });
  }
  return {
    changesCpu: median(rounds.map(({ scrapeMs }) => scrapeMs)),
    changesEventsCpu: median(rounds.map(({ eventsMs }) => eventsMs)),
  };
}
