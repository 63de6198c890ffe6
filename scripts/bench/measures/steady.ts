import { setTimeout as delay } from 'node:timers/promises';

import type { BenchExporter } from '../exporter.js';
import type { Figures } from '../figures.js';
import type { Run } from '../run-options.js';
import { scrape } from '../scraper.js';
import { podCountOf } from '../shapes.js';
import { mean, median } from '../statistics.js';

interface Round {
  readonly hasFailed: boolean;
  readonly wallMs: number;
  readonly scrapeCpuMs: number;
  readonly intervalCpuMs: number;
  readonly gcMs: number;
  readonly blockMs: number;
}

/** Of the pods, in a minute. */
const churnShare = 0.01;
/** Until the exporter has compiled what it runs. */
const discardedCount = 2;

/** Where time is compressed, the lifetimes of data are too. */
export function steadySettings({ isRealTime, shape }: Run): readonly string[] {
  if (isRealTime) return [];
  const share = shape.intervalMs / shape.scrapeEveryMs;
  const of = (seconds: number): string => `${Math.round(seconds * 1_000 * share)}ms`;
  return [`cache.ttl=${of(55)}`, `cache.nearTtl=${of(10)}`];
}

/**
 * Scrapes with gzip, while summaries change with each refresh and 1 % of the pods are replaced in a minute. Where time is
 * compressed, as many pods are replaced from scrape to scrape, and the CPU of an interval counts for a whole one.
 */
export async function measureSteady(run: Run, exporter: BenchExporter): Promise<Figures> {
  const { cluster, shape, steadyCount } = run;
  const intervalMs = run.isRealTime ? shape.scrapeEveryMs : shape.intervalMs;
  await cluster.setChurn((podCountOf(shape) * churnShare * shape.scrapeEveryMs) / intervalMs);
  const rounds: Round[] = [];
  for (let count = 0; count < steadyCount + discardedCount; count++) {
    const round = await measureInterval(exporter, intervalMs);
    if (count >= discardedCount) rounds.push(round);
  }
  await cluster.setChurn(0);
  const { rssBytes } = await exporter.usage();
  const of = (value: (round: Round) => number): number => median(rounds.map(value));
  return {
    steadyFailed: rounds.filter(({ hasFailed }) => hasFailed).length,
    steadyWall: of(({ wallMs }) => wallMs),
    steadyScrapeCpu: of(({ scrapeCpuMs }) => scrapeCpuMs),
    steadyGc: of(({ gcMs }) => gcMs),
    steadyBlock: of(({ blockMs }) => blockMs),
    // The mean: not each scrape finds that data has expired.
    steadyCpu: (mean(rounds.map(({ intervalCpuMs }) => intervalCpuMs)) / shape.scrapeEveryMs) * 100,
    rss: rssBytes,
  };
}

async function measureInterval(exporter: BenchExporter, intervalMs: number): Promise<Round> {
  const startMs = performance.now();
  const before = await exporter.usage();
  await exporter.watchBlocks();
  const answer = await scrape(exporter.port, { gzip: true }).catch(() => undefined);
  const tookMs = performance.now() - startMs;
  const after = await exporter.usage();
  await delay(Math.max(0, startMs + intervalMs - performance.now()));
  const end = await exporter.usage();
  return {
    hasFailed: answer?.status !== 200,
    wallMs: tookMs,
    scrapeCpuMs: after.cpuMs - before.cpuMs,
    intervalCpuMs: end.cpuMs - before.cpuMs,
    gcMs: end.gcMs - before.gcMs,
    blockMs: after.longestBlockMs,
  };
}
