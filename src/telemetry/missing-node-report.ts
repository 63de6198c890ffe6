import type { Logger } from '../base/logger.js';

/** Logs once when the only node to measure is not in the cluster, and once when it is back or the settings have changed. */
export class MissingNodeReport {
  readonly #logger: Logger;
  #missing: string | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Called at each scrape with the missing node, undefined when none is missing. */
  scraped(missing: string | undefined, message: (nodeName: string) => string): void {
    if (missing === this.#missing) return;
    if (missing !== undefined) this.#logger.warn(message(missing), { node: missing });
    else this.#logger.info('the node to measure is no longer missing');
    this.#missing = missing;
  }
}
