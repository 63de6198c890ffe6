/** As many random histories as fit into the tests of each change, unless `DIFFERENTIAL_ROUNDS` has more. */
const onDemand = process.env['DIFFERENTIAL_ROUNDS'];

export const roundCount = Number(onDemand ?? 300);

/**
 * It is printed: `DIFFERENTIAL_SEED` repeats the histories. The tests of each change live through the same ones, so that no
 * change is refused for what another one has broken; those on demand are others each time.
 */
export const seed = Number(process.env['DIFFERENTIAL_SEED'] ?? (onDemand === undefined ? 20_261_126 : newSeed()));

/** Of each kind, in 20,000 rounds; in fewer rounds, each at least once. */
export const leastDraws = Math.max(1, Math.floor(roundCount / 200));

/** A round takes some 50 ms, and many times as long on a loaded machine. */
export const timeoutMs = 60_000 + roundCount * 2_000;

function newSeed(): number {
  return Math.floor(Math.random() * 2 ** 31);
}
