import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The memory that the result of `make` occupies, in bytes; what `make` needs in between is not in it. */
export function retainedBytes(make: () => unknown): number {
  const beforeBytes = usedBytes();
  const made = make();
  const afterBytes = usedBytes();
  if (made === undefined) throw new Error('nothing was made');
  return afterBytes - beforeBytes;
}

function usedBytes(): number {
  collectGarbage();
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
