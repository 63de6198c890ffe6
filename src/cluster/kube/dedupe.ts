import { isEqual } from '../../lib/base/memo.js';
import { RecentValues } from '../../lib/base/recent-values.js';
import { maxNameLength } from './pod-bounds.js';

/** Returns one object for equal ones: plain data that never changes. */
export type Dedupe = <T extends object>(value: T) => T;

/** Few enough to cost nothing. */
const minSweptCount = 1_000;

/**
 * The pods of a workload repeat their containers, volumes, labels and controller, each parsed into separate objects: most
 * of a pod's memory. Returns what finds the equal value among those that others keep. It keeps none alive itself: what a
 * pod had before a patch or its deletion is gone with it, however many of them there are.
 *
 * Found by a hash, and compared: their texts would take as much memory as they do. Of two values with one hash, the second
 * is not shared.
 */
export function createDedupe(hash = hashOf): Dedupe {
  const known = new Map<number, WeakRef<object>>();
  let sweptAtCount = minSweptCount;
  const sweep = (): void => {
    for (const [key, ref] of known) if (ref.deref() === undefined) known.delete(key);
    sweptAtCount = Math.max(minSweptCount, 2 * known.size);
  };
  return <T extends object>(value: T): T => {
    const key = hash(JSON.stringify(value));
    const same = known.get(key)?.deref();
    if (same !== undefined) return isEqual(same, value) ? (same as T) : value;
    known.set(key, new WeakRef(value));
    if (known.size >= sweptAtCount) sweep();
    return value;
  };
}

function hashOf(text: string): number {
  let hash = 0;
  for (let index = 0; index < text.length; index += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
  return hash;
}

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
