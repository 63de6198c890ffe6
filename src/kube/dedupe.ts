/** Returns one object for equal ones: plain data that never changes. */
export type Dedupe = <T extends object>(value: T) => T;

/**
 * The pods of a workload repeat their containers, volumes, labels and controller, each parsed into separate objects: most
 * of a pod's memory. At `maxEntries` values all are forgotten, as the interner does.
 */
export function createDedupe(maxEntries: number): Dedupe {
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
