import type { Request, Response } from 'express';

import type { Clock } from '../base/clock.js';
import { Memo } from '../base/memo.js';
import { toJson } from '../json/json.js';
import type { EvictionReport } from '../report/eviction-report.js';
import { SharedResponses } from './body-sender.js';
import { sendText } from './responses.js';

/** Serves the evictions that were seen, as JSON. */
export class EvictionsHandler {
  readonly #source;
  readonly #responses: SharedResponses;
  readonly #bytes = new Memo<Buffer>();

  constructor({
    source,
    clock,
  }: {
    readonly source: {
      /** The newest first, the same array until it changes; undefined before the first lists. */
      evictions(): readonly EvictionReport[] | undefined;
    };
    readonly clock: Clock;
  }) {
    this.#source = source;
    this.#responses = new SharedResponses(clock);
  }

  async json(request: Request, response: Response): Promise<void> {
    const evictions = this.#source.evictions();
    if (evictions === undefined) {
      sendText(response, 503, 'not synced yet: see /readyz');
      return;
    }
    response.type('json');
    await this.#responses.respond(request, response, () =>
      this.#bytes.of([evictions], () => Buffer.from(`${toJson(evictions)}\n`)),
    );
  }
}
