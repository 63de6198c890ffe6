/**
 * A long run against the simulated cluster: random faults of every kind, then quiet, again and again, while three
 * scrapers go on. At each quiet point the exporter must serve what the kubelets say, to the byte; at the end its memory,
 * descriptors and timers must be what they were. The same `--seed` draws the same faults. Needs `npm run build`.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { SimulatedCluster } from '../sim/cluster.js';
import { Random } from '../sim/model/random.js';
import { emptyScenario } from '../sim/model/scenario.js';
import { leastRules } from '../test/support/exporter.js';
import { ExporterProcess, type Resources } from './soak/exporter-process.js';
import { Faults, longestOutageMs } from './soak/faults.js';
import { Scrapers } from './soak/scrapers.js';
import { differences } from './soak/truth.js';

const { values: flags } = parseArgs({
  options: { minutes: { type: 'string', default: '15' }, seed: { type: 'string', default: '1' } },
});

const nodeNames = Array.from({ length: 12 }, (_, index) => `node-${index + 1}`);
const firstPodCount = 150;
const faultsMs = 30_000;
/** Longer than the longest pause of a watch (60 s, when it was forbidden) and two lifetimes of a summary. */
const quietMs = 75_000;
/** Of two watches, each with a doubled pause and a list. */
const mostOutageRequestsCount = 16;
const endMs = performance.now() + Number(flags.minutes) * 60_000;

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** Polls, as the caches may still hold what was true a moment ago. */
async function remainingDifferences(cluster: SimulatedCluster, port: number): Promise<readonly string[]> {
  const deadlineMs = performance.now() + quietMs;
  for (;;) {
    const found = await differences(cluster, port);
    if (found.length === 0 || performance.now() > deadlineMs) return found;
    await delay(1_000);
  }
}

const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`;

function describeResources({ rssBytes, descriptorCount, timerCount, longestBlockMs }: Resources): string {
  return `${mib(rssBytes)}, ${descriptorCount} descriptors, ${timerCount} timers, longest block ${longestBlockMs.toFixed(0)} ms`;
}

/** What has grown from the first third of the quiet points to the last. */
function growth(points: readonly Resources[]): readonly string[] {
  const third = Math.max(1, Math.floor(points.length / 3));
  const largest = (of: readonly Resources[], value: (point: Resources) => number) => Math.max(...of.map(value));
  const compare = (what: string, value: (point: Resources) => number, allowed: number): readonly string[] => {
    const [first, last] = [largest(points.slice(0, third), value), largest(points.slice(-third), value)];
    return last > first + allowed ? [`${what} grew from ${first.toFixed(0)} to ${last.toFixed(0)}`] : [];
  };
  return [
    ...compare('RSS in MiB', ({ rssBytes }) => rssBytes / 2 ** 20, 30),
    ...compare('the number of descriptors', ({ descriptorCount }) => descriptorCount, 10),
    ...compare('the number of timers', ({ timerCount }) => timerCount, 5),
  ];
}

const folder = await mkdtemp(path.join(tmpdir(), 'ephemeral-storage-exporter-soak-'));
await using cluster = await SimulatedCluster.start({
  scenario: { ...emptyScenario(...nodeNames), kubeletsEvict: false },
});
const token = cluster.issueToken({ user: 'exporter', rules: leastRules });
await writeFile(path.join(folder, 'kubeconfig'), cluster.kubeconfig(token));
const settingsFile = path.join(folder, 'config.yaml');
await writeFile(settingsFile, '{}');
await using exporter = await ExporterProcess.start([
  `--kubeconfig=${path.join(folder, 'kubeconfig')}`,
  `--config.file=${settingsFile}`,
]);
const faults = new Faults(cluster, new Random(Number(flags.seed)), { port: exporter.port, settingsFile });
await faults.setSettings();
for (let count = 0; count < firstPodCount; count++) faults.addPod();

const problems: string[] = [];
const points: Resources[] = [];
{
  await using scrapers = new Scrapers(exporter.port);
  while (performance.now() < endMs && !exporter.hasEnded) {
    await faults.run(faultsMs);
    await faults.end();
    const startMs = performance.now();
    const found = await remainingDifferences(cluster, exporter.port);
    const tookSeconds = ((performance.now() - startMs) / 1_000).toFixed(0);
    const resources = await exporter.resources();
    points.push(resources);
    problems.push(...found.map((difference) => `quiet point ${points.length}: ${difference}`));
    say(
      `quiet point ${points.length}: ${found.length} differences after ${tookSeconds} s, ${cluster.model.pods.length} pods; ${describeResources(resources)}`,
    );
  }
  say(`${scrapers.scrapeCount} scrapes, the longest ${(scrapers.longestMs / 1_000).toFixed(1)} s`);
  problems.push(...scrapers.failures.map((failure) => `scrape failed: ${failure}`));
}
say(Array.from(faults.counts, ([what, count]) => `${count} ${what}`).join(', '));
say(
  `at most ${faults.mostOutageRequestsCount} requests to the API server in an outage of up to ${longestOutageMs / 1_000} s`,
);
if (faults.mostOutageRequestsCount > mostOutageRequestsCount) problems.push('too many requests in an outage');
if (exporter.hasEnded) problems.push('the exporter has ended');
problems.push(...growth(points));
for (const problem of problems) say(problem);
say(problems.length === 0 ? 'no difference, no failed scrape, no growth' : `${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
await rm(folder, { recursive: true });
