/** Items with equal values are ordered by name, so that nothing moves while nothing changes. Unknown values come last. */
export function largestFirst<T>(
  valueOf: (item: T) => number | undefined,
  namesOf: (item: T) => readonly string[],
): (a: T, b: T) => number {
  return (a, b) => {
    const [valueA, valueB] = [valueOf(a) ?? -1, valueOf(b) ?? -1];
    return valueA === valueB ? compareNames(namesOf(a), namesOf(b)) : valueB - valueA;
  };
}

function compareNames(a: readonly string[], b: readonly string[]): number {
  for (const [index, name] of a.entries()) {
    const other = b[index] ?? '';
    if (name !== other) return name < other ? -1 : 1;
  }
  return 0;
}
