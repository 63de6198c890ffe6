/** In milliseconds above 0; the offset may be 0. */
export interface ScrapeTimes {
  /** How long before the client's timeout the response is complete. */
  readonly timeoutOffsetMs: number;
  /** For clients that send no timeout. */
  readonly defaultTimeoutMs: number;
  readonly maxDurationMs: number;
}

/** Sent by Prometheus and vmagent: their scrape timeout, in seconds with a fraction. */
export const scrapeTimeoutHeader = 'x-prometheus-scrape-timeout-seconds';

/** Longer timeouts are ignored as implausible. */
const maxPlausibleMs = 3_600_000;

/**
 * How long a scrape may take: the client's timeout minus the offset, but at least half of the timeout; the default
 * when the header is absent or not a number above 0; at most `maxDurationMs`.
 */
export function scrapeTimeoutMs(header: string | undefined, times: ScrapeTimes): number {
  const sentMs = Number(header?.trim() === '' ? undefined : header) * 1_000;
  const isPlausible = sentMs > 0 && sentMs <= maxPlausibleMs;
  const timeoutMs = isPlausible ? Math.max(sentMs - times.timeoutOffsetMs, sentMs / 2) : times.defaultTimeoutMs;
  return Math.min(timeoutMs, times.maxDurationMs);
}
