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
