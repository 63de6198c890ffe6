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
import { type Phase, phases } from './bench/run-options.js';
import { runShape } from './bench/run-shape.js';
import { type ShapeName, shapeNames, shapes } from './bench/shapes.js';
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
    'idle-seconds': { type: 'string', default: '15' },
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
const results: ShapeResult[] = [];
for (const name of wanted) {
  const shape = shapes[name];
  const measured = await runShape(
    {
      shape,
      cli: flags.exporter,
      settings: [`metrics.profile=${flags.profile ?? shape.profile}`, ...flags.set],
      roundCount: Number(flags.rounds),
      steadyCount: Number(flags.minutes),
      isRealTime: flags['real-time'],
      idleSeconds: Number(flags['idle-seconds']),
      say,
    },
    new Set(only),
  );
  const normal = results.find((result) => result.shape === 'normal-100');
  const compared = normal && costPerPod(shape, measured, { shape: shapes['normal-100'], figures: normal.figures });
  const figures = { ...measured, ...compared };
  results.push({ shape: name, figures });
  for (const line of figureTable({ shape: name, figures })) say(line);
}
if (results.length > 1) for (const line of growthTable(results)) say(line);
await writeFile(flags.json, `${JSON.stringify(results, undefined, 2)}\n`);
say(`written to ${flags.json}`);
