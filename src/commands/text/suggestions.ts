import { nearest } from '../../config/suggestion.js';
import { terminalText } from './terminal-text.js';

const maxCount = 5;

/**
 * `; did you mean …?` with names that are spelt almost like the word, as a whole or in their last part, that hold it, or
 * that begin like it: a pod that was replaced has successors. '' when there is none.
 */
export function suggestions(word: string, names: Iterable<string>): string {
  const all = [...new Set(names)].sort();
  const end = lastPart(word);
  const alike = [nearest(word, all), ...namesEndingIn(nearest(end, all.map(lastPart)), all)];
  const holding = all.filter((name) => end !== '' && name.toLowerCase().includes(end.toLowerCase()));
  const near = new Set([...alike.filter((name) => name !== undefined), ...holding, ...siblings(word, all)]);
  if (near.size === 0) return '';
  return `; did you mean ${[...near].slice(0, maxCount).map(terminalText).join(', ')}?`;
}

function namesEndingIn(end: string | undefined, names: readonly string[]): readonly string[] {
  return end === undefined ? [] : names.filter((name) => lastPart(name) === end);
}

/** Names with the longest stem of the word that there is: what comes before one of the `-` in its last part. */
function siblings(word: string, names: readonly string[]): readonly string[] {
  const end = word.lastIndexOf('-');
  if (end <= word.lastIndexOf('/') + 1) return [];
  const stem = word.slice(0, end);
  const found = names.filter((name) => name.startsWith(`${stem}-`));
  return found.length > 0 ? found : siblings(stem, names);
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}
