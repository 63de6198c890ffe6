import type { BenchExporter, Usage } from '../exporter.js';
import type { Figures } from '../figures.js';
import { type Run, startExporter } from '../run-options.js';
import { scrape } from '../scraper.js';

const eventCount = 30_000;

/** The first lists, in one response and in pages, and a burst of watch events: each of an exporter that nobody scrapes. */
export async function measureLists(run: Run): Promise<Figures> {
  const { cluster } = run;
  const whole = await measureList(run);
  await cluster.setPages(true);
  const paged = await measureList(run);
  await cluster.setPages(false);
  return {
    listBlock: whole.longestBlockMs,
    listMemory: whole.memoryBytes,
    pagedListBlock: paged.longestBlockMs,
    pagedListMemory: paged.memoryBytes,
    eventsBlock: await measureEvents(run),
  };
}

interface ListCost {
  readonly longestBlockMs: number;
  /** At the peak, beside what is kept afterwards. */
  readonly memoryBytes: number;
}

async function measureList(run: Run): Promise<ListCost> {
  await using exporter = await startExporter(run);
  await exporter.watchBlocks();
  const { longestBlockMs, peakRssBytes } = await listed(exporter);
  await exporter.collectGarbage();
  await exporter.rested();
  return { longestBlockMs, memoryBytes: peakRssBytes - (await exporter.usage()).rssBytes };
}

/** Resolves when all that follows from the first lists is done. */
async function listed(exporter: BenchExporter): Promise<Usage> {
  await exporter.ready();
  await exporter.rested();
  return exporter.usage();
}

/** Longest block of the event loop in milliseconds. No node is in scope: the scrape that shows the events costs next to nothing. */
async function measureEvents(run: Run): Promise<number> {
  await using exporter = await startExporter(run, ['cluster.nodeSelector=bench=none', 'metrics.profile=full']);
  await listed(exporter);
  await exporter.watchBlocks();
  await run.cluster.modifyPods(eventCount);
  await exporter.rested();
  const { longestBlockMs } = await exporter.usage();
  const { body } = await scrape(exporter.port, { keepsBody: true });
  const applied = /^ephemeral_storage_exporter_store_events_total\{resource="pods",type="modified"\} (\d+)/m.exec(
    body.toString(),
  );
  if (Number(applied?.[1]) < eventCount) throw new Error(`${applied?.[1] ?? 'none'} of ${eventCount} events arrived`);
  return longestBlockMs;
}
