/** Returns the delay that follows in a back-off, before its random part: twice as long, at most `maxMs`. */
export function nextDelayMs(delayMs: number, maxMs: number): number {
  return Math.min(2 * delayMs, maxMs);
}

/** Half of the delay plus a random part of the other half, so that clients that failed together do not retry together. */
export function withJitter(delayMs: number, random: () => number): number {
  return delayMs / 2 + (delayMs / 2) * random();
}
