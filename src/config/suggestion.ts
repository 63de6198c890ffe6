const maxDistance = 3;

/**
 * The candidate that `word` most likely misspells: with an edit distance of at most a third of its length and at most
 * three. Case does not matter.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.min(maxDistance, Math.max(1, Math.floor(word.length / 3))) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** ` (did you mean …?)` with {@link nearest}; '' without one. `prefix` is common to all and does not count. */
export function didYouMean(word: string, candidates: readonly string[], prefix = ''): string {
  const near = nearest(
    word.slice(prefix.length),
    candidates.map((candidate) => candidate.slice(prefix.length)),
  );
  return near === undefined ? '' : ` (did you mean ${prefix}${near}?)`;
}

/**
 * The number of letters to insert, delete, replace or swap with a neighbour to turn `a` into `b`.
 * https://en.wikipedia.org/wiki/Damerau%E2%80%93Levenshtein_distance#Optimal_string_alignment_distance
 */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwap ? at(beforeLast, column - 2) + 1 : Infinity,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return at(last, b.length);
}

function at(distances: readonly number[], column: number): number {
  return distances[column] ?? Infinity;
}
