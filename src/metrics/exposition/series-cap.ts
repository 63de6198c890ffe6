/** The cap on series: which families are dropped so that the others fit. */
import { largestFirst } from '../../lib/base/ranking.js';
import type { ClusterFamilyRow, Level } from './family.js';
import { noFamilies, type SeriesCounts } from './incremental-text.js';
import { type FamilyFilter, type FamilyPredicate, requestedBy } from './selection.js';

export interface CountedFamily {
  readonly header: { readonly name: string; readonly level: Level };
  readonly seriesCount: number;
}

/** How many series some families have: those of each source, and all of them. */
export class SeriesCount {
  readonly families: readonly ClusterFamilyRow[];
  /** By the name of the source. */
  readonly #ofSources = new Map<string, SeriesCounts>();
  readonly #ofFamilies: number[];
  #leftOutCount = 0;

  constructor(families: readonly ClusterFamilyRow[]) {
    this.families = families;
    this.#ofFamilies = families.map(() => 0);
  }

  /** One for each family, over all sources that were counted. */
  get ofFamilies(): readonly number[] {
    return this.#ofFamilies;
  }

  /** Series that are left out, as the parts of a source that have them would have too many. */
  get leftOutCount(): number {
    return this.#leftOutCount;
  }

  isOf(name: string, source: object): boolean {
    return this.#ofSources.get(name)?.source === source;
  }

  /** Replaces those of the source of this name. */
  set(name: string, counts: SeriesCounts): void {
    this.#forget(name);
    this.#add(counts, 1);
    this.#ofSources.set(name, counts);
  }

  /** Forgets all other sources. */
  retain(names: ReadonlySet<string>): void {
    for (const name of this.#ofSources.keys()) if (!names.has(name)) this.#forget(name);
  }

  #forget(name: string): void {
    const former = this.#ofSources.get(name);
    if (former !== undefined) this.#add(former, -1);
    this.#ofSources.delete(name);
  }

  #add({ ofFamilies, leftOutCount }: SeriesCounts, sign: 1 | -1): void {
    for (const [place, count] of ofFamilies.entries()) {
      this.#ofFamilies[place] = (this.#ofFamilies[place] ?? 0) + sign * count;
    }
    this.#leftOutCount += sign * leftOutCount;
  }
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
  counts: readonly Pick<SeriesCount, 'families' | 'ofFamilies'>[],
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
