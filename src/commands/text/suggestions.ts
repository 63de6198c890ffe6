import { UserError } from '../../base/errors.js';
import { truncate } from '../../base/text.js';
import { nearest } from '../../config/suggestion.js';
import { shardsText } from '../views/shards.js';
import type { AnswerFacts } from '../views/view-source.js';
import { terminalText } from './terminal-text.js';

const maxCount = 5;
const minPartLength = 3;

/**
 * `; did you mean …?` with names that are like the word: first those of the namespace (what comes before the first `/`
 * of a name), then the others. '' when there is none.
 */
export function suggestions(word: string, names: Iterable<string>, namespace?: string): string {
  const all = [...new Set(names)].sort();
  const isInside = (name: string): boolean => namespace !== undefined && name.startsWith(`${namespace}/`);
  const [inside, outside] = [all.filter(isInside), all.filter((name) => !isInside(name))];
  const near = [...likeNames(word, inside), ...likeNames(word, outside)];
  if (near.length === 0) return '';
  return `; did you mean ${near.slice(0, maxCount).map(terminalText).join(', ')}?`;
}

/**
 * Names that are spelt almost like the word, as a whole or in their last part, nearest first; then those that hold it,
 * then those that begin like it: a pod that was replaced has successors.
 */
function likeNames(word: string, names: readonly string[]): readonly string[] {
  const end = lastPart(word);
  const alike = [nearest(word, names), ...namesEndingIn(nearest(end, names.map(lastPart)), names)];
  const holding = names.filter((name) => isPart(end.toLowerCase(), lastPart(name).toLowerCase()));
  return [...new Set([...alike.filter((name) => name !== undefined), ...holding, ...siblings(word, names)])];
}

/** A few letters are in many names: they count at the beginning alone. */
function isPart(text: string, name: string): boolean {
  if (text.length < minPartLength) return text !== '' && name.startsWith(text);
  return name.includes(text);
}

function namesEndingIn(end: string | undefined, names: readonly string[]): readonly string[] {
  return end === undefined ? [] : names.filter((name) => lastPart(name) === end);
}

/** Names with the longest stem of the word that there is: what comes before one of the `-` in its last part. */
function siblings(word: string, names: readonly string[]): readonly string[] {
  const end = word.lastIndexOf('-');
  if (end <= word.lastIndexOf('/') + 1) return [];
  const stem = word.slice(0, end);
  const isSibling = (name: string): boolean => name.startsWith(`${stem}-`) || lastPart(name).startsWith(`${stem}-`);
  const found = names.filter(isSibling);
  return found.length > 0 ? found : siblings(stem, names);
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/** No object has a longer one, also with its namespace. */
const maxNameLength = 320;

/** The name as an error quotes it. */
export function quotedName(name: string): string {
  return truncate(terminalText(name), maxNameLength);
}

/** Where a name was looked for. */
export interface SearchedPlace {
  /** Which the name may begin with. */
  readonly namespace?: string | undefined;
  /** Of the answer that lacks the name. */
  readonly facts: Pick<AnswerFacts, 'notes' | 'shards'>;
}

/** `names` are those that there are; those of the namespace are suggested first. What was not searched is said too. */
export function notFound(
  kind: string,
  name: string,
  names: Iterable<string>,
  { namespace, facts: { notes, shards } }: SearchedPlace,
): UserError {
  const place =
    namespace === undefined || name.startsWith(`${namespace}/`) ? '' : ` in namespace ${terminalText(namespace)}`;
  const part = shards === undefined ? '' : ` ${shardsText(shards)}`;
  const start = `no ${kind} "${quotedName(name)}"${place}${part}${suggestions(name, names, namespace)}`;
  return new UserError([start, ...(shards === undefined ? [] : notes.map(terminalText))].join('\n'));
}
