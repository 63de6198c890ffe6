import { abortable, notNeeded } from './abortable.js';
import { nextDelayMs, withJitter } from './backoff.js';
import type { Clock } from './clock.js';
import { FailureRun, type Logger } from './logger.js';
import { getOrAdd } from './maps.js';

interface Task {
  readonly name: string;
  /** Monotonic time in milliseconds; Infinity for a task in process that does not run again. */
  dueAtMs: number;
  /** Undefined unless its last run failed. */
  failures: FailureRun | undefined;
  /** The next delay after a failure, before its random part. */
  retryDelayMs: number;
  /** Monotonic time in milliseconds before which it is not due; -Infinity unless its last run failed. */
  backsOffUntilMs: number;
}

const firstRetryDelayMs = 1_000;
const maxRetryDelayMs = 60_000;

/**
 * Tasks of one kind that are due at a time, each known by its name: adding one again only brings it forward. No task is in
 * process twice at a time; one that is added meanwhile runs again afterwards. A task that fails is retried until it
 * succeeds, with growing delays, which nobody who adds it shortens. One with which there is nothing more to do is forgotten.
 *
 * There is one timer, for the earliest task, and none while no task waits. The number of tasks in process is not bounded:
 * they share what they use.
 */
export class WorkQueue {
  readonly #options;
  /** Waiting or in process, by name. */
  readonly #tasks = new Map<string, Task>();
  /** The oldest first. */
  readonly #running = new Map<Task, { readonly sinceMs: number; readonly ended: Promise<void> }>();
  readonly #stopping = new AbortController();
  #timer = new AbortController();
  /** Rejects when the queue can work no longer. */
  readonly #broken: Promise<never>;
  #break: (error: unknown) => void = () => undefined;
  /** When the timer fires; Infinity without one. */
  #wakesAtMs = Infinity;

  constructor(options: {
    /** Before the name of a task in messages, such as `refresh`. */
    readonly kind: string;
    /**
     * Works on what `name` stands for, as it is at that time. Resolves with the delay in milliseconds after which the task is
     * due again; undefined: it is not. After a rejection it is retried. It ends soon after the signal aborts.
     */
    readonly handle: (name: string, signal: AbortSignal) => Promise<number | undefined>;
    readonly clock: Clock;
    /** From 0 to 1, 1 excluded. */
    readonly random: () => number;
    readonly logger: Logger;
    /** Called when a task has failed and will be retried. */
    readonly onRetry: () => void;
  }) {
    this.#options = options;
    this.#broken = new Promise((_resolve, reject) => {
      this.#break = reject;
    });
    this.#broken.catch(() => undefined); // while nobody waits
  }

  /** The task that has been in process for the longest time, such as `refresh/node-1`, and since when; monotonic. */
  get oldestRun(): { readonly task: string; readonly sinceMs: number } | undefined {
    for (const [task, { sinceMs }] of this.#running) return { task: this.#textOf(task), sinceMs };
    return undefined;
  }

  /** Tasks that wait or are in process. */
  depth(): number {
    return this.#tasks.size;
  }

  /** The task is due after `delayMs` at the latest, or when the delay after its last failure ends. */
  add(name: string, delayMs = 0): void {
    const task = getOrAdd(this.#tasks, name, () => newTask(name));
    this.#bringForward(task, delayMs);
    this.#settle(task);
  }

  /**
   * Resolves after the signal when the tasks in process have ended; the others are discarded. Rejects only when the queue
   * itself fails, its clock or `onRetry`, never because of a task.
   */
  async run(signal: AbortSignal): Promise<void> {
    try {
      await abortable(this.#broken, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#stopping.abort(signal.reason);
      this.#timer.abort(notNeeded);
      for (const task of this.#tasks.values()) this.#settle(task);
      await Promise.all(Array.from(this.#running.values(), ({ ended }) => ended));
    }
  }

  #bringForward(task: Task, delayMs: number): void {
    const dueAtMs = Math.min(task.dueAtMs, this.#options.clock.monotonicMs() + delayMs);
    task.dueAtMs = Math.max(dueAtMs, task.backsOffUntilMs);
  }

  /** Has a task that is not in process wait until it is due, or forgets it. */
  #settle(task: Task): void {
    if (this.#running.has(task)) return;
    if (task.dueAtMs === Infinity || this.#stopping.signal.aborted) this.#tasks.delete(task.name);
    else this.#wakeAt(task.dueAtMs);
  }

  #wakeAt(atMs: number): void {
    if (atMs >= this.#wakesAtMs) return;
    this.#timer.abort(notNeeded);
    this.#timer = new AbortController();
    this.#wakesAtMs = atMs;
    const { clock } = this.#options;
    clock
      .sleep(atMs - clock.monotonicMs(), this.#timer.signal)
      .then(
        () => {
          this.#startDue();
        },
        () => undefined, // another timer took its place
      )
      .catch(this.#break);
  }

  #startDue(): void {
    const nowMs = this.#options.clock.monotonicMs();
    for (const task of this.#tasks.values()) {
      if (task.dueAtMs > nowMs || this.#running.has(task)) continue;
      task.dueAtMs = Infinity;
      this.#running.set(task, { sinceMs: nowMs, ended: this.#process(task).catch(this.#break) });
    }
    this.#wakesAtMs = Infinity;
    this.#wakeForFirst();
  }

  #wakeForFirst(): void {
    let firstMs = Infinity;
    for (const task of this.#tasks.values())
      if (task.dueAtMs < firstMs && !this.#running.has(task)) firstMs = task.dueAtMs;
    this.#wakeAt(firstMs);
  }

  async #process(task: Task): Promise<void> {
    await Promise.resolve(); // from here on it counts as running
    const delayMs = await this.#handle(task);
    this.#running.delete(task);
    if (delayMs !== undefined) this.#bringForward(task, delayMs);
    this.#settle(task);
  }

  /** The delay until the task is due again. */
  async #handle(task: Task): Promise<number | undefined> {
    const { signal } = this.#stopping;
    try {
      const delayMs = await this.#options.handle(task.name, signal);
      task.failures?.ended('task succeeded', { task: this.#textOf(task) });
      endFailures(task);
      return delayMs;
    } catch (error) {
      return signal.aborted ? undefined : this.#fail(task, error);
    }
  }

  #fail(task: Task, error: unknown): number {
    const { logger, onRetry, random, clock } = this.#options;
    const delayMs = withJitter(task.retryDelayMs, random);
    task.retryDelayMs = nextDelayMs(task.retryDelayMs, maxRetryDelayMs);
    task.backsOffUntilMs = clock.monotonicMs() + delayMs;
    task.failures ??= new FailureRun(logger);
    task.failures.failed('task failed', { task: this.#textOf(task) }, error);
    onRetry();
    return delayMs;
  }

  #textOf({ name }: Task): string {
    return `${this.#options.kind}/${name}`;
  }
}

function newTask(name: string): Task {
  return {
    name,
    dueAtMs: Infinity,
    failures: undefined,
    retryDelayMs: firstRetryDelayMs,
    backsOffUntilMs: -Infinity,
  };
}

function endFailures(task: Task): void {
  task.failures = undefined;
  task.retryDelayMs = firstRetryDelayMs;
  task.backsOffUntilMs = -Infinity;
}
