import { haveDistinctNames } from './names.js';

/**
 * The items in their order, those of one name combined by `add`. A name that the kubelet lists twice must not become two
 * series, and its total includes the bytes of both.
 */
export function mergeByName<T extends { readonly name: string }>(
  items: readonly T[],
  add: (a: T, b: T) => T,
): readonly T[] {
  if (haveDistinctNames(items)) return items;
  const merged = new Map<string, T>();
  for (const item of items) {
    const known = merged.get(item.name);
    merged.set(item.name, known === undefined ? item : add(known, item));
  }
  return [...merged.values()];
}

/** The sum of what is known; undefined when neither is. */
export function addKnown(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : a + b;
}

/** The smaller of what is known; undefined when neither is. */
export function leastKnown(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : Math.min(a, b);
}
