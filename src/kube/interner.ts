import { RecentValues } from '../base/maps.js';
import { maxNameLength } from './pod-bounds.js';

/** Returns one string object for equal texts. */
export type Intern = (text: string) => string;

/** Of its header and its place in a map, at most. */
const entryBytes = 80;

/**
 * Pods repeat the same label keys, node names and container names by the thousand, each parsed into a separate string.
 * When they take more than `maxBytes`, those are forgotten that have not been seen for longest. Texts that are longer than
 * names can be, such as paths, are returned as they are: their author decides how many there are.
 *
 * Keeps the text that it is given: it must not be a slice of a longer one, which V8 would keep as a whole. Strings that
 * `JSON.parse` makes are copies.
 */
export function createInterner(maxBytes: number): Intern {
  const known = new RecentValues<string, string>(maxBytes, (text) => entryBytes + 2 * text.length);
  return (text) => {
    if (text.length > maxNameLength) return text;
    const same = known.get(text);
    if (same !== undefined) return same;
    known.set(text, text);
    return text;
  };
}
