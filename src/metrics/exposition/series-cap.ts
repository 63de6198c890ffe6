/** The cap on series: which families are dropped so that the others fit. */
import { largestFirst } from '../../lib/base/ranking.js';
import type { ClusterFamilyRow, Level } from './family.js';
import { noFamilies } from './incremental-text.js';
import { type FamilyFilter, type FamilyPredicate, requestedBy } from './selection.js';

export interface CountedFamily {
  readonly header: { readonly name: string; readonly level: Level };
  readonly seriesCount: number;
}

/** Some families with the number of series of each. */
export interface CountedFamilies {
  readonly families: readonly ClusterFamilyRow[];
  /** One for each family, over all sources that were counted. */
  readonly ofFamilies: readonly number[];
}

/** Which families become text. */
export interface TextChoice {
  readonly isRequested: FamilyPredicate;
  /** Those that are above the cap. */
  readonly leftOut: ReadonlySet<ClusterFamilyRow>;
}

/**
 * Chooses by the series that were counted last. Once the cap is reached, a family above it becomes text only for a filter that
 * leaves room for it: what is dropped costs nothing.
 */
export function chooseFamilies(
  counts: readonly CountedFamilies[],
  filter: FamilyFilter,
  maxSeries = Infinity,
): TextChoice {
  const isRequested = requestedBy(filter);
  let seriesCount = 0;
  for (const { ofFamilies } of counts) for (const count of ofFamilies) seriesCount += count;
  if (seriesCount <= maxSeries) return { isRequested, leftOut: noFamilies };
  const counted = counts.flatMap(({ families, ofFamilies }) =>
    families.map((header, place) => ({ header, seriesCount: ofFamilies[place] ?? 0 })),
  );
  const requested = counted.filter(({ header }) => isRequested(header));
  const over = familiesOverCap(requested, maxSeries);
  const wanted = new Set(requested.filter((family) => !over.has(family)));
  const leftOut = [...familiesOverCap(counted, maxSeries)].filter((family) => !wanted.has(family));
  return { isRequested, leftOut: new Set(leftOut.map(({ header }) => header)) };
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
