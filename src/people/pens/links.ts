import { type Markup, markup } from './markup.js';

/** The page that a document is written for, and how it leads to the others. */
export interface HtmlPlace {
  /** The address of the page at `/`, relative to it; ends with `/`. */
  readonly root: string;
  /** Returns a sentence in which the names of nodes lack what those of all nodes end with. */
  readonly shortened: (text: string) => string;
  /** The address of the same list in another order; without it, columns lead nowhere. */
  readonly orderHref?: (order: string) => string;
  /** The address of as many rows of the list as there may be; without it, the number of the others is said alone. */
  readonly moreHref?: string | undefined;
}

/**
 * Returns how the page at this path leads to the others: by addresses relative to it, since all of them may be served below a prefix
 * that the exporter does not know. `nodeSuffix`: what the names of all nodes end with, which is not shown.
 */
export function linksFrom(path: string, nodeSuffix = ''): HtmlPlace {
  return {
    root: '../'.repeat(path.split('/').length - 2) || './',
    shortened: nodeSuffix === '' ? (text) => text : shortenedBy(nodeSuffix),
  };
}

/** Where a name ends, and not within one. */
function shortenedBy(suffix: string): (text: string) => string {
  const pattern = new RegExp(`(?<=\\w)${suffix.replaceAll('.', '\\.')}(?![\\w-]|\\.\\w)`, 'g');
  return (text) => text.replaceAll(pattern, '');
}

/** Shows a name that is shortened, and the whole of it to those who ask. */
export function nodeText(name: string, { shortened }: HtmlPlace): Markup {
  const text = shortened(name);
  return text === name ? markup`${name}` : markup`<span title="${name}">${text}</span>`;
}

export function addressOf(root: string, parts: readonly string[]): string {
  return root + parts.map((part) => encodeURIComponent(part.toWellFormed())).join('/');
}

/** With `?`; '' without any. */
export function queryOf(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(parameters).flatMap(([name, value = '']): [string, string][] =>
    value === '' ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}
