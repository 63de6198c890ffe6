import type { Clock } from './clock.js';
import { Gate } from './gate.js';

/** Work that somebody waits for, from its begin until it is disposed of. */
export interface UrgentWork extends Disposable {
  /** It waits for no kubelet any longer. */
  readonly endWait: () => void;
}

/**
 * Lets other work wait for what somebody waits for. What takes turns on the event loop shares it equally: beside fifty others,
 * a scrape would take fifty times as long.
 */
export class Precedence {
  /** For refreshes and lists in the background: closed while any urgent work runs. */
  readonly background: Gate;
  /** For requests to kubelets: closed while urgent work runs that waits for none any longer. */
  readonly requests: Gate;
  readonly #running = new Set<UrgentWork>();
  readonly #afterWait = new Set<UrgentWork>();

  constructor(clock: Clock) {
    this.background = new Gate(clock);
    this.requests = new Gate(clock);
  }

  begin(): UrgentWork {
    const work: UrgentWork = {
      endWait: () => {
        if (this.#running.has(work)) this.#afterWait.add(work);
        this.#update();
      },
      [Symbol.dispose]: () => {
        this.#running.delete(work);
        this.#afterWait.delete(work);
        this.#update();
      },
    };
    this.#running.add(work);
    this.#update();
    return work;
  }

  #update(): void {
    this.background.isClosed = this.#running.size > 0;
    this.requests.isClosed = this.#afterWait.size > 0;
  }
}
