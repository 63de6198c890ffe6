/** The cap on series: which families are dropped so that the others fit. */
import { largestFirst } from '../../lib/base/ranking.js';
import type { ClusterFamilyRow, Level } from './family.js';
import { noFamilies } from './incremental-text.js';
import { type FamilyFilter, type FamilyPredicate, requestedBy } from './selection.js';

export interface CountedFamily {
  readonly header: { readonly name: string; readonly level: Level };
  readonly seriesCount: number;
}

/** Families, and the numbers of their series that were counted last. */
interface FamilyCounts {
  readonly families: readonly ClusterFamilyRow[];
  readonly seriesCounts: readonly number[];
}

/** Which families become text. */
export interface TextChoice {
  readonly isRequested: FamilyPredicate;
  /** Those that are above the cap. */
  readonly leftOut: ReadonlySet<ClusterFamilyRow>;
}

/**
 * Chooses by the series that were counted last. A family above the cap becomes text only for a filter that leaves room for
 * it: what is dropped costs nothing.
 */
export function chooseFamilies(
  counts: readonly FamilyCounts[],
  filter: FamilyFilter,
  maxSeries = Infinity,
): TextChoice {
  const isRequested = requestedBy(filter);
  if (roomIn(counts, maxSeries) >= 0) return { isRequested, leftOut: noFamilies };
  const counted = counts.flatMap(({ families, seriesCounts }) =>
    families.map((header, place) => ({ header, seriesCount: seriesCounts[place] ?? 0 })),
  );
  const requested = counted.filter(({ header }) => isRequested(header));
  const over = familiesOverCap(requested, maxSeries);
  const wanted = new Set(requested.filter((family) => !over.has(family)));
  const leftOut = [...familiesOverCap(counted, maxSeries)].filter((family) => !wanted.has(family));
  return { isRequested, leftOut: new Set(leftOut.map(({ header }) => header)) };
}

/** Returns for how many more series there is room; below 0 for none. */
export function roomIn(counts: readonly FamilyCounts[], maxSeries = Infinity): number {
  let room = maxSeries;
  for (const { seriesCounts } of counts) for (const count of seriesCounts) room -= count;
  return room;
}

/** The sums over each level are in the next one, so the loss of the first is the smallest. */
const mostDetailedFirst: readonly Level[] = ['volume', 'container', 'pod', 'node', 'workload'];

/**
 * Returns the families to drop so that the others have at most `maxSeries` series: whole ones, as sums over half a family are
 * wrong; the most detailed level first, and within a level the family with the most series first.
 */
export function familiesOverCap<Family extends CountedFamily>(
  families: readonly Family[],
  maxSeries = Infinity,
): ReadonlySet<Family> {
  let seriesCount = families.reduce((sum, family) => sum + family.seriesCount, 0);
  const over = new Set<Family>();
  const rankOf = ({ header }: Family): number => mostDetailedFirst.indexOf(header.level);
  for (const family of families.toSorted((a, b) => rankOf(a) - rankOf(b) || largestFamilyFirst(a, b))) {
    if (seriesCount <= maxSeries) break;
    if (family.seriesCount === 0) continue;
    over.add(family);
    seriesCount -= family.seriesCount;
  }
  return over;
}

const largestFamilyFirst = largestFirst<CountedFamily>(
  ({ seriesCount }) => seriesCount,
  ({ header }) => [header.name],
);
