import { formatBytes, formatForecast } from '../base/units.js';
import { growthBytesPerSecond } from '../history/usage-growth.js';
import type { UsageSample } from '../kubelet/lookup.js';
import { type LimitReport, nearestBinding } from './limit-report.js';

/** A forecast looks ahead for so many times as long as growth is known. */
const horizon = 4;

/** From this part of a limit on, there are forecasts. */
const forecastRatio = 0.5;

/** Returns how a pod grew, and why no limit of it is forecast to be exceeded: the one reason that applies. */
export function growthWithoutForecast(limits: readonly LimitReport[], samples: readonly UsageSample[]): string {
  const growth = growthBytesPerSecond(samples);
  if (growth === undefined) return 'Its growth is not known: it was measured less than twice.';
  const rate = Math.round(growth);
  if (rate <= 0) return 'It did not grow.';
  return `${grewText(rate)} No forecast: ${reasonText(rate, nearestBinding(limits), samples)}.`;
}

export function grewText(bytesPerSecond: number): string {
  return `It grew ${perMinute(bytesPerSecond)}.`;
}

export function perMinute(bytesPerSecond: number): string {
  return `${formatBytes(Math.round(bytesPerSecond * 60))} a minute`;
}

function reasonText(rate: number, nearest: LimitReport | undefined, samples: readonly UsageSample[]): string {
  if (nearest === undefined) return 'no limit evicts it';
  if (nearest.ratio < forecastRatio) return 'it is below half of each limit';
  const seenMs = (samples.at(-1)?.atMs ?? 0) - (samples[0]?.atMs ?? 0);
  const leftMs = ((nearest.limitBytes - nearest.usedBytes) / rate) * 1_000;
  return leftMs > horizon * seenMs
    ? `it was measured for ${formatForecast(seenMs)}, too short to look ${formatForecast(leftMs)} ahead, when it would reach the limit`
    : 'what counts towards the limit does not grow steadily';
}
