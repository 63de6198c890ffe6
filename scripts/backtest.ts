/**
 * Tries the forecast on simulated containers and emptyDirs with a limit and on disks of nodes, and compares it with others. Prints
 * how many of the evictions that could be foreseen were, and how much of what was said was false.
 */
import process from 'node:process';
import { parseArgs } from 'node:util';

import { Random } from '../sim/model/random.js';
import { type Forecaster, forecasters } from './backtest/forecasters.js';
import { type Life, randomNodeLife, randomPodLife } from './backtest/lives.js';
import { observe } from './backtest/observe.js';
import { addScores, noScore, type Score, scoreOf } from './backtest/score.js';

const { values: flags } = parseArgs({
  options: { seed: { type: 'string', default: '29' }, lives: { type: 'string', default: '4000' } },
});

for (const [name, forecasterOf] of Object.entries(forecasters)) {
  const scores = new Map<string, Score>();
  for (const { kind, part, score } of [
    ...scored(randomPodLife, forecasterOf),
    ...scored(randomNodeLife, forecasterOf),
  ]) {
    const groups = part === 'node' ? ['all of nodes'] : ['all of pods', `${part}s`];
    if (name === 'exporter') groups.push(`${kind} of ${part}s`);
    for (const group of groups) scores.set(group, addScores(scores.get(group) ?? noScore, score));
  }
  process.stdout.write(`${name}\n`);
  for (const [group, score] of [...scores].sort(([a], [b]) => (a < b ? -1 : 1))) {
    process.stdout.write(`  ${lineOf(group, score)}\n`);
  }
}

function scored(randomLife: (random: Random) => Life, forecasterOf: (life: Life) => Forecaster) {
  const random = new Random(Number(flags.seed));
  return Array.from({ length: Number(flags.lives) }, (_, index) => {
    const life = randomLife(random);
    return { ...life, score: scoreOf(life, observe(life, new Random(index), forecasterOf(life))) };
  });
}

function lineOf(group: string, score: Score): string {
  const { evictionCount, foreseeableCount, foreseenCount, lastRightCount, saidCount, falseCount, endedCount } = score;
  const { cleanupCount, silentMs } = score;
  return [
    group.padEnd(22),
    `${evictionCount} evicted, ${foreseeableCount} could be foreseen: ${part(foreseenCount, foreseeableCount)} were`,
    `(${part(lastRightCount, foreseeableCount)} by the last one in time)`,
    `${saidCount} said: ${part(falseCount, saidCount)} false; ${endedCount} of growth that ended`,
    ...(cleanupCount === 0
      ? []
      : [`silent for ${(silentMs / cleanupCount / 1_000).toFixed(0)} s after ${cleanupCount} cleanups`]),
  ].join('  ');
}

function part(count: number, of: number): string {
  return of === 0 ? '-' : `${((100 * count) / of).toFixed(1)} %`;
}
