/** Formatted in one go; about a millisecond. */
const itemsPerPage = 100;

/**
 * Cuts a list into pages: a page with the same items as at its place in the last list is the same array, so that its text
 * is kept by reference.
 */
export class StablePages<T> {
  readonly #isSame: (before: T, item: T) => boolean;
  #pages: readonly (readonly T[])[] = [];

  /** `isSame`: whether two items have the same text. */
  constructor(isSame: (before: T, item: T) => boolean = Object.is) {
    this.#isSame = isSame;
  }

  of(items: readonly T[]): readonly (readonly T[])[] {
    const pages: (readonly T[])[] = [];
    for (let start = 0; start < items.length; start += itemsPerPage) {
      const page = items.slice(start, start + itemsPerPage);
      const before = this.#pages[pages.length];
      pages.push(before !== undefined && this.#isSamePage(before, page) ? before : page);
    }
    this.#pages = pages;
    return pages;
  }

  #isSamePage(before: readonly T[], page: readonly T[]): boolean {
    if (before.length !== page.length) return false;
    return page.every((item, index) => this.#isSame(before[index] ?? item, item));
  }
}
