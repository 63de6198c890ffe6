import type { Config } from '../../config/schema.js';

/** Sent by Prometheus and vmagent: their scrape timeout, in seconds with a fraction. */
export const scrapeTimeoutHeader = 'x-prometheus-scrape-timeout-seconds';

/** Longer timeouts are ignored as implausible. */
const maxPlausibleMs = 3_600_000;

/** However long a client waits: it would see old values. */
export const maxScrapeMs = 60_000;

/**
 * How long a scrape may take: the client's timeout minus the offset, but at least half of the timeout; the default
 * when the header is absent or not a number above 0; at most {@link maxScrapeMs}.
 */
export function scrapeTimeoutMs(header: string | undefined, times: Omit<Config['scrape'], 'maxInFlight'>): number {
  const sentMs = Number(header?.trim() === '' ? undefined : header) * 1_000;
  const isPlausible = sentMs > 0 && sentMs <= maxPlausibleMs;
  const timeoutMs = isPlausible ? Math.max(sentMs - times.timeoutOffsetMs, sentMs / 2) : times.defaultTimeoutMs;
  return Math.min(timeoutMs, maxScrapeMs);
}
