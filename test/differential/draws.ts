import { leastDraws } from './rounds.js';

/** `way`: how a pod ends. `outcome`: what became of an eviction. */
type DrawKind = 'change' | 'ending' | 'fault' | 'outcome' | 'reload' | 'round' | 'scrape' | 'setting' | 'step' | 'way';

/** Counts what the histories drew, so that a test shows what it covers. */
export class Draws {
  readonly #counts = new Map<string, number>();

  add(kind: DrawKind, name: string): void {
    const key = `${kind}: ${name}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** Those of `keys` that were drawn too rarely to say anything about them. */
  rare(keys: readonly string[]): readonly string[] {
    return keys.filter((key) => (this.#counts.get(key) ?? 0) < leastDraws);
  }

  /** One line for each, by its name. */
  get lines(): readonly string[] {
    return [...this.#counts].sort().map(([key, count]) => `${String(count).padStart(8)} ${key}`);
  }
}
