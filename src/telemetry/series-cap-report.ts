import type { Logger } from './logger.js';

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

/** Filters under the cap at the same time; more are as good as none. */
const maxFilters = 100;

/** Counts what the cap leaves out at each exposition, and logs when it begins, when other families go, and when it ends. */
export class SeriesCapReport {
  readonly #options: SeriesCapReportOptions;
  /** The families left out, by filter: each filter has an exposition of its own. */
  readonly #dropped = new Map<string, string>();

  constructor(options: SeriesCapReportOptions) {
    this.#options = options;
  }

  capped({ filter, maxSeries, families, seriesCount }: SeriesCapResult): void {
    const { metrics, logger } = this.#options;
    if (seriesCount > 0) metrics.seriesDropped('max_series', seriesCount);
    const text = families.join(',');
    const before = this.#dropped.get(filter) ?? '';
    if (text === before) return;
    const fields = { filter: filter || undefined, maxSeries };
    if (text === '') {
      this.#dropped.delete(filter);
      logger.info('no family is left out for metrics.maxSeries any more', fields);
      return;
    }
    this.#remember(filter, text);
    logger.warn('families are left out of the exposition: it would have more series than metrics.maxSeries', {
      ...fields,
      families: text,
      seriesCount,
    });
  }

  #remember(filter: string, families: string): void {
    this.#dropped.set(filter, families);
    const [oldest] = this.#dropped.keys();
    if (this.#dropped.size > maxFilters && oldest !== undefined) this.#dropped.delete(oldest);
  }
}
