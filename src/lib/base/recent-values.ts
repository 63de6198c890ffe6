/**
 * The values that were last asked for or added: at least half of `maxWeight`, and at most all of it. What nobody asks for
 * again is forgotten when enough others come: without a counter or a weak reference for each value.
 */
export class RecentValues<K, V> {
  readonly #maxRecentWeight: number;
  readonly #weightOf: (key: K) => number;
  #recentWeight = 0;
  #recent = new Map<K, V>();
  /** Were recent when there was room. */
  #former = new Map<K, V>();

  /** `weightOf`: of a key with its value, at most half of `maxWeight`. Without it `maxWeight` is a number of values. */
  constructor(maxWeight: number, weightOf: (key: K) => number = () => 1) {
    this.#maxRecentWeight = Math.max(1, Math.floor(maxWeight / 2));
    this.#weightOf = weightOf;
  }

  get(key: K): V | undefined {
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const former = this.#former.get(key);
    if (former !== undefined) this.set(key, former);
    return former;
  }

  set(key: K, value: V): void {
    if (!this.#recent.has(key)) this.#makeRoom(this.#weightOf(key));
    this.#recent.set(key, value);
  }

  #makeRoom(weight: number): void {
    this.#recentWeight += weight;
    if (this.#recentWeight <= this.#maxRecentWeight) return;
    this.#former = this.#recent;
    this.#recent = new Map();
    this.#recentWeight = weight;
  }
}
