import { setNewest } from '../../lib/base/maps.js';
import { type EvictionCause, evictionCauses, type EvictionCounts } from './eviction-snapshot.js';

const noEvictions: EvictionCounts<unknown>['counts'] = new Map(
  evictionCauses.filter((cause) => cause !== 'other').map((cause) => [cause, 0]),
);

/** Without a list for long, counters of things that are gone are not forgotten: an upper bound. */
const maxCount = 20_000;

/** Counts evictions by workload or by node. */
export class EvictionCounters<T> {
  readonly #keyOf: (of: T) => string;
  /** Those with evictions, by key. */
  #counted = new Map<string, EvictionCounts<T>>();
  /** Those of the last list without evictions. */
  #zeros = new Map<T, EvictionCounts<T>>();

  constructor(keyOf: (of: T) => string) {
    this.#keyOf = keyOf;
  }

  add(of: T, cause: EvictionCause): void {
    const key = this.#keyOf(of);
    const before = this.#counted.get(key)?.counts ?? noEvictions;
    const counts = new Map(before).set(cause, (before.get(cause) ?? 0) + 1);
    setNewest(this.#counted, key, { of, counts }, maxCount);
  }

  /**
   * The counts of all in `present`, then of those that are gone and whose key is in `keptKeys`; the others are forgotten.
   * The same objects as in the last list where nothing has changed.
   */
  list(present: Iterable<T>, keptKeys: ReadonlySet<string>): readonly EvictionCounts<T>[] {
    const zeros = new Map<T, EvictionCounts<T>>();
    const counted = new Map<string, EvictionCounts<T>>();
    const listed = Array.from(present, (of) => {
      const key = this.#keyOf(of);
      const known = this.#counted.get(key);
      if (known !== undefined) counted.set(key, known);
      const counts = known ?? this.#zeros.get(of) ?? { of, counts: noEvictions };
      if (known === undefined) zeros.set(of, counts);
      return counts;
    });
    const gone = [...this.#counted].filter(([key]) => !counted.has(key) && keptKeys.has(key));
    this.#counted = new Map([...counted, ...gone]);
    this.#zeros = zeros;
    return [...listed, ...gone.map(([, counts]) => counts)];
  }
}
