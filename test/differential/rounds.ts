import { spawnSync } from 'node:child_process';

import { atNight } from '../support/nightly.js';

/** As many random histories as fit into the tests of each change, unless `DIFFERENTIAL_ROUNDS` has more. */
export const roundCount = Number(process.env['DIFFERENTIAL_ROUNDS'] ?? atNight(5_000, 100));

/**
 * It is printed: `DIFFERENTIAL_SEED` repeats the histories. The tests of each commit live through others, always the same
 * ones; more of them are others each time.
 */
export const seed = Number(process.env['DIFFERENTIAL_SEED'] ?? (roundCount === 100 ? seedOfCommit() : newSeed()));

/** Of each kind, in 20,000 rounds. Few rounds may lack some. */
export const leastDraws = Math.floor(roundCount / 200);

/** A round takes some 50 ms, and many times as long on a loaded machine. */
export const timeoutMs = 60_000 + roundCount * 2_000;

function seedOfCommit(): number {
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: import.meta.dirname, encoding: 'utf8' });
  // Without a repository, as in an archive of the sources, one seed.
  return Number.parseInt(`0${stdout.slice(0, 7)}`, 16);
}

function newSeed(): number {
  return Math.floor(Math.random() * 2 ** 31);
}
