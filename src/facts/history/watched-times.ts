/** When changes of all pods were seen, in wall time. */
export interface WatchedPeriod {
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface WatchedTimes {
  /** From then on, evictions are known. */
  readonly sinceMs: number;
  /** From when until when no exporter ran, or none saw the changes of all pods; the oldest first. */
  readonly gaps: readonly WatchedPeriod[];
}

/** A restart takes less, and so does a watch that is opened again. */
const minGapMs = 60_000;

/** Earlier ones are forgotten: a file of evictions stays small, however often the exporter is restarted. */
const maxPeriodCount = 20;

/** In any order, also those of several processes; where no gap is between, they are one. The oldest first. */
export function joinedPeriods(periods: readonly WatchedPeriod[]): readonly WatchedPeriod[] {
  const joined: WatchedPeriod[] = [];
  for (const period of periods.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = joined.at(-1);
    if (last === undefined || period.fromMs - last.untilMs > minGapMs) joined.push(period);
    else joined.splice(-1, 1, { fromMs: last.fromMs, untilMs: Math.max(last.untilMs, period.untilMs) });
  }
  return joined.slice(-maxPeriodCount);
}

/** The last one lasts until then, if that is later. */
export function lastingUntil(periods: readonly WatchedPeriod[], untilMs: number): readonly WatchedPeriod[] {
  const last = periods.at(-1);
  return last === undefined ? [] : [...periods.slice(0, -1), { ...last, untilMs: Math.max(last.untilMs, untilMs) }];
}

/** `keptFromMs`: what is older is forgotten. A gap may last until now. */
export function watchedTimes(
  periods: readonly WatchedPeriod[],
  { keptFromMs, nowMs }: { readonly keptFromMs: number; readonly nowMs: number },
): WatchedTimes {
  const kept = periods.filter(({ untilMs }, index) => untilMs > keptFromMs || index === periods.length - 1);
  const gaps = kept.map(({ untilMs }, index) => ({ fromMs: untilMs, untilMs: kept[index + 1]?.fromMs ?? nowMs }));
  const isLasting = nowMs - (gaps.at(-1)?.fromMs ?? nowMs) > minGapMs;
  return { sinceMs: Math.max(kept[0]?.fromMs ?? nowMs, keptFromMs), gaps: isLasting ? gaps : gaps.slice(0, -1) };
}
