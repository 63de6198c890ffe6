/**
 * The values that were last asked for or added, at least half of `maxCount` and at most all of it. What nobody asks for again
 * is forgotten when enough others come: without a counter or a weak reference for each value.
 */
export class RecentValues<K, V> {
  readonly #maxRecentCount: number;
  #recent = new Map<K, V>();
  /** Were recent when there was room. */
  #former = new Map<K, V>();

  constructor(maxCount: number) {
    this.#maxRecentCount = Math.max(1, Math.floor(maxCount / 2));
  }

  get(key: K): V | undefined {
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const former = this.#former.get(key);
    if (former !== undefined) this.set(key, former);
    return former;
  }

  set(key: K, value: V): void {
    if (this.#recent.size >= this.#maxRecentCount) {
      this.#former = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, value);
  }
}
