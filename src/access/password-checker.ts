import { createHmac, randomBytes } from 'node:crypto';

import type { Clock } from '../base/clock.js';
import { messageOf } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { ExpiringCache } from './expiring-cache.js';
import { FairQueue, QueueFullError } from './fair-queue.js';
import type { Verdict } from './verdict.js';

export interface PasswordAttempt {
  readonly user: string;
  readonly password: string;
  /** The address of the client: clients take turns. */
  readonly client: string;
}

export interface PasswordCheckerOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly compare: (password: string, hash: string, signal: AbortSignal) => Promise<boolean>;
}

const maxKeptCount = 100;

/** After a wrong password: as much as leaves four fifths of a processor to the exporter. */
const restFactor = 4;

/**
 * Compares passwords with hashes of bcrypt, one at a time and off the event loop. Results are kept, the right ones apart
 * from the wrong ones, so that no flood of wrong passwords displaces or delays a client that is known.
 */
export class PasswordChecker implements Disposable {
  readonly #options: PasswordCheckerOptions;
  readonly #queue = new FairQueue({ maxRunningCount: 1, maxWaitingCount: 64, maxWaitingCountPerKey: 4 });
  readonly #right: ExpiringCache<true>;
  readonly #wrong: ExpiringCache<true>;
  readonly #comparing = new Map<string, Promise<Verdict>>();
  readonly #stopping = new AbortController();
  /** Keeps passwords out of the keys of the caches. */
  readonly #secret = randomBytes(32);

  constructor(options: PasswordCheckerOptions) {
    this.#options = options;
    this.#right = new ExpiringCache(options.clock, maxKeptCount);
    this.#wrong = new ExpiringCache(options.clock, maxKeptCount);
  }

  /** `hashes`: by user. Never rejects. */
  async check(attempt: PasswordAttempt, hashes: ReadonlyMap<string, string>): Promise<Verdict> {
    const { user, password } = attempt;
    const hash = hashes.get(user);
    const key = createHmac('sha256', this.#secret)
      .update(JSON.stringify([user, hash, password]))
      .digest('base64');
    if (this.#right.get(key) === true) return 'allowed';
    if (this.#wrong.get(key) === true) return 'unauthenticated';
    const [somebodysHash = ''] = hashes.values(); // so that an unknown user takes as long as a known one
    const running = this.#comparing.get(key) ?? this.#compare(key, attempt, { hash, somebodysHash });
    this.#comparing.set(key, running);
    try {
      return await running;
    } finally {
      this.#comparing.delete(key);
    }
  }

  /** Ends the comparison that is running. */
  [Symbol.dispose](): void {
    this.#stopping.abort(new Error('stopped'));
  }

  #compare(
    key: string,
    { password, client }: PasswordAttempt,
    { hash, somebodysHash }: { readonly hash: string | undefined; readonly somebodysHash: string },
  ): Promise<Verdict> {
    const { clock, logger, compare } = this.#options;
    const { signal } = this.#stopping;
    return new Promise((resolve) => {
      const work = async (): Promise<void> => {
        const startMs = clock.monotonicMs();
        const isSame = await compare(password, hash ?? somebodysHash, signal);
        const isRight = isSame && hash !== undefined;
        (isRight ? this.#right : this.#wrong).set(key, true, Infinity);
        resolve(isRight ? 'allowed' : 'unauthenticated');
        if (!isRight) await clock.sleep((clock.monotonicMs() - startMs) * restFactor, signal);
      };
      this.#queue.run(client, work).catch((error: unknown) => {
        if (error instanceof QueueFullError) {
          resolve('busy');
          return;
        }
        if (!signal.aborted) logger.error('a password could not be checked', { error: messageOf(error) });
        resolve('unavailable');
      });
    });
  }
}
