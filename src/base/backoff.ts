/** Delays between attempts: `baseMs`, doubled at each step, at most `maxMs`. Immutable: `next` returns the next step. */
export interface Backoff {
  readonly delayMs: number;
  next(): Backoff;
}

export interface BackoffOptions {
  /** First delay, in milliseconds, above 0. */
  readonly baseMs: number;
  /** Largest delay, in milliseconds; at least `baseMs`. */
  readonly maxMs: number;
  /** Randomizes each delay; by default, delays are exact. See {@link equalJitter}. */
  readonly jitter?: (delayMs: number) => number;
}

export function exponentialBackoff(options: BackoffOptions): Backoff {
  return step(options, options.baseMs);
}

function step(options: BackoffOptions, plainMs: number): Backoff {
  const cappedMs = Math.min(plainMs, options.maxMs);
  return {
    delayMs: options.jitter?.(cappedMs) ?? cappedMs,
    next: () => step(options, Math.min(cappedMs * 2, options.maxMs)),
  };
}

/** Half of the delay plus a random part of the other half, so that clients that failed together do not retry together. */
export function equalJitter(random: () => number): (delayMs: number) => number {
  return (delayMs) => delayMs / 2 + (delayMs / 2) * random();
}
