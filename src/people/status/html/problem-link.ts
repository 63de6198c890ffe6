import { type Markup, markup } from '../../pens/markup.js';
import type { Problem } from '../status.js';
import { type Links, queryOf } from './links.js';

/** Sections of pages; the others are lists. */
const pagesOf: Readonly<Partial<Record<Problem['section'], string>>> = {
  'next-evictions': '',
  findings: 'problems',
  trust: 'problems',
  configuration: 'problems',
};

/** Leads to where the problem is explained: the page of the only thing that it is about, a list, or a section. */
export function problemLink({ text: whole, section, only, about }: Problem, links: Links): Markup {
  const text = links.shortened(whole);
  if (about !== undefined) return about.pod === undefined ? links.node(about.node, text) : links.pod(about, text);
  const page = pagesOf[section];
  const address = page === undefined ? `${section}${queryOf({ only })}` : `${page}#${section}`;
  return markup`<a href="${links.root}${address}" data-key="problem-${text}">${text}</a>`;
}
