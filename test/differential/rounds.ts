/** How many random histories a differential test tries, and what they consisted of. */

/** As many as fit into the tests of each change, unless `DIFFERENTIAL_ROUNDS` has more. */
export const roundCount = Number(process.env['DIFFERENTIAL_ROUNDS'] ?? 300);

/** It is printed: `DIFFERENTIAL_SEED` repeats the histories. */
export const seed = Number(process.env['DIFFERENTIAL_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** A round takes 50 ms, and several times as long on a loaded machine. */
export const timeoutMs = 60_000 + roundCount * 500;

/** In 20,000 rounds, each kind is to be drawn so many times. */
const leastCount = Math.max(1, Math.floor(roundCount / 200));

/** Counts what was drawn in all rounds, by kind. */
export class DrawnKinds {
  readonly #counts = new Map<string, number>();

  count(kind: string): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }

  get text(): string {
    const kinds = [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1));
    return kinds.map(([kind, count]) => `${kind}: ${count}`).join(', ');
  }

  /** Those that were drawn too rarely to say anything about them. */
  rare(kinds: readonly string[]): readonly string[] {
    return kinds.filter((kind) => (this.#counts.get(kind) ?? 0) < leastCount);
  }
}
