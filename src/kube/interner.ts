/** Gives one string object for equal texts. */
export type Intern = (text: string) => string;

/**
 * Pods repeat the same label keys, node names and container names by the thousand, each parsed into a string of its
 * own. At `maxEntries` texts it forgets all of them and starts anew: bounded, and what is in use comes back at once.
 */
export function createInterner(maxEntries: number): Intern {
  const known = new Map<string, string>();
  return (text) => {
    const same = known.get(text);
    if (same !== undefined) return same;
    if (known.size >= maxEntries) known.clear();
    known.set(text, text);
    return text;
  };
}
