/**
 * Tries the forecast on simulated containers and emptyDirs with a limit, and compares it with others. Prints how many of the
 * evictions that could be foreseen were, and how much of what was said was false.
 */
import process from 'node:process';
import { parseArgs } from 'node:util';

import { Random } from '../sim/model/random.js';
import { forecasters } from './backtest/forecasters.js';
import { randomLife } from './backtest/lives.js';
import { observe } from './backtest/observe.js';
import { addScores, noScore, type Score, scoreOf } from './backtest/score.js';

const { values: flags } = parseArgs({
  options: { seed: { type: 'string', default: '29' }, lives: { type: 'string', default: '4000' } },
});

for (const [name, forecasterOf] of Object.entries(forecasters)) {
  const scores = new Map<string, Score>();
  const random = new Random(Number(flags.seed));
  for (let count = 0; count < Number(flags.lives); count += 1) {
    const life = randomLife(random);
    const score = scoreOf(life, observe(life, new Random(count), forecasterOf(life)));
    const groups = ['all', `${life.part}s`, ...(name === 'exporter' ? [`${life.kind} of ${life.part}s`] : [])];
    for (const group of groups) scores.set(group, addScores(scores.get(group) ?? noScore, score));
  }
  process.stdout.write(`${name}\n`);
  for (const [group, score] of [...scores].sort(([a], [b]) => (a < b ? -1 : 1))) {
    process.stdout.write(`  ${lineOf(group, score)}\n`);
  }
}

function lineOf(group: string, score: Score): string {
  const { evictionCount, foreseeableCount, foreseenCount, lastRightCount, saidCount, falseCount, endedCount } = score;
  return [
    group.padEnd(22),
    `${evictionCount} evicted, ${foreseeableCount} could be foreseen: ${part(foreseenCount, foreseeableCount)} were`,
    `(${part(lastRightCount, foreseeableCount)} by the last one in time)`,
    `${saidCount} said: ${part(falseCount, saidCount)} false; ${endedCount} of growth that ended by itself`,
  ].join('  ');
}

function part(count: number, of: number): string {
  return of === 0 ? '-' : `${((100 * count) / of).toFixed(1)} %`;
}
