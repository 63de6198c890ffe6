/** Gives one object for equal ones: plain data, never changed. */
export type Share = <T extends object>(value: T) => T;

/**
 * The pods of a workload repeat their containers, volumes, labels and controller, each as objects of its own: most of what a
 * pod takes. At `maxEntries` values it forgets all of them and starts anew, as the interner does.
 */
export function createSharer(maxEntries: number): Share {
  const known = new Map<string, object>();
  return <T extends object>(value: T): T => {
    const key = JSON.stringify(value);
    const same = known.get(key);
    if (same !== undefined) return same as T; // of the same text, so of the same shape
    if (known.size >= maxEntries) known.clear();
    known.set(key, value);
    return value;
  };
}
