/** Returns one string object for equal texts. */
export type Intern = (text: string) => string;

/**
 * Pods repeat the same label keys, node names and container names by the thousand, each parsed into a separate string.
 * At `maxEntries` texts all are forgotten, which bounds the memory; those in use come back at once.
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
