/** Counts what the histories drew, so that a test can tell what it covers. */
export class Draws {
  readonly #counts = new Map<string, number>();

  add(kind: 'change' | 'reload' | 'round' | 'scrape' | 'setting', name: string): void {
    const key = `${kind}: ${name}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  countOf(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /** One line for each, by its name. */
  get lines(): readonly string[] {
    return [...this.#counts].sort().map(([key, count]) => `${String(count).padStart(8)} ${key}`);
  }
}
