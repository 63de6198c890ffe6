import { largestFirst } from '../base/ranking.js';
import type { Level } from './family.js';

export interface CountedFamily {
  readonly header: { readonly name: string };
  readonly level: Level;
  readonly seriesCount: number;
}

/** The sums over each level are in the next one, so the loss of the first is the smallest. */
const mostDetailedFirst: readonly Level[] = ['volume', 'container', 'pod', 'node', 'workload'];

/**
 * The families to drop so that the others have at most `maxSeries` series: whole ones, as sums over half a family are
 * wrong; the most detailed level first, and within a level the family with the most series first.
 */
export function familiesOverCap<Family extends CountedFamily>(
  families: readonly Family[],
  maxSeries: number,
): ReadonlySet<Family> {
  let seriesCount = families.reduce((sum, family) => sum + family.seriesCount, 0);
  const over = new Set<Family>();
  for (const family of [...families].sort(compareFamilies)) {
    if (seriesCount <= maxSeries) break;
    if (family.seriesCount === 0) continue;
    over.add(family);
    seriesCount -= family.seriesCount;
  }
  return over;
}

function compareFamilies(a: CountedFamily, b: CountedFamily): number {
  const byLevel = mostDetailedFirst.indexOf(a.level) - mostDetailedFirst.indexOf(b.level);
  return byLevel || largestFamilyFirst(a, b);
}

const largestFamilyFirst = largestFirst<CountedFamily>(
  ({ seriesCount }) => seriesCount,
  ({ header }) => [header.name],
);
