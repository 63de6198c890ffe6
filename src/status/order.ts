/** Equal figures in the order of the names, so that a page does not dance when nothing changes. */
export function biggestFirst<T>(
  figureOf: (item: T) => number | undefined,
  namesOf: (item: T) => readonly string[],
): (a: T, b: T) => number {
  return (a, b) => {
    const [figureA, figureB] = [figureOf(a) ?? -1, figureOf(b) ?? -1];
    return figureA === figureB ? compareNames(namesOf(a), namesOf(b)) : figureB - figureA;
  };
}

function compareNames(a: readonly string[], b: readonly string[]): number {
  for (const [index, name] of a.entries()) {
    const other = b[index] ?? '';
    if (name !== other) return name < other ? -1 : 1;
  }
  return 0;
}
