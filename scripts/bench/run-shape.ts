import { BenchCluster } from './bench-cluster.js';
import type { Figures } from './figures.js';
import { measureChanges } from './measures/changes.js';
import { measureStart } from './measures/start.js';
import { measureSteady, steadySettings } from './measures/steady.js';
import { measureWarm } from './measures/warm.js';
import { type Phase, type Run, type RunOptions, startExporter } from './run-options.js';

/** All figures of the phases, for one shape. */
export async function runShape(options: RunOptions, only: ReadonlySet<Phase>): Promise<Figures> {
  await using cluster = await BenchCluster.start(options.shape);
  const run: Run = { ...options, cluster };
  return { ...(await measureFresh(run, only)), ...(await measureRefreshing(run, only)) };
}

/** With the default lifetime of data: nothing is refreshed while it is measured. */
async function measureFresh(run: Run, only: ReadonlySet<Phase>): Promise<Figures> {
  await using exporter = await startExporter(run);
  run.say(`${run.shape.name}: start`);
  let figures = await measureStart(exporter);
  if (only.has('warm')) figures = { ...figures, ...(await measureWarm(run, exporter)) };
  if (only.has('changes')) figures = { ...figures, ...(await measureChanges(run, exporter)) };
  return figures;
}

async function measureRefreshing(run: Run, only: ReadonlySet<Phase>): Promise<Figures> {
  if (!only.has('steady')) return {};
  await using exporter = await startExporter(run, steadySettings(run));
  return await measureSteady(run, exporter);
}
