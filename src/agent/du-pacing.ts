import type { Clock } from '../base/clock.js';

export interface DuPacing {
  readonly clock: Clock;
  /** Share of the time in which a walk runs: above 0, at most 1. */
  readonly budgetShare: number;
  /** Whether others need the disk: no walk runs while they do. */
  readonly isBusy: () => Promise<boolean>;
}

/** How long a walk runs before it is stopped. */
const sliceMs = 100;

/** How often a disk that is busy is looked at. */
const busyCheckMs = 1_000;

/** Stops a running process and lets it continue, until `signal` aborts. Returns when the next may run. `send`: signals the process. */
export async function paceProcess(
  send: (name: 'SIGSTOP' | 'SIGCONT') => void,
  pacing: DuPacing,
  signal: AbortSignal,
): Promise<number> {
  const { clock, budgetShare } = pacing;
  let restUntilMs = -Infinity;
  try {
    for (;;) {
      const startMs = clock.monotonicMs();
      await clock.sleep(sliceMs, signal).finally(() => {
        // Timers are late on a busy machine: what counts is how long it has run.
        restUntilMs = startMs + (clock.monotonicMs() - startMs) / budgetShare;
      });
      send('SIGSTOP');
      await clock.sleep(restUntilMs - clock.monotonicMs(), signal);
      await untilIdle(pacing, signal);
      send('SIGCONT');
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return restUntilMs;
}

/** Resolves when the disk is not busy; rejects with the signal's reason when `signal` aborts first. */
export async function untilIdle({ clock, isBusy }: Omit<DuPacing, 'budgetShare'>, signal: AbortSignal): Promise<void> {
  while (await isBusy()) await clock.sleep(busyCheckMs, signal);
  signal.throwIfAborted();
}
