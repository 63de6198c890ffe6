import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** A collection may complete a marking that began when something still held it, or find a pointer on the stack that is not one. */
const maxCollections = 10;

/** Whether nothing holds what `refs` refer to. */
export async function isLetGo(...refs: readonly WeakRef<object>[]): Promise<boolean> {
  for (let count = 0; count < maxCollections; count += 1) {
    await nextTurn(); // until then, the refs themselves hold it
    collectGarbage();
    if (refs.every((ref) => ref.deref() === undefined)) return true;
  }
  return false;
}

/** The memory that the result of `make` occupies, in bytes; what `make` needs in between is not in it. */
export function retainedBytes(make: () => unknown): number {
  const beforeBytes = heldBytes();
  const made = make();
  const afterBytes = heldBytes();
  if (made === undefined) throw new Error('nothing was made');
  return afterBytes - beforeBytes;
}

/** What the process holds after a collection of garbage. */
export function heldBytes(): number {
  collectGarbage();
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
