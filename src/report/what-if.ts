import { formatBytes, formatForecast, formatPercent } from '../base/units.js';
import { growthBytesPerSecond } from '../history/usage-growth.js';
import { type Amount, isAbove, ratioTo, roundUp } from '../kube/quantity.js';
import type { UsageSample } from '../kubelet/lookup.js';
import { canBind, type UnenforcedReason } from '../node/unenforced-limits.js';
import { canEvict, type LimitReport, limitSubject, nearestBinding, unenforcedNames } from './limit-report.js';
import { perMinute } from './pod-growth.js';
import type { MeasuredPodReport } from './pod-report.js';
import { isSameLimit, type NextLimitReport } from './pod-verdict.js';

/** What another limit of a pod would do. Its other limits stay as they are: one that is exceeded first is named. */
export interface WhatIfReport {
  /** In a sentence. */
  readonly text: string;
  /** Rounded up to whole bytes. */
  readonly podLimitBytes: number;
  readonly usedBytes: number;
  /** To the limit in whole bytes. */
  readonly ratio: number;
  /** The usage is above it, and it evicts. */
  readonly isEvicted: boolean;
  /** Until it is exceeded at the growth over the last samples; 0 above it. Absent while no growth is known, and from a day on. */
  readonly timeToLimitMs?: number | undefined;
  /** Why it would not do what it seems to do. */
  readonly unenforced?: UnenforcedReason | undefined;
}

/** Before, growth may have been a burst. */
const minSampleCount = 4;

/** What is said of later than that is nothing. */
const maxForecastMs = 24 * 3_600_000;

/** The pod has another limit in place of this one. */
interface OtherLimits {
  readonly limits: readonly LimitReport[];
  /** Absent while no growth is known. */
  readonly next?: NextLimitReport | undefined;
}

export function whatIf(
  { usedBytes, dataState, dataAgeMs }: Pick<MeasuredPodReport, 'usedBytes' | 'dataState' | 'dataAgeMs'>,
  {
    limit,
    samples,
    unenforced,
    others,
  }: {
    readonly limit: Amount;
    readonly samples: readonly UsageSample[];
    /** Of a limit of the pod. */
    readonly unenforced: UnenforcedReason | undefined;
    readonly others: OtherLimits;
  },
): WhatIfReport {
  const evicts = canBind({ unenforced });
  const isOver = isAbove(usedBytes, limit);
  const isKnown = dataState !== 'absent' && samples.length >= minSampleCount;
  const growth = isKnown ? growthBytesPerSecond(samples) : undefined;
  const found = {
    podLimitBytes: roundUp(limit),
    usedBytes,
    ratio: ratioTo(usedBytes, roundUp(limit)),
    isEvicted: evicts && isOver,
    timeToLimitMs: evicts ? timeToMs(isOver ? 0 : roundUp(limit) - usedBytes, growth, dataAgeMs) : undefined,
    unenforced,
  };
  return { text: `${whatIfText(found, dataState, growth)}${otherText(found, others)}`, ...found };
}

function whatIfText(found: Omit<WhatIfReport, 'text'>, dataState: MeasuredPodReport['dataState'], growth = 0): string {
  const { podLimitBytes, usedBytes, ratio, isEvicted, timeToLimitMs, unenforced } = found;
  const known = dataState === 'absent' ? 'as last known ' : '';
  const use = `${formatBytes(usedBytes)} ${known}is`;
  const head = `With a limit of ${formatBytes(podLimitBytes)}: ${use} ${ratio === Infinity ? 'above it, as any use is' : `${formatPercent(ratio)} of it`}`;
  if (isEvicted) return `${head}, and the kubelet evicts the pod.`;
  if (timeToLimitMs !== undefined)
    return `${head}; evicted in ${formatForecast(timeToLimitMs)} if it goes on to grow ${perMinute(growth)}.`;
  if (unenforced === undefined) return `${head}; not evicted for it, as far as growth is known.`;
  return `${head}. The limit would not do what it seems to do: not enforced: ${unenforcedNames[unenforced]}.`;
}

/** The limit that is exceeded before the pod's, else one that is nearer. */
function otherText(
  { ratio, timeToLimitMs = Infinity }: Omit<WhatIfReport, 'text'>,
  { limits, next }: OtherLimits,
): string {
  const others = limits.filter((limit) => limit.rule !== 'pod' && canEvict(limit));
  const coming = next && others.find((limit) => isSameLimit(limit, next));
  if (coming !== undefined && next !== undefined && next.timeToLimitMs < timeToLimitMs)
    return stayText(coming, `, exceeded ${soonText(next)}`);
  const nearest = nearestBinding(others);
  return nearest !== undefined && nearest.ratio > ratio ? stayText(nearest, '') : '';
}

function stayText(limit: LimitReport, time: string): string {
  return ` But ${limitSubject(limit)} stays at ${formatPercent(limit.ratio)} of its ${formatBytes(limit.limitBytes)}${time}.`;
}

function soonText({ timeToLimitMs }: NextLimitReport): string {
  return timeToLimitMs === 0 ? 'at any moment' : `in ${formatForecast(timeToLimitMs)}`;
}

function timeToMs(missingBytes: number, growth: number | undefined, ageMs: number): number | undefined {
  if (missingBytes === 0) return 0;
  if (growth === undefined || growth <= 0) return undefined;
  const timeMs = Math.max(0, Math.round((missingBytes / growth) * 1_000 - ageMs));
  return timeMs > maxForecastMs ? undefined : timeMs;
}
