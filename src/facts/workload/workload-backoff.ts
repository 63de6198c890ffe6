import { nextDelayMs } from '../../lib/base/backoff.js';
import type { Clock } from '../../lib/base/clock.js';
import { retainKeys } from '../../lib/base/maps.js';

const baseMs = 1000;

/**
 * The back-off of workloads whose last collection failed: one second, doubled with each further failure. It ends early
 * as soon as more is known of the workload's pods: a node of theirs has data that had none, or measured pods of the
 * workload that had none. A kubelet whose container runtime was away responds again before it lists its pods.
 */
export class WorkloadBackoff {
  readonly #clock: Clock;
  readonly #maxMs: number;
  /** By the workload's key. */
  readonly #failed = new Map<
    string,
    {
      /** Of the back-off, in milliseconds. */
      readonly delayMs: number;
      /** Monotonic time in milliseconds at which the back-off ends. */
      endsAtMs: number;
      /** What has been known of its pods ever since it failed. */
      evidence: ReadonlySet<string>;
    }
  >();

  /** `maxBackoffMs`: the longest delay, not below the first one. */
  constructor({ clock, maxBackoffMs }: { readonly clock: Clock; readonly maxBackoffMs: number }) {
    this.#clock = clock;
    this.#maxMs = maxBackoffMs;
  }

  /** Whether the last collection of any workload failed. */
  get hasFailed(): boolean {
    return this.#failed.size > 0;
  }

  /** The workloads whose last collection failed. */
  failedKeys(): Iterable<string> {
    return this.#failed.keys();
  }

  /** `evidence`: a string for each thing that is known of its pods. A failure during the back-off changes nothing. */
  failed(key: string, evidence: ReadonlySet<string>): void {
    if (this.remainingMs(key) > 0) return;
    const failed = this.#failed.get(key);
    const delayMs = failed === undefined ? baseMs : nextDelayMs(failed.delayMs, this.#maxMs);
    this.#failed.set(key, { delayMs, endsAtMs: this.#clock.monotonicMs() + delayMs, evidence });
  }

  succeeded(key: string): void {
    this.#failed.delete(key);
  }

  /** Ends the back-off when something of this was not known before; otherwise remembers what of it is still known. */
  update(key: string, evidence: ReadonlySet<string>): void {
    const failed = this.#failed.get(key);
    if (failed === undefined) return;
    if (!isSubset(evidence, failed.evidence)) failed.endsAtMs = this.#clock.monotonicMs();
    failed.evidence = evidence;
  }

  /** Milliseconds until the workload may be collected; 0 when it may be now. */
  remainingMs(key: string): number {
    const failed = this.#failed.get(key);
    return failed === undefined ? 0 : Math.max(0, failed.endsAtMs - this.#clock.monotonicMs());
  }

  /** Forgets the workloads that are not among `keys`. */
  retain(keys: ReadonlySet<string>): void {
    retainKeys(this.#failed, keys);
  }
}

function isSubset(part: ReadonlySet<string>, whole: ReadonlySet<string>): boolean {
  for (const item of part) {
    if (!whole.has(item)) return false;
  }
  return true;
}
