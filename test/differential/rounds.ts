/** As many random histories as fit into the tests of each change, unless `DIFFERENTIAL_ROUNDS` has more. */
export const roundCount = Number(process.env['DIFFERENTIAL_ROUNDS'] ?? 300);

/** It is printed: `DIFFERENTIAL_SEED` repeats the histories. */
export const seed = Number(process.env['DIFFERENTIAL_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** Of each kind, in 20,000 rounds; in fewer rounds, each at least once. */
export const leastDraws = Math.max(1, Math.floor(roundCount / 200));

/** A round takes some 50 ms, and many times as long on a loaded machine. */
export const timeoutMs = 60_000 + roundCount * 2_000;
