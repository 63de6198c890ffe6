import { nearest } from '../../config/suggestion.js';
import { terminalText } from './terminal-text.js';

const maxCount = 5;

/**
 * `; did you mean …?` with names that hold the word or are spelt almost like it, as a whole or in their last part; ''
 * when there is none.
 */
export function suggestions(word: string, names: Iterable<string>): string {
  const all = [...new Set(names)].sort();
  const end = lastPart(word);
  const alike = [nearest(word, all), ...namesEndingIn(nearest(end, all.map(lastPart)), all)];
  const holding = all.filter((name) => end !== '' && name.toLowerCase().includes(end.toLowerCase()));
  const near = new Set([...alike.filter((name) => name !== undefined), ...holding]);
  if (near.size === 0) return '';
  return `; did you mean ${[...near].slice(0, maxCount).map(terminalText).join(', ')}?`;
}

function namesEndingIn(end: string | undefined, names: readonly string[]): readonly string[] {
  return end === undefined ? [] : names.filter((name) => lastPart(name) === end);
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}
