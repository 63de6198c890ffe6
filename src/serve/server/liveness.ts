import type { Clock } from '../../lib/base/clock.js';
import type { Logger } from '../../lib/base/logger.js';
import { oneLine } from '../../lib/base/text.js';
import { formatDuration } from '../../lib/base/units.js';

export interface TimedTask {
  /** Such as `refresh/node-1`. */
  readonly task: string;
  /** Monotonic time in milliseconds. */
  readonly sinceMs: number;
  /** Far above what tasks take whose kubelets or API server do not respond, in milliseconds. */
  readonly maxRunMs: number;
}

const heartbeatMs = 10_000;
const maxSilenceMs = 120_000;

/**
 * Whether the process can still work. A restart follows when it cannot, so nothing that happens elsewhere may count: only
 * timers that do not fire, and a task that does not end although all that it waits for has a time limit. A process whose
 * event loop is blocked does not get here: it does not respond.
 */
export class Liveness {
  readonly #options;
  #beatAtMs: number;
  #isLogged = false;

  constructor(options: {
    /** The task that has been in process for the longest time; undefined when there is none. */
    readonly oldestTask: () => TimedTask | undefined;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#options = options;
    this.#beatAtMs = options.clock.monotonicMs();
  }

  /** Ends when the signal aborts; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      this.#beatAtMs = clock.monotonicMs();
      await clock.sleep(heartbeatMs, signal).catch(() => undefined);
    }
  }

  /** Why the process cannot work, on one line; undefined while it can. The log has it once, because the kubelet does not keep it. */
  failure(): string | undefined {
    const failure = this.#timerFailure() ?? this.#taskFailure();
    if (failure !== undefined && !this.#isLogged) this.#options.logger.error(`liveness failed: ${failure}`);
    this.#isLogged = failure !== undefined;
    return failure;
  }

  #timerFailure(): string | undefined {
    const isSilent = this.#options.clock.monotonicMs() - this.#beatAtMs > maxSilenceMs;
    return isSilent ? `no timer has fired since ${this.#timeText(this.#beatAtMs)}` : undefined;
  }

  #taskFailure(): string | undefined {
    const { oldestTask, clock } = this.#options;
    const { task = '', sinceMs = Infinity, maxRunMs = 0 } = oldestTask() ?? {};
    if (clock.monotonicMs() - sinceMs <= maxRunMs) return undefined;
    const since = this.#timeText(sinceMs);
    return oneLine(`task ${task} has been running since ${since}, more than ${formatDuration(maxRunMs)}`);
  }

  /** Wall time of a monotonic one. */
  #timeText(atMs: number): string {
    const { clock } = this.#options;
    return new Date(clock.nowMs() - (clock.monotonicMs() - atMs)).toISOString();
  }
}
