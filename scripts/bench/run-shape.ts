import { BenchCluster } from './bench-cluster.js';
import { derivedFigures } from './derived.js';
import type { Figures } from './figures.js';
import { measureChanges } from './measures/changes.js';
import { measureHanging } from './measures/hanging.js';
import { measureIdle } from './measures/idle.js';
import { measureLibrary } from './measures/library.js';
import { measureLists } from './measures/lists.js';
import { measureReaders } from './measures/readers.js';
import { measureStart } from './measures/start.js';
import { measureSteady, steadySettings } from './measures/steady.js';
import { measureWarm } from './measures/warm.js';
import { type Phase, type Run, type RunOptions, startExporter } from './run-options.js';

/** All figures of the phases, for one shape. */
export async function runShape(options: RunOptions, only: ReadonlySet<Phase>): Promise<Figures> {
  const { shape } = options;
  await using cluster = await BenchCluster.start(shape);
  const run: Run = { ...options, cluster };
  const measured = { ...(await measureFresh(run, only)), ...(await measureRefreshing(run, only)) };
  const others = await measurePhases(run, only, [
    ['lists', () => measureLists(run)],
    ['library', () => measureLibrary(run)],
  ]);
  return { ...measured, ...others, ...derivedFigures(shape, measured) };
}

/** Data is fresh for so long that no kubelet is asked while it is measured; the time to an eviction is shorter than that. */
async function measureFresh(run: Run, only: ReadonlySet<Phase>): Promise<Figures> {
  if (!['start', 'warm', 'changes', 'idle', 'readers'].some((phase) => only.has(phase as Phase))) return {};
  await using exporter = await startExporter(run, ['cache.ttl=1h', 'cache.nearTtl=0']);
  const started = await measureStart(exporter);
  const measured = await measurePhases(run, only, [
    ['warm', () => measureWarm(run, exporter)],
    ['changes', () => measureChanges(run, exporter)],
    ['idle', () => measureIdle(run, exporter)],
    ['readers', () => measureReaders(exporter)],
  ]);
  return { ...started, ...measured };
}

async function measureRefreshing(run: Run, only: ReadonlySet<Phase>): Promise<Figures> {
  if (!only.has('steady') && !only.has('hanging')) return {};
  await using exporter = await startExporter(run, steadySettings(run));
  await exporter.ready();
  return await measurePhases(run, only, [
    ['steady', () => measureSteady(run, exporter)],
    ['hanging', () => measureHanging(run, exporter)],
  ]);
}

async function measurePhases(
  { shape, say }: Run,
  only: ReadonlySet<Phase>,
  phases: readonly (readonly [Phase, () => Promise<Figures>])[],
): Promise<Figures> {
  let figures: Figures = {};
  for (const [phase, measure] of phases) {
    if (!only.has(phase)) continue;
    say(`${shape.name}: ${phase}`);
    figures = { ...figures, ...(await measure()) };
  }
  return figures;
}
