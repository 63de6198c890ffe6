import type { SeriesOfPage } from './figure-sources.js';
import { limitThresholds, soonMs } from './limit-report.js';

/** By pod: the highest ratio to a limit. */
export function highestRatio({ of }: SeriesOfPage): string {
  return `max by (namespace, pod, node) (${of('limit_ratio')})`;
}

/** The same of pods that are evicted for their limits. */
export function bindingRatio({ of, all }: SeriesOfPage): string {
  const exempt = all('limit_unenforced_info', 'rule="all"');
  return `max by (namespace, pod, node) (${of('limit_ratio')} unless on (namespace, pod, node) ${exempt})`;
}

const { near, reached } = limitThresholds;

export function reachedPods(series: SeriesOfPage): string {
  return `${bindingRatio(series)} >= ${reached}`;
}

/** Without those that have reached one. */
export function nearPods(series: SeriesOfPage): string {
  const soon = `max by (namespace, pod, node) (${series.of('pod_time_to_limit_seconds')} <= ${soonMs / 1_000})`;
  return `(${bindingRatio(series)} >= ${near} or ${soon}) unless ${reachedPods(series)}`;
}

/** By namespace. */
export function nearCount(series: SeriesOfPage): string {
  return `count by (namespace) (${bindingRatio(series)} >= ${near})`;
}

/** What expressions of limits do not know. */
export const memoryNote = 'An emptyDir in memory that cannot exceed its limit counts in the expression alone.';
