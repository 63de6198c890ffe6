import type { LabelValues, Sample } from './self-family.js';

/** Counts by label values, each combination of which has a count from the start. */
export class LabelledCounter<L extends LabelValues> {
  readonly #labels: readonly (keyof L & string)[];
  readonly #counts: Map<string, Sample>;

  constructor(values: L) {
    this.#labels = Object.keys(values);
    const combinations = Object.values(values).reduce<readonly (readonly string[])[]>(
      (shorter, more) => shorter.flatMap((labels) => more.map((label) => [...labels, label])),
      [[]],
    );
    this.#counts = new Map(combinations.map((labels) => [labels.join(), [0, ...labels]]));
  }

  add(labels: { readonly [K in keyof L]: L[K][number] }, count = 1): void {
    const values = this.#labels.map((label): string => labels[label]);
    const key = values.join();
    this.#counts.set(key, [(this.#counts.get(key)?.[0] ?? 0) + count, ...values]);
  }

  samples(): readonly Sample[] {
    return [...this.#counts.values()];
  }

  get total(): number {
    return this.samples().reduce((sum, [count]) => sum + count, 0);
  }

  /** Returns the counts by the value of the last label. */
  toRecord(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.samples().map(([count, ...labels]) => [labels.at(-1) ?? '', count] as const));
  }
}
