import { CachedRequest, type RequestPolicy } from './cached-request.js';
import type { KubeletConfiguration } from './kubelet-configuration.js';
import type { PodHistory } from './pod-history.js';
import type { NodeSummary } from './summary.js';

/** What is known of one kubelet. */
export interface KubeletEntry {
  /** Of the Node object: another machine under the same name gets its own entry. */
  readonly uid: string;
  readonly summary: CachedRequest<NodeSummary>;
  readonly configuration: CachedRequest<KubeletConfiguration> | undefined;
  readonly history: PodHistory;
  /** Monotonic time in milliseconds of the last mark that the summary is out of date. */
  outdatedAtMs: number;
}

/** Also when the mark came while the summary was requested: the kubelet may have made it before. */
export function isOutdated(entry: KubeletEntry | undefined): boolean {
  const success = entry?.summary.success;
  return success !== undefined && entry !== undefined && entry.outdatedAtMs >= success.atMs - success.durationMs;
}

/** Whether one more mark changes nothing: the next summary of this kubelet, if it ever sends one, is to come soon already. */
export function isMarked(entry: KubeletEntry): boolean {
  return entry.summary.success === undefined ? entry.outdatedAtMs > -Infinity : isOutdated(entry);
}

export function endRequests({ summary, configuration }: KubeletEntry): void {
  summary.end();
  configuration?.end();
}

/** The same request under another policy, or a new one. */
export function continued<T>(former: CachedRequest<T> | undefined, policy: RequestPolicy<T>): CachedRequest<T> {
  former?.continueWith(policy);
  return former ?? new CachedRequest(policy);
}
