/** Runs tasks in the order of the calls: what a part of the work on the one thread sees of its `Scheduler`. */
export interface Lane {
  /** Whether tasks wait until urgent work is done, for 10 s at most. */
  readonly isHeld: boolean;
  /**
   * Resolves with the task's result; rejects with what it throws. Never runs it before the call returns. Of an asynchronous task,
   * what comes after its first `await` is not in the lane.
   */
  run<T>(task: () => T | PromiseLike<T>): Promise<T>;
  /**
   * Runs one task for each item, and goes to the end of the lane after each slice of time. Takes the items one by one. Rejects
   * with what the first task throws that fails; the items after it are not taken.
   */
  each<T>(items: Iterable<T>, task: (item: T) => void): Promise<void>;
}
