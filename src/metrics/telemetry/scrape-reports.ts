import type { Logger } from '../../lib/base/logger.js';
import type { SeriesCapResult } from '../exposition/exposition.js';
import type { SelfMetrics } from './self-metrics.js';

/**
 * Counts the series that are dropped from each exposition: by the cap, and of pods that would have too many. Logs when the
 * dropped families change. Requests with a filter are logged at level debug only: a client could vary the filter and flood the
 * log.
 */
export class SeriesCapReport {
  readonly #options;
  #droppedFamilies: readonly string[] = [];

  constructor(options: { readonly metrics: Pick<SelfMetrics, 'counters'>; readonly logger: Logger }) {
    this.#options = options;
  }

  /** Dropped from the last exposition without a filter. */
  get droppedFamilies(): readonly string[] {
    return this.#droppedFamilies;
  }

  capped({ filter, maxSeries, families, seriesCount, largePodsSeriesCount }: SeriesCapResult): void {
    const { metrics, logger } = this.#options;
    const { seriesDropped } = metrics.counters;
    seriesDropped.add({ reason: 'max_series' }, seriesCount);
    seriesDropped.add({ reason: 'large_pods' }, largePodsSeriesCount);
    const text = families.join(',');
    const message = 'metric families dropped from the exposition: it would exceed metrics.maxSeries';
    if (filter !== '') {
      if (text !== '') logger.debug(message, { filter, maxSeries, families: text, seriesCount });
      return;
    }
    if (text === this.#droppedFamilies.join(',')) return;
    this.#droppedFamilies = families;
    if (text === '') logger.info('no metric families are dropped for metrics.maxSeries any longer', { maxSeries });
    else logger.warn(message, { maxSeries, families: text, seriesCount });
  }
}

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
