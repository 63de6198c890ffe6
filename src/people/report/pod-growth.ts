import type { UsageSample } from '../../cluster/kubelet/lookup.js';
import { forecastReach } from '../../facts/forecast/forecast.js';
import { growthBytesPerSecond, growthOf } from '../../facts/history/usage-growth.js';
import { formatAge, formatBytes, formatForecast } from '../../lib/base/units.js';
import { type LimitReport, nearestBinding } from './limit-report.js';

/** Returns how a pod grew, and why no limit of it is forecast to be exceeded: the one reason that applies. */
export function growthWithoutForecast(limits: readonly LimitReport[], samples: readonly UsageSample[]): string {
  const growth = growthOf(samples);
  if (growth === undefined || growth.bytes <= 0) return growthText(samples);
  return `${growthText(samples)} No forecast: ${reasonText(growthBytesPerSecond(samples), nearestBinding(limits), samples)}.`;
}

/** A rate is said only of what grew most of the time. */
export function growthText(samples: readonly UsageSample[]): string {
  const growth = growthOf(samples);
  if (growth === undefined) return 'Its growth is not known: it was measured less than twice.';
  if (growth.bytes <= 0) return 'It did not grow.';
  const rate = growthBytesPerSecond(samples);
  return rate === undefined
    ? `It grew ${formatBytes(growth.bytes)} in the last ${formatAge(growth.sinceMs)}.`
    : grewText(rate);
}

export function grewText(bytesPerSecond: number): string {
  return `It grew ${perMinute(bytesPerSecond)}.`;
}

export function perMinute(bytesPerSecond: number): string {
  return `${formatBytes(Math.round(bytesPerSecond * 60))} a minute`;
}

function reasonText(
  rate: number | undefined,
  nearest: LimitReport | undefined,
  samples: readonly UsageSample[],
): string {
  if (nearest === undefined) return 'no limit evicts it';
  if (nearest.ratio < forecastReach.fromRatio) return 'it is below half of each limit';
  const seenMs = (samples.at(-1)?.atMs ?? 0) - (samples[0]?.atMs ?? 0);
  const leftMs = rate === undefined ? 0 : ((nearest.limitBytes - nearest.usedBytes) / rate) * 1_000;
  return leftMs > forecastReach.lengths * seenMs
    ? `it was measured for ${formatForecast(seenMs)}, too short to look ${formatForecast(leftMs)} ahead, when it would reach the limit`
    : 'what counts towards the limit does not grow steadily';
}
