import { escapeInvisible } from '../lib/base/text.js';

const maxDistance = 3;
const maxCount = 5;

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

/** ` (did you mean …?)` with the candidates that are like the word; '' without one. `prefix` is common to all and does not count. */
export function didYouMean(word: string, candidates: readonly string[], prefix = ''): string {
  const names = [...new Set(candidates)].map((candidate) => candidate.slice(prefix.length));
  const like = likeNames(word.slice(prefix.length), names).slice(0, maxCount);
  return like.length === 0 ? '' : ` (did you mean ${like.map((name) => escapeInvisible(prefix + name)).join(', ')}?)`;
}

/**
 * The nearest name, else those whose part behind the last `/` is the nearest, else those in which it begins like that of the
 * word: a pod that was replaced has successors.
 */
function likeNames(word: string, names: readonly string[]): readonly string[] {
  const end = lastPart(word);
  const whole = nearest(word, names);
  const near = whole === undefined ? nearest(end, names.map(lastPart)) : undefined;
  if (near !== undefined) return names.filter((name) => lastPart(name) === near);
  return whole === undefined ? beginningLike(end, names) : [whole];
}

/** Names that begin with the text, else with what is before its last `-`, and so on. */
function beginningLike(text: string, names: readonly string[]): readonly string[] {
  const found = text === '' ? [] : names.filter((name) => lastPart(name).startsWith(text));
  const end = text.lastIndexOf('-');
  return found.length > 0 || end === -1 ? found : beginningLike(text.slice(0, end), names);
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
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
