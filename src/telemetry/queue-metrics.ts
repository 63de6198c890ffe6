import { selfFamilies } from './self-families.js';
import type { ExposeFamily } from './self-family.js';
import { Tally } from './tally.js';

/** What is done in the background. */
const taskKinds = ['refresh', 'reconcile', 'audit'] as const;
export type TaskKind = (typeof taskKinds)[number];

interface TaskQueue {
  /** Tasks of the kind that wait or are in process. */
  depth(kind: TaskKind): number;
}

/** Counts retries since the start of the process, over all queues, and knows the queue in use. */
export class QueueMetrics {
  readonly #retries = new Tally<TaskKind>(taskKinds);
  #queue: TaskQueue | undefined;

  taskRetried(kind: TaskKind): void {
    this.#retries.add(kind);
  }

  /** From here on the depth is that of this queue. */
  show(queue: TaskQueue): void {
    this.#queue = queue;
  }

  expose(expose: ExposeFamily): void {
    expose(selfFamilies.queueDepth, () => {
      const queue = this.#queue;
      return queue === undefined ? [] : taskKinds.map((task) => ({ labels: { task }, value: queue.depth(task) }));
    });
    expose(selfFamilies.queueRetries, () =>
      this.#retries.entries().map(([task, value]) => ({ labels: { task }, value })),
    );
  }
}
