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

/** Most pods have a few containers and volumes, for which a set of names takes longer than the comparisons. */
const maxComparedCount = 8;

function haveDistinctNames(items: readonly { readonly name: string }[]): boolean {
  if (items.length > maxComparedCount) return new Set(items.map(({ name }) => name)).size === items.length;
  for (let index = 1; index < items.length; index += 1) {
    for (let before = 0; before < index; before += 1) if (items[before]?.name === items[index]?.name) return false;
  }
  return true;
}

/** The sum of what is known; undefined when neither is. */
export function addKnown(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : a + b;
}
