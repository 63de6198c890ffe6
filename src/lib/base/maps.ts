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

/** Lists of the items with one key, each in their order. */
export function groupBy<K, T>(items: Iterable<T>, keyOf: (item: T) => K): ReadonlyMap<K, readonly [T, ...T[]]> {
  const groups = new Map<K, [T, ...T[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** The value of the key; where there is none, what `make` returns is added. */
export function getOrAdd<K, V>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  make: () => V,
): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/** Sets the value as the newest of the map; the oldest ones above `maxCount` are forgotten. */
export function setNewest<K, V>(map: Map<K, V>, key: K, value: V, maxCount: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= maxCount) return;
    map.delete(oldest);
  }
}

/** Deletes all other keys. */
export function retainKeys<K>(map: Map<K, unknown>, keys: ReadonlySet<K>): void {
  for (const key of map.keys()) if (!keys.has(key)) map.delete(key);
}

/** The sum of what is known; undefined when neither is. */
export function addKnown(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : a + b;
}

/** The sum; undefined when one of them is unknown. */
export function addWhole(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a + b;
}

/** The smaller of what is known; undefined when neither is. */
export function leastKnown(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : Math.min(a, b);
}

/** Returns the first item of each key; the same array where all keys differ. */
export function distinct<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const seen = new Set<string>();
  const first = items.filter((item) => {
    const sizeBefore = seen.size;
    return seen.add(keyOf(item)).size > sizeBefore;
  });
  return first.length === items.length ? items : first;
}

export interface Named {
  readonly name: string;
}

/** Most pods have a few containers and volumes: up to here, comparisons take less time than a set or a map. */
const maxComparedCount = 8;

export function haveDistinctNames(items: readonly Named[]): boolean {
  if (items.length > maxComparedCount) return new Set(items.map(({ name }) => name)).size === items.length;
  for (let index = 1; index < items.length; index += 1) {
    for (let before = 0; before < index; before += 1) if (items[before]?.name === items[index]?.name) return false;
  }
  return true;
}

/** Returns what finds the first item of a name, in a time that does not grow with the number of items. */
export function finderByName<T extends Named>(items: readonly T[]): (name: string) => T | undefined {
  if (items.length <= maxComparedCount) return (name) => items.find((item) => item.name === name);
  const byName = new Map<string, T>();
  for (const item of items) if (!byName.has(item.name)) byName.set(item.name, item);
  return (name) => byName.get(name);
}
