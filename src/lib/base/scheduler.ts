import { notNeeded } from './abortable.js';
import type { Clock } from './clock.js';
import { messageOf } from './errors.js';
import type { Lane } from './lane.js';

/** In milliseconds: long enough to be cheap, short enough to serve probes and watches in between. */
const sliceMs = 5;

/** However often work begins that it waits for, no lane is held for longer. */
const maxHoldMs = 10_000;

/** After so long a wait, {@link Scheduler.readers} has a slice although others have tasks. */
const maxPatienceMs = 250;

/** Shorter openings do not count: a lane that is held again after one has been held all the time. */
const leastOpenMs = 1_000;

/** Work that a client waits for, from its begin until it is disposed of. */
export interface UrgentWork extends Disposable {
  /** It waits for no kubelet any longer. */
  readonly endWait: () => void;
}

/**
 * Divides the one thread among the lanes of all that computes: each has a slice of 5 ms in its turn, with a turn of the event loop
 * after it. What awaits between its tasks keeps its slice: a scrape waits for others once a slice, and not after each of its many
 * small tasks.
 *
 * | lane         | for                                              | held while                                    |
 * | ------------ | ------------------------------------------------ | --------------------------------------------- |
 * | a new one    | what a part computes: one for each part          | never                                         |
 * | `requests`   | begins of requests to kubelets                   | urgent work runs that no longer waits for one |
 * | `background` | lists, refreshes ahead of scrapes                | urgent work runs                              |
 * | `readers`    | pages, which people read                         | never; see below                              |
 *
 * The readers' lane has the slices that no other lane wants, and four a second: pages cost scrapes next to nothing.
 * Beside fifty others, a scrape would take fifty times as long; therefore they are held.
 */
export class Scheduler {
  readonly requests: Lane;
  readonly background: Lane;
  readonly readers: Lane;
  readonly #clock: Clock;
  readonly #hold: () => void;
  /** Those with a task, in the order of their slices. */
  readonly #ready = new Set<TaskLane>();
  readonly #urgent = new Set<UrgentWork>();
  readonly #afterWait = new Set<UrgentWork>();
  #isWorking = false;
  #sliceStartMs: number;
  /** Monotonic time from which on the readers' lane waits for a slice. */
  #readersWaitSinceMs = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#sliceStartMs = clock.monotonicMs();
    const [requests, background, readers] = [this.#newLane(), this.#newLane(), this.#newLane()];
    this.requests = requests;
    this.background = background;
    this.readers = readers;
    this.#hold = () => {
      background.hold(this.#urgent.size > 0);
      requests.hold(this.#afterWait.size > 0);
    };
  }

  newLane(): Lane {
    return this.#newLane();
  }

  begin(): UrgentWork {
    const work: UrgentWork = {
      endWait: () => {
        if (this.#urgent.has(work)) this.#afterWait.add(work);
        this.#hold();
      },
      [Symbol.dispose]: () => {
        this.#urgent.delete(work);
        this.#afterWait.delete(work);
        this.#hold();
      },
    };
    this.#urgent.add(work);
    this.#hold();
    return work;
  }

  #newLane(): TaskLane {
    const lane: TaskLane = new TaskLane({
      clock: this.#clock,
      wake: () => {
        this.#wake(lane);
      },
      isSliceOver: () => this.#isSliceOver(),
    });
    return lane;
  }

  #wake(lane: TaskLane): void {
    if (lane === this.readers && !this.#ready.has(lane)) this.#readersWaitSinceMs = this.#clock.monotonicMs();
    this.#ready.add(lane);
    if (this.#isWorking) return;
    this.#isWorking = true;
    queueMicrotask(this.#work);
  }

  readonly #work = (): void => {
    for (let lane = this.#nextLane(); lane !== undefined; lane = this.#nextLane()) {
      const isOver = this.#runSlice(lane);
      if (isOver || this.#ready.size > 1) {
        setImmediate(this.#afterTurn, lane, isOver);
        return;
      }
      this.#ready.delete(lane);
      lane.wakeWhenReady();
    }
    this.#isWorking = false;
  };

  /** The first one that is ready, but the readers' when it is the only one or has waited long enough. */
  #nextLane(): TaskLane | undefined {
    const [first, second] = this.#ready;
    if (first !== this.readers || second === undefined) return first;
    return this.#clock.monotonicMs() - this.#readersWaitSinceMs < maxPatienceMs ? second : first;
  }

  /** Runs the lane's tasks until there is none. Returns whether its time is over before. */
  #runSlice(lane: TaskLane): boolean {
    while (lane.isReady()) {
      lane.runNext();
      if (this.#isSliceOver()) return true;
    }
    return false;
  }

  readonly #afterTurn = (lane: TaskLane, isOver: boolean): void => {
    if (isOver || !lane.isReady()) {
      this.#sliceStartMs = this.#clock.monotonicMs();
      this.#ready.delete(lane);
      lane.wakeWhenReady(); // after the others
    }
    this.#work();
  };

  #isSliceOver(): boolean {
    return this.#clock.monotonicMs() - this.#sliceStartMs >= sliceMs;
  }
}

class TaskLane implements Lane {
  readonly #options;
  readonly #tasks: (() => void)[] = [];
  #isClosed = false;
  /** Monotonic times in milliseconds. */
  #closedAtMs = -Infinity;
  #openedAtMs = -Infinity;
  /** While tasks wait for the end of a hold. */
  #timer: AbortController | undefined;

  constructor(options: {
    readonly clock: Clock;
    /** Called when a task is ready. */
    readonly wake: () => void;
    readonly isSliceOver: () => boolean;
  }) {
    this.#options = options;
  }

  get isHeld(): boolean {
    return this.#isClosed && this.#leftMs() > 0;
  }

  isReady(): boolean {
    return this.#tasks.length > 0 && !this.isHeld;
  }

  hold(isClosed: boolean): void {
    if (isClosed === this.#isClosed) return;
    this.#isClosed = isClosed;
    const nowMs = this.#options.clock.monotonicMs();
    if (!isClosed) {
      this.#openedAtMs = nowMs;
      this.#timer?.abort(notNeeded);
    } else if (nowMs - this.#openedAtMs >= leastOpenMs) {
      this.#closedAtMs = nowMs;
    }
  }

  runNext(): void {
    this.#tasks.shift()?.();
  }

  run<T>(task: () => T | PromiseLike<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#tasks.push(() => {
        try {
          resolve(task());
        } catch (error) {
          reject(error instanceof Error ? error : new Error(messageOf(error)));
        }
      });
      this.wakeWhenReady();
    });
  }

  async each<T>(items: Iterable<T>, task: (item: T) => void): Promise<void> {
    const iterator = items[Symbol.iterator]();
    let isDone = false;
    while (!isDone) {
      isDone = await this.run(() => {
        for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
          task(next.value);
          if (this.#options.isSliceOver()) return false;
        }
        return true;
      });
    }
  }

  /** Calls `wake` as soon as tasks may run, if there are any: also of a lane that is held when its turn comes. */
  wakeWhenReady(): void {
    if (this.isReady()) this.#options.wake();
    else if (this.#tasks.length === 0) return;
    else if (this.#timer === undefined) void this.#waitForHold();
  }

  async #waitForHold(): Promise<void> {
    this.#timer = new AbortController();
    await this.#options.clock.sleep(this.#leftMs(), this.#timer.signal).catch(() => undefined); // it is held no longer
    this.#timer = undefined;
    this.wakeWhenReady();
  }

  #leftMs(): number {
    return this.#closedAtMs + maxHoldMs - this.#options.clock.monotonicMs();
  }
}
