/**
 * What the exporter is compared with, in a process of its own: the same series by prom-client as a simple exporter uses it,
 * and a copy of the same bytes.
 */
import { readFileSync } from 'node:fs';
import process from 'node:process';

import { Gauge, Registry } from 'prom-client';

import { parseExposition } from '../../test/support/exposition-parser.js';
import type { ReferenceRequest } from './references.js';

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Family {
  readonly gauge: Gauge;
  readonly series: readonly Series[];
}

interface Loaded {
  readonly registry: Registry;
  readonly families: readonly Family[];
  readonly output: Buffer;
  readonly target: Buffer;
}

const copyCount = 10;
let loaded: Loaded | undefined;

function load(file: string): Loaded {
  const output = readFileSync(file);
  const registry = new Registry();
  const families = parseExposition(output.toString(), 'text').flatMap(({ name, help, samples }) => {
    const series = samples.filter((sample) => sample.name === name);
    if (series.length === 0) return [];
    const labelNames = [...new Set(series.flatMap(({ labels }) => Object.keys(labels)))];
    return [{ gauge: new Gauge({ name, help, labelNames, registers: [registry] }), series }];
  });
  return { registry, families, output, target: Buffer.alloc(output.length) };
}

/** As exporters do it that know nothing of what has changed. */
async function naiveScrape({ registry, families }: Loaded): Promise<void> {
  for (const { gauge, series } of families) {
    gauge.reset();
    for (const { labels, value } of series) gauge.set(labels, value);
  }
  await registry.metrics();
}

async function cpuMsOf(work: () => Promise<void> | void): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

async function answer(request: ReferenceRequest): Promise<number> {
  if (request.do === 'load') {
    loaded = load(request.file);
    return loaded.families.reduce((sum, { series }) => sum + series.length, 0);
  }
  if (loaded === undefined) throw new Error('nothing has been loaded');
  const { output, target } = loaded;
  const current = loaded;
  if (request.do === 'naive') return cpuMsOf(() => naiveScrape(current));
  const copiedMs = await cpuMsOf(() => {
    for (let count = 0; count < copyCount; count++) target.set(output);
  });
  return copiedMs / copyCount;
}

process.on('message', (request: ReferenceRequest) => {
  answer(request).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.once('disconnect', () => {
  process.exit(0);
});
