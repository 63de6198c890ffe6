import type { Request, Response } from 'express';

import { messageOf } from '../../lib/base/errors.js';
import type { Logger } from '../../lib/base/logger.js';
import { sendText } from './responses.js';

type LoadedStatus = Pick<DeferredStatus, 'page' | 'json'>;

/**
 * A status whose code is loaded by the first request for it, or by `load`: one of thousands of exporters, each on its node,
 * is hardly ever looked at. A request is answered with 503 when the code cannot be loaded, as when no file can be opened.
 */
export class DeferredStatus {
  readonly #import: () => Promise<LoadedStatus>;
  readonly #logger: Logger;
  #loading: Promise<LoadedStatus> | undefined;

  constructor(importStatus: () => Promise<LoadedStatus>, logger: Logger) {
    this.#import = importStatus;
    this.#logger = logger;
  }

  /** Rejects when the code cannot be loaded; the next call tries it again. */
  load(): Promise<LoadedStatus> {
    this.#loading ??= this.#import().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  page(request: Request, response: Response): Promise<void> {
    return this.#respond('page', request, response);
  }

  json(request: Request, response: Response): Promise<void> {
    return this.#respond('json', request, response);
  }

  async #respond(what: keyof LoadedStatus, request: Request, response: Response): Promise<void> {
    const status = await this.load().catch((error: unknown) => {
      this.#logger.error('the status page cannot be loaded', { error: messageOf(error) });
      sendText(response, 503, 'the status page cannot be loaded: see the log; /metrics and /readyz do not need it');
    });
    await status?.[what](request, response);
  }
}
