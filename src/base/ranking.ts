/**
 * The first `count` of the items that were added, in the order of `compare`; of equals those that came first. Holds at
 * most twice as many: sorting those now and then is all that it costs.
 */
export class Ranking<T> {
  readonly #count: number;
  readonly #compare: (a: T, b: T) => number;
  readonly #items: T[] = [];
  /** The last of the first so far; undefined until there were enough. */
  #last: T | undefined;

  /** `count`: above 0. */
  constructor(count: number, compare: (a: T, b: T) => number) {
    this.#count = count;
    this.#compare = compare;
  }

  add(item: T): void {
    if (this.#last !== undefined && this.#compare(this.#last, item) <= 0) return;
    this.#items.push(item);
    if (this.#items.length === 2 * this.#count) this.#cut();
  }

  /** Sorted. */
  top(): readonly T[] {
    this.#cut();
    return this.#items;
  }

  #cut(): void {
    this.#items.sort(this.#compare);
    if (this.#items.length < this.#count) return;
    this.#items.length = this.#count;
    this.#last = this.#items.at(-1);
  }
}
