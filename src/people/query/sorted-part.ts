import type { Lane } from '../../lib/base/lane.js';

/** Few enough to be sorted within a slice of time. */
const maxSortedCount = 500;
const sampleCount = 63;

/**
 * Returns the items from `from` up to `to` of the sorted list, in a time that is proportional to the number of items, divided
 * into slices of the lane.
 */
export async function sortedPart<T>(
  items: readonly T[],
  range: { readonly from: number; readonly to: number },
  compare: (a: T, b: T) => number,
  lane: Lane,
): Promise<readonly T[]> {
  const [from, to] = [Math.max(0, range.from), Math.min(range.to, items.length)];
  if (from >= to) return [];
  if (items.length <= maxSortedCount) return lane.run(() => items.toSorted(compare).slice(from, to));
  const split = await lane.run(
    () => new Split<T>(nearPosition(items, (from + to) / 2 / items.length, compare), compare),
  );
  await lane.each(items, split.add);
  const { less, equal, more } = split;
  const within = (countBefore: number) => ({ from: from - countBefore, to: to - countBefore });
  return [
    ...(await sortedPart(less, within(0), compare, lane)),
    ...equal.slice(Math.max(0, from - less.length), Math.max(0, to - less.length)),
    ...(await sortedPart(more, within(less.length + equal.length), compare, lane)),
  ];
}

/** Returns the first `count` items of the sorted list in any order, in one step; of equal ones those that come first, in their order. */
export function firstItems<T>(items: T[], count: number, compare: (a: T, b: T) => number): T[] {
  if (items.length <= count) return items;
  if (count <= 0) return [];
  const split = new Split<T>(nearPosition(items, count / items.length, compare), compare);
  for (const item of items) split.add(item);
  const { less, equal, more } = split;
  if (less.length >= count) return firstItems(less, count, compare);
  const leftCount = count - less.length;
  return [...less, ...equal.slice(0, leftCount), ...firstItems(more, leftCount - equal.length, compare)];
}

/** Items before an item, after it, and those that are equal to it, in their order. */
class Split<T> {
  readonly less: T[] = [];
  readonly equal: T[] = [];
  readonly more: T[] = [];
  readonly #pivot: T;
  readonly #compare: (a: T, b: T) => number;

  constructor(pivot: T, compare: (a: T, b: T) => number) {
    this.#pivot = pivot;
    this.#compare = compare;
  }

  readonly add = (item: T): void => {
    const order = this.#compare(item, this.#pivot);
    (order < 0 ? this.less : order > 0 ? this.more : this.equal).push(item);
  };
}

/**
 * Returns an item of a sample that stands about as far from the beginning as `position`, from 0 to 1; `items`: two at least. Neither the
 * first nor the last of the sample, which may be those of all, so that no more would be known of the others.
 */
function nearPosition<T>(items: readonly T[], position: number, compare: (a: T, b: T) => number): T {
  const count = Math.min(sampleCount, items.length);
  const step = items.length / count;
  const sample = Array.from({ length: count }, (_, index) => items[Math.floor(index * step)] as T).sort(compare);
  return sample[Math.max(1, Math.min(count - 2, Math.floor(position * count)))] as T;
}
