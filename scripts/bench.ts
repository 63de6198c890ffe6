/**
 * Measures the built exporter against a simulated cluster of a named shape, each in a process of its own, and compares the
 * figures with references of the same run and with their targets. A benchmark, no test: it fails only when it cannot run.
 */
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { costPerPod } from './bench/derived.js';
import { scrapeByPrometheus } from './bench/prometheus.js';
import { describeRun, type Phase, phases, type RunOptions } from './bench/run-options.js';
import { runShape } from './bench/run-shape.js';
import { type ShapeName, shapeNames, shapes } from './bench/shapes.js';
import { soak } from './bench/soak.js';
import { figureTable, growthTable, type ShapeResult } from './bench/table.js';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    exporter: { type: 'string', default: fileURLToPath(new URL('../dist/cli.js', import.meta.url)) },
    profile: { type: 'string' },
    set: { type: 'string', multiple: true, default: [] },
    only: { type: 'string', default: phases.join(',') },
    rounds: { type: 'string', default: '5' },
    minutes: { type: 'string', default: '5' },
    'real-time': { type: 'boolean', default: false },
    'idle-seconds': { type: 'string', default: '60' },
    // Instead of all figures.
    'soak-minutes': { type: 'string' },
    // Instead of all figures: the binary of a Prometheus 3, for `--minutes`.
    prometheus: { type: 'string' },
    'interval-seconds': { type: 'string', default: '60' },
    json: { type: 'string', default: path.join(tmpdir(), 'ephemeral-storage-exporter-bench.json') },
  },
});

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

function oneOf<Name extends string>(names: readonly Name[], text: string): Name {
  const found = names.find((name) => name === text);
  if (found === undefined) throw new Error(`${text} is none of ${names.join(', ')}`);
  return found;
}

const wanted: readonly ShapeName[] = (positionals.length === 0 ? ['normal-100'] : positionals).map((name) =>
  oneOf(shapeNames, name),
);
const only: readonly Phase[] = flags.only.split(',').map((name) => oneOf(phases, name));

function optionsOf(name: ShapeName): RunOptions {
  const shape = shapes[name];
  return {
    shape,
    cli: flags.exporter,
    settings: [`metrics.profile=${flags.profile ?? shape.profile}`, ...(shape.settings ?? []), ...flags.set],
    roundCount: Number(flags.rounds),
    steadyCount: Number(flags.minutes),
    isRealTime: flags['real-time'],
    idleSeconds: Number(flags['idle-seconds']),
    say,
  };
}

/** `before`: of the shapes before it. */
async function resultOf(name: ShapeName, before: readonly ShapeResult[]): Promise<ShapeResult> {
  const options = optionsOf(name);
  const measured = await runShape(options, new Set(only));
  const normal = before.find(({ shape }) => shape === 'normal-100');
  const compared =
    normal && costPerPod(options.shape, measured, { shape: shapes['normal-100'], figures: normal.figures });
  return { shape: name, figures: { ...measured, ...compared } };
}

function valuesOf(results: readonly ShapeResult[]): string {
  const values = results.map(({ shape, figures }) => ({ shape, values: figures }));
  return `${JSON.stringify(values, undefined, 2)}\n`;
}

if (flags['soak-minutes'] !== undefined) {
  for (const name of wanted) await soak(optionsOf(name), Number(flags['soak-minutes']));
} else if (flags.prometheus !== undefined) {
  const scraping = {
    program: flags.prometheus,
    minutes: Number(flags.minutes),
    intervalSeconds: Number(flags['interval-seconds']),
  };
  for (const name of wanted) await scrapeByPrometheus(optionsOf(name), scraping);
} else {
  const results: ShapeResult[] = [];
  for (const name of wanted) {
    const result = await resultOf(name, results);
    results.push(result);
    say(describeRun(optionsOf(name)));
    for (const line of figureTable(result)) say(line);
    await writeFile(flags.json, valuesOf(results)); // what a later shape ends is not lost
  }
  if (results.length > 1) for (const line of growthTable(results)) say(line);
  say(`written to ${flags.json}`);
}
