import { type LinkPlaceholder, placeholderForm, placeholdersIn } from '../../../config/link-placeholders.js';
import { type Markup, markup } from '../../pens/markup.js';
import type { Status } from '../../query/status.js';

export type LinkValues = Readonly<Partial<Record<LinkPlaceholder, string | undefined>>>;

/** Returns the links to pages elsewhere about what `values` name: those with placeholders all of which have a value. */
export function objectLinks(links: Status['links'], values: LinkValues): Status['links'] {
  return links.filter(isOfObject).flatMap((link) => filled(link, values));
}

/** The same as a list; undefined without any. */
export function objectLinkList(links: Status['links'], values: LinkValues): Markup | undefined {
  const found = objectLinks(links, values);
  if (found.length === 0) return undefined;
  return markup`<ul class="elsewhere small" aria-label="Elsewhere">${found.map(({ name, url }) => markup`<li><a href="${url}">${name}</a></li>`)}</ul>`;
}

/** Returns those that are the same on all pages. */
export function footerLinks({ links, clusterName }: Pick<Status, 'links' | 'clusterName'>): Status['links'] {
  return links.filter((link) => !isOfObject(link)).flatMap((link) => filled(link, { cluster: clusterName }));
}

/** The cluster is the same on all pages. */
function isOfObject({ url }: Status['links'][number]): boolean {
  return placeholdersIn(url).some((name) => name !== 'cluster');
}

function filled({ name, url }: Status['links'][number], values: LinkValues): Status['links'] {
  const valueOf = (placeholder: string): string | undefined => values[placeholder as LinkPlaceholder];
  if (placeholdersIn(url).some((placeholder) => !valueOf(placeholder))) return [];
  const filledUrl = url.replaceAll(placeholderForm, (_, placeholder: string) =>
    encodeURIComponent((valueOf(placeholder) ?? '').toWellFormed()),
  );
  return [{ name, url: filledUrl }];
}
