import { RecentValues } from '../base/recent-values.js';
import { isEqual } from './equal.js';

/** Returns one object for equal ones: plain data that never changes. */
export type Dedupe = <T extends object>(value: T) => T;

/**
 * The pods of a workload repeat their containers, volumes, labels and controller, each parsed into separate objects: most
 * of a pod's memory. Of more than `maxEntries` values, those are forgotten that have not been seen for longest.
 *
 * Kept by a hash, and compared: their texts would take as much memory as they do. Of two values with one hash, the second
 * is not shared.
 */
export function createDedupe(maxEntries: number, hash = hashOf): Dedupe {
  const known = new RecentValues<number, object>(maxEntries);
  return <T extends object>(value: T): T => {
    const key = hash(JSON.stringify(value));
    const same = known.get(key);
    if (same === undefined) known.set(key, value);
    return same !== undefined && isEqual(same, value) ? (same as T) : value;
  };
}

function hashOf(text: string): number {
  let hash = 0;
  for (let index = 0; index < text.length; index += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
  return hash;
}
