import type { Request, Response } from 'express';

import { messageOf } from '../../lib/base/errors.js';
import type { Logger } from '../../lib/base/logger.js';
import { sendText } from './responses.js';

/**
 * A status whose code is loaded by the first request for it, or by `load`: one of thousands of exporters, each on its node,
 * is hardly ever looked at. A request is answered with 503 when the code cannot be loaded, as when no file can be opened.
 */
export class DeferredStatus {
  readonly #import: () => Promise<Pick<DeferredStatus, 'handle'>>;
  readonly #logger: Logger;
  #loading: Promise<Pick<DeferredStatus, 'handle'>> | undefined;

  constructor(importStatus: () => Promise<Pick<DeferredStatus, 'handle'>>, logger: Logger) {
    this.#import = importStatus;
    this.#logger = logger;
  }

  /** Rejects when the code cannot be loaded; the next call tries it again. */
  load(): Promise<Pick<DeferredStatus, 'handle'>> {
    this.#loading ??= this.#import().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async handle(request: Request, response: Response): Promise<void> {
    const status = await this.load().catch((error: unknown) => {
      this.#logger.error('the status page cannot be loaded', { error: messageOf(error) });
      sendText(response, 503, 'the status page cannot be loaded: see the log; /metrics and /readyz do not need it');
    });
    await status?.handle(request, response);
  }
}
