/**
 * Measures the pages and the API of the built exporter against a simulated cluster: how long each takes with a reading that is kept
 * and with a new one, how long nothing else runs, and how large it is, compressed. With `--readers`: what so many of them, who load
 * a page a second each, cost scrapes. A benchmark, no test. Arguments: numbers of nodes with 30 pods each.
 */
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { BenchCluster } from './bench/bench-cluster.js';
import { BenchExporter } from './bench/exporter.js';
import { scrape } from './bench/scraper.js';
import { shapes } from './bench/shapes.js';
import { mean, median } from './bench/statistics.js';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    exporter: { type: 'string', default: fileURLToPath(new URL('../dist/cli.js', import.meta.url)) },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
    readers: { type: 'string', default: '0' },
  },
});
const nodeCounts = positionals.length === 0 ? [667, 5_000] : positionals.map(Number);
const roundCount = Number(flags.rounds);
/** A reading is kept for a second. */
const keptMs = 1_100;
/** Summaries stay fresh: kubelets are no part of what is measured. */
const settings = ['cache.ttl=10m', 'metrics.profile=minimal'];

interface Item {
  readonly node: string;
  readonly namespace: string;
  readonly pod: string;
  readonly workloads: readonly { readonly workload: string; readonly workloadType: string }[];
}

/** Of the first pod of the list, and the things that it belongs to. */
async function pathsOf(port: number): Promise<readonly string[]> {
  const { body } = await scrape(port, { path: '/api/v1/pods', keepsBody: true });
  const [first] = (JSON.parse(body.toString()) as { readonly items: readonly Item[] }).items;
  if (first === undefined) throw new Error('the list of pods is empty');
  const { node, namespace, pod, workloads } = first;
  const [of = { workload: '-', workloadType: '-' }] = workloads;
  const lists = ['problems', 'nodes', 'pods', 'containers', 'volumes', 'workloads', 'namespaces', 'evictions'];
  const searches = ['6f6b', 'nothing-has-it', 'a'].map((word) => `pods?search=${word}`);
  const filters = [
    'order=ratio',
    'rule=pod',
    'only=near',
    'only=unknown',
    'order=name',
    'selector=app%3Dnone',
    'offset=10000',
  ];
  const parts = ['containers', 'volumes'].flatMap((kind) =>
    ['search=6f6b', 'order=ratio'].map((of) => `${kind}?${of}`),
  );
  const objects = [`nodes/${node}`, `pods/${namespace}/${pod}`, `namespaces/${namespace}`];
  objects.push(`workloads/${namespace}/${of.workloadType}/${of.workload}`);
  const views = [
    ...lists,
    ...searches,
    ...filters.map((filter) => `pods?${filter}`),
    ...parts,
    'search?search=6f6b',
    ...objects,
  ];
  const pages = ['/', ...views.map((view) => `/${view}`)];
  return [...pages, '/api/v1/status', ...views.map((view) => `/api/v1/${view}`)].filter((path) =>
    path.includes(flags.only),
  );
}

/** An address that nobody has asked for, with the same answer. */
function another(path: string, count: number): string {
  return `${path}${path.includes('?') ? '' : '?'}${'&'.repeat(count + 1)}`;
}

async function measured(exporter: BenchExporter, path: string): Promise<readonly string[]> {
  const { port } = exporter;
  const [warm, cold, cpu]: number[][] = [[], [], []];
  const { sizeBytes, status } = await scrape(port, { path, gzip: true });
  for (let round = 0; round < roundCount; round += 1) {
    await delay(keptMs);
    await exporter.watchBlocks();
    cold?.push((await scrape(port, { path, gzip: true })).tookMs);
    const before = await exporter.usage();
    newBlocks.push(before.longestBlockMs);
    await exporter.watchBlocks();
    warm?.push((await scrape(port, { path: another(path, round), gzip: true })).tookMs);
    const after = await exporter.usage();
    cpu?.push(after.cpuMs - before.cpuMs);
    blocks.push(after.longestBlockMs);
  }
  const shown = (values: readonly number[] | undefined): string => median(values ?? []).toFixed(1);
  return [path, String(status), shown(warm), shown(cpu), shown(cold), String(sizeBytes)];
}

