import { setTimeout as delay } from 'node:timers/promises';

import { BenchCluster } from './bench-cluster.js';
import type { BenchExporter } from './exporter.js';
import { type RunOptions, startExporter } from './run-options.js';
import { scrape } from './scraper.js';
import { podCountOf } from './shapes.js';

const scraperCount = 2;
const scrapePeriodMs = 15_000;
/** That of Prometheus without a setting: a scrape that takes longer has failed. */
const timeoutSeconds = 10;
const minuteMs = 60_000;
/** The default of `cache.ttl`. */
const ttlMs = 55_000;
const churnShare = 0.01;
const failShare = 0.05;
const hangShare = 0.01;

/** Of all scrapers together. */
interface Scrapes {
  count: number;
  failedCount: number;
  longestMs: number;
}

/** A long run: two scrapers every 15 s, 1 % of the pods replaced in a minute, 5 % of the kubelets failing and 1 % hanging. */
export async function soak(options: RunOptions, minutes: number): Promise<void> {
  const { shape, say } = options;
  await using cluster = await BenchCluster.start(shape);
  await using exporter = await startExporter({ ...options, cluster });
  say(`${shape.name}: ready after ${((await exporter.ready()) / 1_000).toFixed(1)} s`);
  await cluster.setChurn(podCountOf(shape) * churnShare);
  await cluster.setFaults({
    failCount: Math.ceil(shape.nodeCount * failShare),
    hangCount: Math.ceil(shape.nodeCount * hangShare),
  });
  const scrapes: Scrapes = { count: 0, failedCount: 0, longestMs: 0 };
  const stopped = new AbortController();
  const requests = { mostInTtl: 0 };
  const work = [
    ...Array.from({ length: scraperCount }, (_, index) =>
      keepScraping(exporter, scrapes, { startMs: (index * scrapePeriodMs) / scraperCount, signal: stopped.signal }),
    ),
    keepCounting(cluster, requests, stopped.signal),
  ];
  for (let minute = 1; minute <= minutes; minute++) {
    const before = await exporter.usage();
    await delay(minuteMs);
    const { rssBytes, cpuMs, gcMs } = await exporter.usage();
    const parts = [
      `RSS ${(rssBytes / 1e6).toFixed(0)} MB`,
      `CPU ${((cpuMs - before.cpuMs) / 1_000).toFixed(1)} s, ${((gcMs - before.gcMs) / 1_000).toFixed(1)} s of it garbage`,
      `${scrapes.count} scrapes, ${scrapes.failedCount} failed, the longest ${(scrapes.longestMs / 1_000).toFixed(2)} s`,
      `at most ${requests.mostInTtl} requests to a kubelet in ${ttlMs / 1_000} s`,
    ];
    say(`minute ${minute}: ${parts.join('; ')}`);
  }
  stopped.abort();
  await Promise.all(work);
}

async function keepScraping(
  exporter: BenchExporter,
  scrapes: Scrapes,
  { startMs, signal }: { readonly startMs: number; readonly signal: AbortSignal },
): Promise<void> {
  await pause(startMs, signal);
  while (!signal.aborted) {
    const beganMs = performance.now();
    const answer = await scrape(exporter.port, { gzip: true, timeoutSeconds }).catch(() => undefined);
    const tookMs = performance.now() - beganMs;
    scrapes.count += 1;
    if (answer?.status !== 200 || tookMs > timeoutSeconds * 1_000) scrapes.failedCount += 1;
    scrapes.longestMs = Math.max(scrapes.longestMs, tookMs);
    await pause(scrapePeriodMs - tookMs, signal);
  }
}

/** Nodes on which pods have started are asked again after `cache.nearTtl`. */
async function keepCounting(
  cluster: BenchCluster,
  requests: { mostInTtl: number },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await cluster.resetCounts();
    await pause(ttlMs, signal);
    const { mostRequestsOfOne } = await cluster.counts();
    requests.mostInTtl = Math.max(requests.mostInTtl, mostRequestsOfOne);
  }
}

async function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  await delay(Math.max(0, durationMs), undefined, { signal }).catch(() => undefined);
}
