export interface Named {
  readonly name: string;
}

/** Most pods have a few containers and volumes: up to here, comparisons take less time than a set. */
const maxComparedCount = 8;

export function haveDistinctNames(items: readonly Named[]): boolean {
  if (items.length > maxComparedCount) return new Set(items.map(({ name }) => name)).size === items.length;
  for (let index = 1; index < items.length; index += 1) {
    for (let before = 0; before < index; before += 1) if (items[before]?.name === items[index]?.name) return false;
  }
  return true;
}
