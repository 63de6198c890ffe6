import type { StoreChange } from './object-store.js';

/** Changes in the order in which they are added, of any number of steps: adding takes the same time for all sizes. */
export class ChangeQueue<T> {
  #steps: Iterator<StoreChange<T>>[] = [];
  #count = 0;

  /** How many have not been taken. */
  get count(): number {
    return this.#count;
  }

  /** `changes` are read when they are taken. */
  add(count: number, changes: Iterator<StoreChange<T>>): void {
    this.#steps.push(changes);
    this.#count += count;
  }

  /** Takes what is added meanwhile too. */
  *take(): Generator<StoreChange<T>> {
    for (let step = this.#steps[0]; step !== undefined; step = this.#steps[0]) {
      const next = step.next();
      if (next.done === true) {
        this.#steps.shift();
        continue;
      }
      this.#count -= 1;
      yield next.value;
    }
  }

  clear(): void {
    this.#steps = [];
    this.#count = 0;
  }
}
