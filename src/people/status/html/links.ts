import type { HtmlPlace } from '../../pens/html-pen.js';
import { markup } from '../../pens/markup.js';

/**
 * Returns how the page at this path leads to the others: by addresses relative to it, since all of them may be served below a prefix
 * that the exporter does not know. `nodeSuffix`: what the names of all nodes end with, which is not shown.
 */
export function linksFrom(path: string, nodeSuffix = ''): HtmlPlace {
  const shortened = nodeSuffix === '' ? (text: string) => text : shortenedBy(nodeSuffix);
  return {
    root: '../'.repeat(path.split('/').length - 2) || './',
    shortened,
    nodeText: (name) => {
      const text = shortened(name);
      return text === name ? markup`${name}` : markup`<span title="${name}">${text}</span>`;
    },
  };
}

/** Where a name ends, and not within one. */
function shortenedBy(suffix: string): (text: string) => string {
  const pattern = new RegExp(`(?<=\\w)${suffix.replaceAll('.', '\\.')}(?![\\w-]|\\.\\w)`, 'g');
  return (text) => text.replaceAll(pattern, '');
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
