import type { Lane } from '../base/scheduler.js';

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
  const pivot = await lane.run(() => nearPosition(items, (from + to) / 2 / items.length, compare));
  const [less, equal, more]: [T[], T[], T[]] = [[], [], []];
  await lane.each(items, (item) => {
    const order = compare(item, pivot);
    (order < 0 ? less : order > 0 ? more : equal).push(item);
  });
  const within = (countBefore: number) => ({ from: from - countBefore, to: to - countBefore });
  return [
    ...(await sortedPart(less, within(0), compare, lane)),
    ...equal.slice(Math.max(0, from - less.length), Math.max(0, to - less.length)),
    ...(await sortedPart(more, within(less.length + equal.length), compare, lane)),
  ];
}

/** Returns an item of a sample that stands about as far from the beginning as `position`, from 0 to 1. */
function nearPosition<T>(items: readonly T[], position: number, compare: (a: T, b: T) => number): T {
  const step = items.length / sampleCount;
  const sample = Array.from({ length: sampleCount }, (_, index) => items[Math.floor(index * step)] as T).sort(compare);
  return sample[Math.min(sampleCount - 1, Math.floor(position * sampleCount))] as T;
}
