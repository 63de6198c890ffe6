/**
 * The only source of time. Ages and durations use `monotonicMs`, timestamps that leave the process use `nowMs`, and times
 * that other machines report are compared with `steadyNowMs`, or with {@link latestNowMs} where a clock that is behind would do harm.
 */
export interface Clock {
  /** Wall time in milliseconds since the Unix epoch. It may jump. */
  nowMs(): number;
  /** Milliseconds since an arbitrary start; never goes back. */
  monotonicMs(): number;
  /** Wall time at the start of the process plus the monotonic time since: never jumps, but stays wrong if it began so. */
  steadyNowMs(): number;
  /** Resolves after `durationMs`, soon for 0 or less; rejects with the signal's reason when `signal` aborts first. */
  sleep(durationMs: number, signal?: AbortSignal): Promise<void>;
}

/**
 * The later of wall and steady time: the one that is right, where the process began before its machine's clock was set, or was
 * suspended with its machine. Unless the wall clock was set forward by mistake: which of the two is right cannot be seen then.
 */
export function latestNowMs(clock: Pick<Clock, 'nowMs' | 'steadyNowMs'>): number {
  return Math.max(clock.nowMs(), clock.steadyNowMs());
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  steadyNowMs: () => performance.timeOrigin + performance.now(),
  // Not that of node:timers/promises, which makes an AbortError, with a stack, for each timer that is not needed to its end.
  sleep: async (durationMs, signal) => {
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
        Math.max(0, durationMs),
      );
      const onAbort = (): void => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  },
};

/** A moment in both times: for readers elsewhere, and for ages. */
export interface Instant {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

export function instantOf(clock: Clock): Instant {
  return { wallMs: clock.nowMs(), monotonicMs: clock.monotonicMs() };
}
