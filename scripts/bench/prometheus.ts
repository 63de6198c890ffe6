import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

import { PrometheusServer } from '../../test/support/programs.js';
import { BenchCluster } from './bench-cluster.js';
import type { BenchExporter } from './exporter.js';
import { type RunOptions, startExporter } from './run-options.js';
import { scrape } from './scraper.js';
import { podCountOf } from './shapes.js';

export interface PrometheusOptions {
  /** The binary of a Prometheus 3. */
  readonly program: string;
  readonly minutes: number;
  readonly intervalSeconds: number;
}

/** That of Prometheus without a setting. */
const timeoutSeconds = 10;
const churnShare = 0.01;
const minuteMs = 60_000;
const mega = 1e6;

/**
 * A real Prometheus scrapes with its default timeout from the start of the exporter on, while one kubelet hangs and 1 % of
 * the pods are replaced in a minute. What it has stored about its scrapes is printed: none of them may fail.
 */
export async function scrapeByPrometheus(options: RunOptions, prometheusOptions: PrometheusOptions): Promise<void> {
  const { shape, say } = options;
  const { program, minutes, intervalSeconds } = prometheusOptions;
  await using cluster = await BenchCluster.start(shape);
  await cluster.setFaults({ failCount: 0, hangCount: 1 });
  await cluster.setChurn(podCountOf(shape) * churnShare);
  await using exporter = await startExporter({ ...options, cluster });
  await using prometheus = await PrometheusServer.start({
    program,
    intervalSeconds,
    targets: [{ target: `127.0.0.1:${exporter.port}` }],
    scrape: { scrape_timeout: `${timeoutSeconds}s` },
  });
  for (let minute = 1; minute <= minutes; minute++) {
    const before = await exporter.usage();
    await delay(minuteMs);
    const { rssBytes, cpuMs } = await exporter.usage();
    const used = `RSS ${(rssBytes / mega).toFixed(0)} MB, CPU ${((cpuMs - before.cpuMs) / 1_000).toFixed(1)} s`;
    const load = `load of the machine ${(loadavg()[0] ?? 0).toFixed(1)}`;
    say(`minute ${minute}: ${await describeScrapes(prometheus, minutes)}; ${used}; ${load}`);
  }
  const dueCount = Math.floor((minutes * 60) / intervalSeconds);
  say(`scrapes due, as the first comes within an interval: ${dueCount - 1} or ${dueCount}`);
  say(await describeBodies(exporter));
}

async function describeScrapes(prometheus: PrometheusServer, minutes: number): Promise<string> {
  // Of the whole run.
  const window = `${minutes + 1}m`;
  const valueOf = async (expression: string): Promise<number> => (await prometheus.query(expression))[0]?.value ?? 0;
  const results = async (result: string): Promise<number> =>
    valueOf(`max_over_time(ephemeral_storage_exporter_scrapes_total{result="${result}"}[${window}])`);
  const scrapes = await valueOf(`count_over_time(up[${window}])`);
  const successes = await valueOf(`sum_over_time(up[${window}])`);
  const longest = await valueOf(`max_over_time(scrape_duration_seconds[${window}])`);
  const samples = await valueOf(`max_over_time(scrape_samples_scraped[${window}])`);
  const absent = await valueOf('count(ephemeral_storage_node_data_available == 0)');
  return [
    `${scrapes} scrapes, ${scrapes - successes} failed (up 0), ${await results('deadline')} cut short by the deadline`,
    `the longest ${longest.toFixed(2)} s`,
    `${samples} samples`,
    `${absent} nodes without data in the last`,
  ].join(', ');
}

async function describeBodies({ port }: BenchExporter): Promise<string> {
  const plain = await scrape(port);
  const gzip = await scrape(port, { gzip: true });
  return `a response: ${(plain.sizeBytes / mega).toFixed(1)} MB, ${(gzip.sizeBytes / mega).toFixed(1)} MB with gzip`;
}
