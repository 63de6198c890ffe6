import type { Lane } from '../../src/base/scheduler.js';

/** Runs each task at once: for what does not depend on when others run. */
export const atOnce: Lane = {
  isHeld: false,
  run: async (task) => task(),
  each: (items, task) => {
    for (const item of items) task(item);
    return Promise.resolve();
  },
};

/** Runs nothing until it is released, and then all at once. */
export class HeldLane implements Lane {
  readonly #held: (() => void)[] = [];
  #isReleased = false;

  get isHeld(): boolean {
    return !this.#isReleased;
  }

  async run<T>(task: () => T | PromiseLike<T>): Promise<T> {
    if (!this.#isReleased) await new Promise<void>((resolve) => this.#held.push(resolve));
    return task();
  }

  async each<T>(items: Iterable<T>, task: (item: T) => void): Promise<void> {
    for (const item of items)
      await this.run(() => {
        task(item);
      });
  }

  release(): void {
    this.#isReleased = true;
    for (const begin of this.#held.splice(0)) begin();
  }
}