/** The longest of each round, with a reading that is kept and with a new one. */
const blocks: number[] = [];
const newBlocks: number[] = [];

/** Pages that readers look at, one each; the first ones again for more readers. */
const readPages = [
  '/',
  ...['pods', 'nodes', 'workloads', 'containers', 'problems', 'volumes', 'namespaces'].map((list) => `/${list}`),
];
readPages.push('/pods?search=6f6b', '/pods?only=near');

/** Scrapes every second for as long as a phase takes: how long each took, and the CPU time of the process in a second. */
async function scrapesBeside(exporter: BenchExporter, readerCount: number): Promise<readonly [number[], number]> {
  const stop = new AbortController();
  const readers = Array.from({ length: readerCount }, async (_, index) => {
    for (let count = 0; !stop.signal.aborted; count += 1) {
      const next = delay(periodMs);
      await scrape(exporter.port, {
        path: another(readPages[index % readPages.length] ?? '/', count % 50),
        gzip: true,
      });
      await next;
    }
  });
  const before = await exporter.usage();
  const tookMs: number[] = [];
  for (let count = 0; count < scrapesOfPhase; count += 1) {
    const next = delay(periodMs);
    tookMs.push((await scrape(exporter.port, { gzip: true })).tookMs);
    await next;
  }
  const { cpuMs } = await exporter.usage();
  stop.abort();
  await Promise.all(readers);
  return [tookMs, (cpuMs - before.cpuMs) / scrapesOfPhase];
}

const periodMs = 1_000;
const scrapesOfPhase = 10;

async function measureReaders(exporter: BenchExporter, readerCount: number): Promise<void> {
  await scrape(exporter.port, { gzip: true });
  process.stdout.write('readers\tscrape ms\tlongest ms\tCPU ms a second\n');
  const phases = new Map<number, { readonly tookMs: number[]; readonly cpuMs: number[] }>();
  for (let round = 0; round < roundCount; round += 1) {
    for (const count of [0, readerCount]) {
      const [tookMs, cpuMs] = await scrapesBeside(exporter, count);
      const known = phases.get(count) ?? { tookMs: [], cpuMs: [] };
      phases.set(count, { tookMs: [...known.tookMs, ...tookMs], cpuMs: [...known.cpuMs, cpuMs] });
    }
  }
  for (const [count, { tookMs, cpuMs }] of phases) {
    const row = [median(tookMs), Math.max(...tookMs), mean(cpuMs)].map((value) => value.toFixed(0));
    process.stdout.write(`${[count, ...row].join('\t')}\n`);
  }
}

async function measure(nodeCount: number): Promise<void> {
  await using cluster = await BenchCluster.start({ ...shapes['huge-5000'], nodeCount });
  await using exporter = await BenchExporter.start({ cli: flags.exporter, access: cluster.access, settings });
  await exporter.ready();
  await scrape(exporter.port);
  if (flags.readers !== '0') {
    await measureReaders(exporter, Number(flags.readers));
    return;
  }
  process.stdout.write(
    `\n${nodeCount * 30} pods\npath\tstatus\twarm ms\tCPU ms\tnew ms\tblock ms\tblock of new ms\tbytes\n`,
  );
  for (const path of await pathsOf(exporter.port)) {
    blocks.length = 0;
    newBlocks.length = 0;
    const row = await measured(exporter, path);
    const longest = [blocks, newBlocks].map((all) => Math.max(...all).toFixed(1));
    process.stdout.write(`${[...row.slice(0, 5), ...longest, ...row.slice(5)].join('\t')}\n`);
  }
}

for (const nodeCount of nodeCounts) await measure(nodeCount);
