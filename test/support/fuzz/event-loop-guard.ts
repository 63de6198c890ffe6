/** The longest turn of the event loop that one input may cost. */
const maxTurnMs = 50;
const maxAttemptCount = 3;

/** Measures how long work keeps the event loop from others. */
export class EventLoopGuard {
  #longestTurnMs = 0;

  /** Of all work so far. */
  get longestTurnMs(): number {
    return this.#longestTurnMs;
  }

  /**
   * The result of the work. Rejects when one of its turns took too long in each of three attempts: garbage is collected at
   * any time.
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    let fastestMs = Infinity;
    for (let attempt = 1; attempt <= maxAttemptCount; attempt++) {
      const { result, longestTurnMs } = await timed(work);
      fastestMs = Math.min(fastestMs, longestTurnMs);
      if (fastestMs > maxTurnMs) continue;
      this.#longestTurnMs = Math.max(this.#longestTurnMs, fastestMs);
      return result;
    }
    throw new Error(`blocks the event loop for ${fastestMs.toFixed(0)} ms`);
  }
}

async function timed<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly longestTurnMs: number }> {
  let longestTurnMs = 0;
  let start = now();
  const endTurn = (): void => {
    const end = now();
    // Other processes may have had the processor.
    const turnMs = Math.min(end.wallMs - start.wallMs, end.cpuMs - start.cpuMs);
    longestTurnMs = Math.max(longestTurnMs, turnMs);
    start = end;
  };
  const tick = (): void => {
    endTurn();
    next = setImmediate(tick);
  };
  let next = setImmediate(tick);
  try {
    const result = await work();
    endTurn();
    return { result, longestTurnMs };
  } finally {
    clearImmediate(next);
  }
}

/** `cpuMs`: of the process. */
function now(): { readonly wallMs: number; readonly cpuMs: number } {
  const { user, system } = process.cpuUsage();
  return { wallMs: performance.now(), cpuMs: (user + system) / 1_000 };
}
