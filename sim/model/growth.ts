/** Sizes on disk are whole blocks, as `du` counts them. */
export const blockBytes = 4096;

/** How a directory or file fills: a pure function of its age, so that any moment can be asked for. */
export interface Growth {
  readonly initialBytes: number;
  readonly bytesPerSecond?: number;
  /** No more is written at this size, unless `rotatesToBytes` is set. */
  readonly maxBytes?: number;
  /** On reaching `maxBytes` it falls to this size and grows anew, as logs do when the oldest file is removed. Below `maxBytes`. */
  readonly rotatesToBytes?: number;
}

/** Size in bytes at an age, whole blocks; `pace` multiplies the speed. Ages before the start count as the start. */
export function bytesAt(growth: Growth, ageMs: number, pace = 1): number {
  const writtenBytes = growth.initialBytes + ((growth.bytesPerSecond ?? 0) * pace * Math.max(0, ageMs)) / 1000;
  return wholeBlocks(bounded(growth, writtenBytes));
}

export function wholeBlocks(bytes: number): number {
  return Math.ceil(bytes / blockBytes) * blockBytes;
}

function bounded({ maxBytes, rotatesToBytes }: Growth, writtenBytes: number): number {
  if (maxBytes === undefined || writtenBytes <= maxBytes) return writtenBytes;
  if (rotatesToBytes === undefined) return maxBytes;
  return rotatesToBytes + ((writtenBytes - maxBytes) % (maxBytes - rotatesToBytes));
}
