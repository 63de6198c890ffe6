import { type EvictionCause, evictionCauses } from '../history/eviction-record.js';
import type { EvictionReport } from './eviction-report.js';

/** When pods were evicted, by cause. */
export interface EvictionTimeline {
  /** Of the first eviction; `endMs`: now. Wall times. */
  readonly startMs: number;
  readonly endMs: number;
  /** Each cause that occurs, in the order of `EvictionCause`. */
  readonly causes: readonly {
    readonly cause: EvictionCause;
    readonly evictionCount: number;
    /** In the order of time. */
    readonly marks: readonly EvictionMark[];
  }[];
}

/** Evictions for one cause that are too close together for separate marks. */
interface EvictionMark {
  /** Of the first one. */
  readonly atMs: number;
  readonly evictionCount: number;
}

/** However many evictions there are, the timeline has so many marks at most for each cause. */
const columnCount = 120;

/** Undefined without evictions. Clocks of nodes may be ahead. */
export function evictionTimeline(evictions: readonly EvictionReport[], nowMs: number): EvictionTimeline | undefined {
  if (evictions.length === 0) return undefined;
  let [startMs, endMs] = [Infinity, nowMs];
  for (const { evictedAtMs } of evictions) {
    startMs = Math.min(startMs, evictedAtMs);
    endMs = Math.max(endMs, evictedAtMs);
  }
  const columnMs = Math.max(1, (endMs - startMs + 1) / columnCount);
  const causes = evictionCauses.flatMap((cause) => {
    const of = evictions.filter((eviction) => eviction.cause === cause);
    return of.length === 0 ? [] : [{ cause, evictionCount: of.length, marks: marksOf(of, startMs, columnMs) }];
  });
  return { startMs, endMs, causes };
}

function marksOf(evictions: readonly EvictionReport[], startMs: number, columnMs: number): readonly EvictionMark[] {
  const columns = new Map<number, [EvictionReport, ...EvictionReport[]]>();
  for (const eviction of evictions.toSorted((a, b) => a.evictedAtMs - b.evictedAtMs)) {
    const column = Math.floor((eviction.evictedAtMs - startMs) / columnMs);
    const known = columns.get(column);
    if (known === undefined) columns.set(column, [eviction]);
    else known.push(eviction);
  }
  return Array.from(columns.values(), ([first, ...others]) => ({
    atMs: first.evictedAtMs,
    evictionCount: 1 + others.length,
  }));
}
