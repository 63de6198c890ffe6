/** Items in the order of a number, the least first; each item once. Every step takes O(log n). */
export class MinHeap<T> {
  readonly #rankOf: (item: T) => number;
  /** The children of the item at index i are at 2i + 1 and 2i + 2, and none comes before it. */
  readonly #items: T[] = [];
  readonly #indices = new Map<T, number>();

  constructor(rankOf: (item: T) => number) {
    this.#rankOf = rankOf;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  /** Adds the item, or moves it: to be called after its rank has changed. */
  set(item: T): void {
    this.#settle(item, this.#indices.get(item) ?? this.#items.length);
  }

  delete(item: T): void {
    const index = this.#indices.get(item);
    if (index === undefined) return;
    this.#indices.delete(item);
    const last = this.#items.pop();
    if (last !== undefined && last !== item) this.#settle(last, index);
  }

  /** Puts the item in the place at `index`, which is free, or in that to which the free place moves. */
  #settle(item: T, index: number): void {
    const rank = this.#rankOf(item);
    let free = index;
    for (let parent = up(free); this.#rankAt(parent) > rank; parent = up(free)) free = this.#move(parent, free);
    for (let child = this.#leastChild(free); this.#rankAt(child) < rank; child = this.#leastChild(free)) {
      free = this.#move(child, free);
    }
    this.#place(item, free);
  }

  #leastChild(index: number): number {
    const [left, right] = [2 * index + 1, 2 * index + 2];
    return this.#rankAt(right) < this.#rankAt(left) ? right : left;
  }

  /** Infinity below the last item, -Infinity above the first. */
  #rankAt(index: number): number {
    const item = this.#items[index];
    if (item !== undefined) return this.#rankOf(item);
    return index < 0 ? -Infinity : Infinity;
  }

  /** Returns the place that it leaves. */
  #move(from: number, to: number): number {
    const item = this.#items[from];
    if (item !== undefined) this.#place(item, to);
    return from;
  }

  #place(item: T, index: number): void {
    this.#items[index] = item;
    this.#indices.set(item, index);
  }
}

function up(index: number): number {
  return (index - 1) >> 1;
}
