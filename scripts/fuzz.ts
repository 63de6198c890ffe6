/**
 * Hostile input for everything that reads what others write, until `--minutes` are over; `--seed` repeats a run. An
 * input that breaks an invariant is shrunk and printed: it belongs into test/fuzz/corpus.json once it is fixed.
 */
import { parseArgs } from 'node:util';

import fc from 'fast-check';

import { EventLoopGuard } from '../test/support/fuzz/event-loop-guard.js';
import { installedPromtools, PromtoolSampler } from '../test/support/fuzz/promtool-sampler.js';
import { fuzzTargets } from '../test/support/fuzz/targets.js';

const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const endMs = performance.now() + Number(flags.minutes) * 60_000;
const runCount = 100;

const guard = new EventLoopGuard();
const promtools = installedPromtools();
const sampler = new PromtoolSampler(promtools, 20);
const targets = await fuzzTargets({ guard, checkExposition: (exposition) => sampler.check(exposition) });
const inputCounts = new Map(targets.map(({ name }) => [name, 0]));
let failureCount = 0;
for (let round = 0; performance.now() < endMs && failureCount === 0; round++) {
  const seed = Number(flags.seed) + round;
  for (const { name, input, check } of targets) {
    const details = await fc.check(fc.asyncProperty(input, check), { seed, numRuns: runCount });
    inputCounts.set(name, (inputCounts.get(name) ?? 0) + details.numRuns);
    if (!details.failed) continue;
    failureCount += 1;
    const error = details.errorInstance instanceof Error ? details.errorInstance.stack : String(details.errorInstance);
    process.stdout.write(`${name}, seed ${seed}: ${JSON.stringify(details.counterexample?.[0])}\n${String(error)}\n`);
  }
}
const { distinct, checked } = sampler.counts;
process.stdout.write(
  [
    `seed ${flags.seed}: ${Array.from(inputCounts, ([name, count]) => `${count} of ${name}`).join(', ')}`,
    `longest turn of the event loop ${guard.longestTurnMs.toFixed(0)} ms`,
    `${distinct} distinct expositions, ${checked} checked by ${promtools.join(' and ') || 'promtool, which is not installed'}\n`,
  ].join('; '),
);
process.exitCode = failureCount === 0 ? 0 : 1;
