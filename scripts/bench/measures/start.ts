import type { BenchExporter } from '../exporter.js';
import type { Figures } from '../figures.js';
import { scrape } from '../scraper.js';

/** Of an exporter that has just been started. */
export async function measureStart(exporter: BenchExporter): Promise<Figures> {
  const ready = await exporter.ready();
  const { tookMs } = await scrape(exporter.port);
  return { listening: exporter.listeningMs, ready, firstScrape: tookMs };
}
