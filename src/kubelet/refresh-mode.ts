/** When kubelets are scraped: when a scrape of the exporter needs fresh data, or ahead of it. `auto`: by the number of nodes. */
export type RefreshMode = 'auto' | 'on-scrape' | 'ahead';

/**
 * Requests to fewer nodes delay a scrape by less than half a second, also with one core and 30 pods on each node, and cost
 * nothing between scrapes that are further apart than the TTL.
 */
const leastNodeCount = 100;

export function refreshesAhead(mode: RefreshMode, nodeCount: number): boolean {
  return mode === 'ahead' || (mode === 'auto' && nodeCount >= leastNodeCount);
}
