import type { FamilyGroup } from './family.js';

/** How many series one part of a source may have. */
export interface PartBound<Item extends object> {
  /** Most series of one part, over all families. */
  readonly maxSeriesCount: number;
  /** A number that is not below that of the series that any one family has of the item. Cheap. */
  readonly sizeOf: (item: Item) => number;
}

/** Counts the series of the parts of a source without making any text, and bounds those of each part. */
export class PartCounts<Item extends object, Part> {
  readonly #groups: readonly FamilyGroup<Part>[];
  readonly #bound: PartBound<Item>;
  readonly #familyCount: number;

  constructor(groups: readonly FamilyGroup<Part>[], bound: PartBound<Item>) {
    this.#groups = groups;
    this.#bound = bound;
    this.#familyCount = groups.reduce((sum, { families }) => sum + families.length, 0);
  }

  /** A number that is not below that of the series of these parts; Infinity where one of them may have too many. */
  most(items: readonly Item[]): number {
    const { maxSeriesCount, sizeOf } = this.#bound;
    let sum = 0;
    for (const item of items) {
      const most = sizeOf(item) * this.#familyCount;
      if (most > maxSeriesCount) return Infinity;
      sum += most;
    }
    return sum;
  }

  /**
   * Returns the families that have no series of this part, as it would have too many: whole ones, since sums over half of
   * one are wrong. The first families stay. Undefined when all have: the rule.
   */
  leftOut(item: Item, part: Part): ReadonlySet<number> | undefined {
    const { maxSeriesCount, sizeOf } = this.#bound;
    return sizeOf(item) * this.#familyCount <= maxSeriesCount
      ? undefined
      : overflow(this.#countsOf(part), maxSeriesCount);
  }

  /** Adds the series of a part to `counts`, one for each family. Returns how many are left out. */
  add(item: Item, part: Part, counts: Uint32Array): number {
    const leftOut = this.leftOut(item, part);
    if (leftOut === undefined) {
      this.#count(part, counts);
      return 0;
    }
    let leftOutCount = 0;
    for (const [family, count] of this.#countsOf(part).entries()) {
      if (leftOut.has(family)) leftOutCount += count;
      else counts[family] = (counts[family] ?? 0) + count;
    }
    return leftOutCount;
  }

  #countsOf(part: Part): Uint32Array {
    const counts = new Uint32Array(this.#familyCount);
    this.#count(part, counts);
    return counts;
  }

  #count(part: Part, counts: Uint32Array): void {
    let first = 0;
    for (const group of this.#groups) {
      group.count(part, counts, first);
      first += group.families.length;
    }
  }
}

function overflow(counts: Uint32Array, maxCount: number): ReadonlySet<number> | undefined {
  const over = new Set<number>();
  let sum = 0;
  for (const [family, count] of counts.entries()) {
    if (sum + count > maxCount) over.add(family);
    else sum += count;
  }
  return over.size === 0 ? undefined : over;
}
