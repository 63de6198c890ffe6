import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

import type { Clock } from '../../lib/base/clock.js';
import { messageOf } from '../../lib/base/errors.js';
import type { Logger } from '../../lib/base/logger.js';
import { FairQueue, QueueFullError } from './fair-queue.js';
import { KeptAnswers } from './kept-answers.js';
import type { Verdict } from './verdict.js';

/** Whether a password has a hash does not change. */
const keepForever = { keepMs: Infinity, keepFailingMs: Infinity, keepNoneMs: Infinity, keepFailureMs: 0 };

/** After a wrong password: as much as leaves four fifths of a processor to the exporter. */
const restFactor = 4;

/**
 * Compares passwords with hashes of bcrypt, one at a time and off the event loop. No flood of wrong passwords displaces
 * or delays a client that is known.
 */
export class PasswordChecker implements Disposable {
  readonly #options;
  readonly #queue: FairQueue;
  readonly #answers: KeptAnswers<true>;
  readonly #stopping = new AbortController();
  /** Keeps passwords out of the keys of what is kept. */
  readonly #secret = randomBytes(32);

  constructor(options: {
    readonly clock: Clock;
    readonly logger: Logger;
    readonly compare: (password: string, hash: string, signal: AbortSignal) => Promise<boolean>;
  }) {
    const { clock } = options;
    const { signal } = this.#stopping;
    this.#options = options;
    this.#queue = new FairQueue({ maxRunningCount: 1, maxWaitingCount: 64, maxWaitingCountPerKey: 4, clock, signal });
    this.#answers = new KeptAnswers({ clock, maxCount: 100, ...keepForever });
  }

  /** `client`: its address, as clients take turns. `hashes`: by user. Never rejects. */
  async check(
    { user, password, client }: { readonly user: string; readonly password: string; readonly client: string },
    hashes: ReadonlyMap<string, string>,
  ): Promise<Verdict> {
    const [somebodysHash = ''] = hashes.values();
    const hash = hashes.get(user);
    const key = createHmac('sha256', this.#secret)
      .update(JSON.stringify([user, hash, password]))
      .digest('base64');
    try {
      const isRight = await this.#answers.get(key, async () => {
        const isSame = await this.#compare(password, hash ?? somebodysHash, client); // an unknown user takes as long
        return (isSame && hash !== undefined) || undefined;
      });
      return isRight === true ? 'allowed' : 'unauthenticated';
    } catch (error) {
      return error instanceof QueueFullError ? 'busy' : 'unavailable';
    }
  }

  /** Ends the comparison that is running. */
  [Symbol.dispose](): void {
    this.#stopping.abort(new Error('stopped'));
  }

  /** Throws QueueFullError at once. */
  async #compare(password: string, hash: string, client: string): Promise<boolean> {
    const { logger, compare } = this.#options;
    const { signal } = this.#stopping;
    const work = (): Promise<boolean> => compare(password, hash, signal);
    try {
      return await this.#queue.run(client, work, (isSame, durationMs) =>
        isSame === false ? durationMs * restFactor : 0,
      );
    } catch (error) {
      if (!(error instanceof QueueFullError || signal.aborted)) {
        logger.error('a password could not be checked', { error: messageOf(error) });
      }
      throw error;
    }
  }
}

/** Whether a password has a hash of bcrypt. Runs on a thread of its own, which ends with the signal. */
export async function comparePassword(password: string, hash: string, signal: AbortSignal): Promise<boolean> {
  signal.throwIfAborted();
  const worker = new Worker(new URL('bcrypt-worker.js', import.meta.url), {
    workerData: { password, hash },
    resourceLimits: { maxOldGenerationSizeMb: 16 },
    execArgv: [],
  });
  try {
    const [isSame] = (await once(worker, 'message', { signal })) as [boolean];
    return isSame;
  } finally {
    await worker.terminate();
  }
}
