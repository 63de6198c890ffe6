/** Counts by the values of a closed list, each of them from the start. */
export class Tally<K extends string> {
  readonly #counts: Map<K, number>;

  constructor(keys: readonly K[]) {
    this.#counts = new Map(keys.map((key) => [key, 0]));
  }

  add(key: K, count = 1): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + count);
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  entries(): readonly (readonly [key: K, count: number])[] {
    return [...this.#counts];
  }

  toRecord(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }
}
