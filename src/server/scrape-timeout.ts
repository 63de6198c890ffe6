/** Settings of scrapes; all in milliseconds above 0, the offset at least 0. */
export interface ScrapeTimes {
  /** How much earlier than Prometheus gives up the answer is to start. */
  readonly timeoutOffsetMs: number;
  /** For clients that name no timeout. */
  readonly defaultTimeoutMs: number;
  readonly maxDurationMs: number;
}

/** Sent by Prometheus and vmagent: their scrape timeout, in seconds with a fraction. */
export const scrapeTimeoutHeader = 'x-prometheus-scrape-timeout-seconds';

/** Beyond an hour it is no scrape timeout. */
const maxBelievableMs = 3_600_000;

/**
 * How long a scrape may collect: the client's timeout less the offset, but at least half of it where it is hardly
 * longer than the offset; the default when the header is missing or is no number above 0; at most `maxDurationMs`.
 */
export function scrapeTimeoutMs(header: string | undefined, times: ScrapeTimes): number {
  const askedMs = Number(header?.trim() === '' ? undefined : header) * 1_000;
  const isBelievable = askedMs > 0 && askedMs <= maxBelievableMs;
  const timeoutMs = isBelievable ? Math.max(askedMs - times.timeoutOffsetMs, askedMs / 2) : times.defaultTimeoutMs;
  return Math.min(timeoutMs, times.maxDurationMs);
}
