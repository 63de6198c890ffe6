/** When exporters watched for evictions, in wall time. */
export interface WatchedPeriod {
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface WatchedTimes {
  /** From then on, evictions are known. */
  readonly sinceMs: number;
  /** From when until when no exporter ran; the oldest first. */
  readonly gaps: readonly WatchedPeriod[];
}

/** A restart takes less. */
const minGapMs = 60_000;

/** Earlier ones are forgotten: a file of evictions stays small, however often the exporter is restarted. */
export const maxPeriodCount = 20;

/** Adds the period that begins now; it is the last one where no gap is between. */
export function withPeriod(former: readonly WatchedPeriod[], nowMs: number): readonly WatchedPeriod[] {
  const last = former.at(-1);
  const isContinued = last !== undefined && nowMs - last.untilMs <= minGapMs;
  const periods = isContinued ? former.slice(0, -1) : former;
  return [...periods, { fromMs: isContinued ? last.fromMs : nowMs, untilMs: nowMs }].slice(-maxPeriodCount);
}

/** The last one lasts until then, if that is later. */
export function lastingUntil(periods: readonly WatchedPeriod[], untilMs: number): readonly WatchedPeriod[] {
  const last = periods.at(-1);
  return last === undefined ? [] : [...periods.slice(0, -1), { ...last, untilMs: Math.max(last.untilMs, untilMs) }];
}

/** `periods`: at least one. `keptFromMs`: what is older is forgotten. */
export function watchedTimes(periods: readonly WatchedPeriod[], keptFromMs: number): WatchedTimes {
  const kept = periods.filter(({ untilMs }, index) => untilMs > keptFromMs || index === periods.length - 1);
  const gaps = kept.slice(1).map(({ fromMs }, index) => ({ fromMs: kept[index]?.untilMs ?? fromMs, untilMs: fromMs }));
  return { sinceMs: Math.max(kept[0]?.fromMs ?? 0, keptFromMs), gaps };
}
