import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { Child } from '../child.js';
import type { BenchExporter } from '../exporter.js';
import type { Figures } from '../figures.js';
import type { ReferenceRequest } from '../references.js';
import type { Run } from '../run-options.js';
import { scrape } from '../scraper.js';
import { podCountOf } from '../shapes.js';
import { median } from '../statistics.js';

interface Round {
  readonly plainMs: number;
  readonly gzipMs: number;
  readonly gzipWallMs: number;
  readonly gzipBytes: number;
  readonly blockMs: number;
  readonly naiveMs: number;
  readonly copyMs: number;
}

/** So many pods take long enough for the clock of CPU time. */
const podsOfARound = 15_000;
const newLine = 10;
const hash = 35;

/** Scrapes while all data is fresh and nothing changes, interleaved with what they are compared with. */
export async function measureWarm(run: Run, exporter: BenchExporter): Promise<Figures> {
  const { shape, roundCount } = run;
  const folder = await mkdtemp(path.join(tmpdir(), 'ephemeral-storage-exporter-bench-'));
  const file = path.join(folder, 'exposition.txt');
  const { body, sizeBytes } = await scrape(exporter.port, { keepsBody: true });
  await writeFile(file, body);
  await using references = Child.fork<ReferenceRequest>(import.meta.url, '../reference-process.ts', [
    '--max-old-space-size=6144',
  ]);
  await references.ask({ do: 'load', file });
  await rm(folder, { recursive: true });
  const rounds: Round[] = [];
  await measureRound(run, exporter, references); // compiles what is measured
  while (rounds.length < roundCount) rounds.push(await measureRound(run, exporter, references));
  const of = (value: (round: Round) => number): number => median(rounds.map(value));
  const { all, ofPods } = countSeries(body);
  return {
    seriesCount: all,
    seriesPerPod: ofPods / podCountOf(shape),
    scrapeBytes: sizeBytes,
    gzipBytes: of(({ gzipBytes }) => gzipBytes),
    warmCpu: of(({ plainMs }) => plainMs),
    warmToNaive: of(({ plainMs, naiveMs }) => plainMs / naiveMs),
    warmToCopy: of(({ plainMs, copyMs }) => plainMs / copyMs),
    gzipToPlain: of(({ plainMs, gzipMs }) => gzipMs / plainMs),
    warmWall: of(({ gzipWallMs }) => gzipWallMs),
    warmBlock: of(({ blockMs }) => blockMs),
  };
}

async function measureRound(run: Run, exporter: BenchExporter, references: Child<ReferenceRequest>): Promise<Round> {
  const repeatCount = Math.max(1, Math.ceil(podsOfARound / podCountOf(run.shape)));
  await exporter.watchBlocks();
  await scrape(exporter.port);
  const { longestBlockMs: blockMs } = await exporter.usage();
  const plain = await cpuOfScrapes(exporter, repeatCount, false);
  const naiveMs = await references.ask<number>({ do: 'naive' });
  const gzip = await cpuOfScrapes(exporter, repeatCount, true);
  const copyMs = await references.ask<number>({ do: 'memcpy' });
  return {
    plainMs: plain.cpuMs,
    gzipMs: gzip.cpuMs,
    gzipWallMs: gzip.wallMs,
    gzipBytes: gzip.sizeBytes,
    blockMs,
    naiveMs,
    copyMs,
  };
}

async function cpuOfScrapes(
  exporter: BenchExporter,
  count: number,
  gzip: boolean,
): Promise<{ readonly cpuMs: number; readonly wallMs: number; readonly sizeBytes: number }> {
  const before = await exporter.usage();
  let [wallMs, sizeBytes] = [0, 0];
  for (let index = 0; index < count; index++) {
    const answer = await scrape(exporter.port, { gzip });
    wallMs += answer.tookMs;
    sizeBytes = answer.sizeBytes;
  }
  const after = await exporter.usage();
  return { cpuMs: (after.cpuMs - before.cpuMs) / count, wallMs: wallMs / count, sizeBytes };
}

/** All series, and those with a label `pod`. */
function countSeries(body: Buffer): { readonly all: number; readonly ofPods: number } {
  let [all, ofPods] = [0, 0];
  for (let start = 0; start < body.length;) {
    const lineFeed = body.indexOf(newLine, start);
    const end = lineFeed === -1 ? body.length : lineFeed;
    if (body[start] !== hash) {
      all += 1;
      if (/[{,]pod="/.test(body.toString('latin1', start, end))) ofPods += 1;
    }
    start = end + 1;
  }
  return { all, ofPods };
}
