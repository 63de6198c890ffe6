import { type LinkPlaceholder, placeholderForm, placeholdersIn } from '../../../config/link-placeholders.js';
import { type Markup, markup } from '../../pens/markup.js';
import type { Status } from '../../query/status.js';

export type LinkValues = Readonly<Partial<Record<LinkPlaceholder, string | undefined>>>;

/** Returns the links to pages elsewhere about what `values` name: those with placeholders all of which have a value. */
export function objectLinks(links: Status['links'], values: LinkValues): readonly PageLink[] {
  return links.filter(isOfObject).flatMap((link) => filled(link, values));
}

/** The same as a list; undefined without any. */
export function objectLinkList(links: Status['links'], values: LinkValues): Markup | undefined {
  const found = objectLinks(links, values);
  if (found.length === 0) return undefined;
  return markup`<ul class="elsewhere small" aria-label="Elsewhere">${found.map(({ name, href }) => markup`<li><a href="${href}">${name}</a></li>`)}</ul>`;
}

/** Returns those that are the same on all pages. */
export function footerLinks({ links, clusterName }: Pick<Status, 'links' | 'clusterName'>): readonly PageLink[] {
  return links.filter((link) => !isOfObject(link)).flatMap((link) => filled(link, { cluster: clusterName }));
}

interface PageLink {
  readonly name: string;
  readonly href: string;
}

/** The cluster is the same on all pages. */
function isOfObject({ url }: Status['links'][number]): boolean {
  return placeholdersIn(url).some((name) => name !== 'cluster');
}

function filled({ name, url }: Status['links'][number], values: LinkValues): readonly PageLink[] {
  const valueOf = (placeholder: string): string | undefined => values[placeholder as LinkPlaceholder];
  if (placeholdersIn(url).some((placeholder) => !valueOf(placeholder))) return [];
  const href = url.replaceAll(placeholderForm, (_, placeholder: string) =>
    encodeURIComponent((valueOf(placeholder) ?? '').toWellFormed()),
  );
  return [{ name, href }];
}
