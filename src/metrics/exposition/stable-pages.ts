import type { NodeFaults } from '../../facts/node/node-faults.js';
import type { ClusterSnapshot } from '../../facts/scrape/snapshot.js';
import type { ClusterFamilyRow, FamilyGroup } from './family.js';

/** Cuts what a scrape knows into pages: the same page as before while its text is the same. */
export type Pager<Page> = (snapshot: ClusterSnapshot, faults: NodeFaults) => readonly Page[];

/** Families whose series come from pages. */
export interface PagedFamilies {
  readonly families: readonly ClusterFamilyRow[];
  /** `make`: is given a pager of its own. */
  cache<Cache>(make: <Page extends object>(groups: readonly FamilyGroup<Page>[], pager: Pager<Page>) => Cache): Cache;
}

export function pagedFamilies<Page extends object>(
  groups: readonly FamilyGroup<Page>[],
  newPager: () => Pager<Page>,
): PagedFamilies {
  return { families: groups.flatMap(({ families }) => families), cache: (make) => make(groups, newPager()) };
}

/** Few enough to be formatted in one go. */
const itemsPerPage = 100;

/** Cuts a list into pages. */
export function pagesOf<T>(items: readonly T[]): readonly (readonly T[])[] {
  const pages: (readonly T[])[] = [];
  for (let start = 0; start < items.length; start += itemsPerPage) pages.push(items.slice(start, start + itemsPerPage));
  return pages;
}

/**
 * Returns what cuts a list into pages: a page with the same items as at its place in the last list is the same array.
 * `isSame`: whether two items have the same text.
 */
export function stablePages<T>(
  itemsOf: (...scrape: Parameters<Pager<T>>) => readonly T[],
  isSame: (before: T, item: T) => boolean = Object.is,
): Pager<readonly T[]> {
  let pages: readonly (readonly T[])[] = [];
  return (...scrape) => {
    pages = pagesOf(itemsOf(...scrape)).map((page, index) => {
      const before = pages[index];
      const isUnchanged = before?.length === page.length && page.every((item, at) => isSame(before[at] ?? item, item));
      return isUnchanged ? before : page;
    });
    return pages;
  };
}
