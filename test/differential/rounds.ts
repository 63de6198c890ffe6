import { atNight } from '../support/nightly.js';

/** As many random histories as fit into the tests of each change, unless `DIFFERENTIAL_ROUNDS` has more. */
export const roundCount = Number(process.env['DIFFERENTIAL_ROUNDS'] ?? atNight(5_000, 100));

/** It is printed: `SEED` repeats the histories. */
export const seed = Number(process.env['SEED']);

/** Of each kind, in 20,000 rounds. Few rounds may lack some. */
export const leastDraws = Math.floor(roundCount / 200);

/** A round takes some 50 ms, and many times as long on a loaded machine. */
export const timeoutMs = 60_000 + roundCount * 2_000;
