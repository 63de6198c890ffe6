import type { Logger } from '../base/logger.js';

/** What the cap on series did to one exposition. */
export interface SeriesCapResult {
  /** What the request asked for, the same text for the same filter; '' for everything. */
  readonly filter: string;
  /** Undefined: there is no cap. */
  readonly maxSeries: number | undefined;
  /** Names of the families that were left out. */
  readonly families: readonly string[];
  /** Series of all of them. */
  readonly seriesCount: number;
}

export interface SeriesCapReportOptions {
  readonly metrics: { seriesDropped(reason: 'max_series', seriesCount: number): void };
  readonly logger: Logger;
}

/**
 * Counts what the cap leaves out at each exposition, and logs when it begins, when other families go, and when it ends.
 * Of requests with a filter it speaks at debug only: a client could vary the filter and fill the log.
 */
export class SeriesCapReport {
  readonly #options: SeriesCapReportOptions;
  #droppedFamilies: readonly string[] = [];

  constructor(options: SeriesCapReportOptions) {
    this.#options = options;
  }

  /** Those that the last exposition without a filter left out. */
  get droppedFamilies(): readonly string[] {
    return this.#droppedFamilies;
  }

  capped({ filter, maxSeries, families, seriesCount }: SeriesCapResult): void {
    const { metrics, logger } = this.#options;
    if (seriesCount > 0) metrics.seriesDropped('max_series', seriesCount);
    const text = families.join(',');
    const message = 'families are left out of the exposition: it would have more series than metrics.maxSeries';
    if (filter !== '') {
      if (text !== '') logger.debug(message, { filter, maxSeries, families: text, seriesCount });
      return;
    }
    if (text === this.#droppedFamilies.join(',')) return;
    this.#droppedFamilies = families;
    if (text === '') logger.info('no family is left out for metrics.maxSeries any more', { maxSeries });
    else logger.warn(message, { maxSeries, families: text, seriesCount });
  }
}
