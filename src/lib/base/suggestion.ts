import { escapeInvisible } from './text.js';

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
    if (Math.abs(candidate.length - word.length) > bestDistance) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase(), bestDistance + 1);
    const isLonger = distance === bestDistance && best !== undefined && candidate.startsWith(word);
    if (distance < bestDistance || isLonger) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** ` (did you mean …?)` with the candidates that are like the word; '' without one. `prefix` is common to all and does not count. */
export function didYouMean(word: string, candidates: readonly string[], prefix = ''): string {
  const names = candidates.map((candidate) => candidate.slice(prefix.length));
  return meantText(likeNames(word.slice(prefix.length), names).map((name) => prefix + name));
}

export function meantText(names: readonly string[]): string {
  return names.length === 0 ? '' : ` (did you mean ${names.map((name) => escapeInvisible(name)).join(', ')}?)`;
}

/**
 * A few names: the nearest one, else those whose part behind the last `/` is the nearest, else those in which it begins like that of the
 * word: a pod that was replaced has successors.
 */
export function likeNames(word: string, candidates: readonly string[]): readonly string[] {
  const names = [...new Set(candidates)];
  const end = lastPart(word);
  const whole = nearest(word, names);
  const near = whole === undefined ? nearest(end, names.map(lastPart)) : undefined;
  const like = near === undefined ? beginningLike(end, names) : names.filter((name) => lastPart(name) === near);
  return whole === undefined ? like.slice(0, maxCount) : [whole];
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
 * The number of letters to insert, delete, replace or swap with a neighbour to turn `a` into `b`, where it is less than `end`, and
 * so is the difference of their lengths: only places that near to each other are compared.
 * https://en.wikipedia.org/wiki/Damerau%E2%80%93Levenshtein_distance#Optimal_string_alignment_distance
 */
function editDistance(a: string, b: string, end: number): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: 2 * end + 1 }, (_, index) => (index < end ? Infinity : index - end));
  for (let row = 1; row <= a.length; row += 1) {
    const current: number[] = [];
    for (let index = 0; index <= 2 * end; index += 1) {
      const column = row - end + index;
      const isSame = a[row - 1] === b[column - 1];
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[index] = Math.min(
        at(last, index + 1) + 1,
        at(current, index - 1) + 1,
        at(last, index) + (isSame ? 0 : 1),
        isSwap ? at(beforeLast, index) + 1 : Infinity,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return at(last, b.length - a.length + end);
}

function at(distances: readonly number[], index: number): number {
  return distances[index] ?? Infinity;
}
