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

/** Stops a running process and lets it continue, until `signal` aborts. `send`: signals the process. */
export async function paceProcess(
  send: (name: 'SIGSTOP' | 'SIGCONT') => void,
  pacing: DuPacing,
  signal: AbortSignal,
): Promise<void> {
  const { clock, budgetShare } = pacing;
  try {
    for (;;) {
      const startMs = clock.monotonicMs();
      await clock.sleep(sliceMs, signal);
      send('SIGSTOP');
      // Timers are late on a busy machine: what counts is how long it has run.
      const ranMs = clock.monotonicMs() - startMs;
      await clock.sleep(ranMs / budgetShare - ranMs, signal);
      await untilIdle(pacing, signal);
      send('SIGCONT');
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Resolves when the disk is not busy; rejects with the signal's reason when `signal` aborts first. */
export async function untilIdle({ clock, isBusy }: Omit<DuPacing, 'budgetShare'>, signal: AbortSignal): Promise<void> {
  while (await isBusy()) await clock.sleep(busyCheckMs, signal);
  signal.throwIfAborted();
}
