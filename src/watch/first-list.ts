import { type FailureReason, RequestError } from '../base/errors.js';
import { isRefused } from './list-session.js';

/** A list that fails for one of these, or is refused, keeps failing until somebody changes something. */
const lastingReasons: ReadonlySet<FailureReason> = new Set<FailureReason>(['tls', 'connection', 'not_found']);

/** The first complete list of a collection, for those who wait for it. */
export class FirstList {
  /** Resolves after the first complete list. */
  readonly synced: Promise<void>;
  /** Resolves after the first complete list too, or when a list fails for a reason that does not go away by itself. */
  readonly settled: Promise<void>;
  #resolveSynced: () => void = () => undefined;
  #resolveSettled: () => void = () => undefined;

  constructor() {
    this.synced = new Promise((resolve) => {
      this.#resolveSynced = resolve;
    });
    this.settled = new Promise((resolve) => {
      this.#resolveSettled = resolve;
    });
  }

  succeeded(): void {
    this.#resolveSynced();
    this.#resolveSettled();
  }

  failed(error: unknown): void {
    if (error instanceof RequestError && (isRefused(error) || lastingReasons.has(error.reason))) this.#resolveSettled();
  }
}
