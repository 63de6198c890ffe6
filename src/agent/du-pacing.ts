import type { Clock } from '../base/clock.js';

/** The time in which du may run on a node, for all walkers together. */
export class DuBudget {
  readonly #share: number;
  /** Monotonic time until which du rests. */
  restUntilMs = -Infinity;

  /** `share`: of all time; above 0, at most 1. */
  constructor(share: number) {
    this.#share = share;
  }

  /** Notes that du has run from one monotonic time to another; also beside another du. */
  spend(startMs: number, endMs: number): void {
    this.restUntilMs = Math.max(this.restUntilMs, startMs) + (endMs - startMs) / this.#share;
  }
}

export interface DuPacing {
  readonly clock: Clock;
  readonly budget: DuBudget;
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
  const { clock, budget } = pacing;
  try {
    for (;;) {
      const startMs = clock.monotonicMs();
      await clock.sleep(sliceMs, signal).finally(() => {
        // Timers are late on a busy machine: what counts is how long it has run.
        budget.spend(startMs, clock.monotonicMs());
      });
      send('SIGSTOP');
      await untilAllowed(pacing, signal);
      send('SIGCONT');
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Resolves when du may run; rejects with the signal's reason when `signal` aborts first. */
export async function untilAllowed({ clock, budget, isBusy }: DuPacing, signal: AbortSignal): Promise<void> {
  for (;;) {
    const restMs = budget.restUntilMs - clock.monotonicMs();
    if (restMs <= 0 && !(await isBusy())) break;
    await clock.sleep(restMs > 0 ? restMs : busyCheckMs, signal);
  }
  signal.throwIfAborted();
}
