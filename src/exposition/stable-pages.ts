/** Formatted in one go; about a millisecond. */
const itemsPerPage = 100;

/**
 * Cuts a list into pages: a page with the same items as at its place in the last list is the same array, so that its text
 * is kept by reference.
 */
export class StablePages<T> {
  #pages: readonly (readonly T[])[] = [];

  of(items: readonly T[]): readonly (readonly T[])[] {
    const pages: (readonly T[])[] = [];
    for (let start = 0; start < items.length; start += itemsPerPage) {
      const page = items.slice(start, start + itemsPerPage);
      const before = this.#pages[pages.length];
      pages.push(before !== undefined && isSame(before, page) ? before : page);
    }
    this.#pages = pages;
    return pages;
  }
}

function isSame<T>(before: readonly T[], page: readonly T[]): boolean {
  return before.length === page.length && page.every((item, index) => item === before[index]);
}
