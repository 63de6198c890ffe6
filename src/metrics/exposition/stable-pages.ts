/** Few enough to be formatted in one go. */
const itemsPerPage = 100;

/** Cuts a list into pages. */
export function pagesOf<T>(items: readonly T[]): readonly (readonly T[])[] {
  const pages: (readonly T[])[] = [];
  for (let start = 0; start < items.length; start += itemsPerPage) pages.push(items.slice(start, start + itemsPerPage));
  return pages;
}

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
    this.#pages = pagesOf(items).map((page, index) => {
      const before = this.#pages[index];
      const isSame = before?.length === page.length && page.every((item, at) => this.#isSame(before[at] ?? item, item));
      return isSame ? before : page;
    });
    return this.#pages;
  }
}
