import { RecentValues } from '../base/recent-values.js';

/** Returns one string object for equal texts. */
export type Intern = (text: string) => string;

/**
 * Pods repeat the same label keys, node names and container names by the thousand, each parsed into a separate string.
 * Of more than `maxEntries` texts, those are forgotten that have not been seen for longest.
 */
export function createInterner(maxEntries: number): Intern {
  const known = new RecentValues<string, string>(maxEntries);
  return (text) => {
    const same = known.get(text);
    if (same !== undefined) return same;
    known.set(text, text);
    return text;
  };
}
