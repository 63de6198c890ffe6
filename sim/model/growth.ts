/** Sizes on disk are whole blocks, as `du` counts them. */
export const blockBytes = 4096;

/** How a directory or file grows: a pure function of its age, so that its size at any time can be computed. */
export interface Growth {
  readonly initialBytes: number;
  readonly bytesPerSecond?: number;
  /** It stops growing at this size, unless `rotatesToBytes` is set. */
  readonly maxBytes?: number;
  /** At `maxBytes` it shrinks to this size and grows again, like logs whose oldest file is removed. Less than `maxBytes`. */
  readonly rotatesToBytes?: number;
}

/** Size in bytes at an age, in whole blocks; `pace` multiplies the speed. Negative ages count as 0. */
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
