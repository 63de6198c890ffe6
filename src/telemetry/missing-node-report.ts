import type { Logger } from '../base/logger.js';

/** Logs once when the only node to measure is not in the cluster, and once when that is over: by the node or by new settings. */
export class MissingNodeReport {
  readonly #logger: Logger;
  #missing: string | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** To be told at each scrape: the name of the node, undefined while none is missing. */
  scraped(missing: string | undefined, message: (nodeName: string) => string): void {
    if (missing === this.#missing) return;
    if (missing !== undefined) this.#logger.warn(message(missing), { node: missing });
    else this.#logger.info('no node to measure is missing any more');
    this.#missing = missing;
  }
}
