import { formatTime } from '../../lib/base/units.js';
import type { Line, Tone } from './document.js';
import { type Markup, markup, type MarkupContent } from './markup.js';
import { meanings, type Word } from './words.js';

/** How parts of a document are written in the page that they stand in. */
export interface HtmlWriter {
  readonly line: (line: Line) => MarkupContent;
  /** Returns the address of a page by the parts of its path. */
  readonly href: (path: readonly string[]) => string;
  readonly nodeText: (name: string) => Markup;
  /** Where the header of a column leads that the list can be sorted by. */
  readonly orderHref?: ((order: string) => string) | undefined;
}

/** The class of a text in the colour of a problem; '' for none. */
export function toneClass(tone: Tone): string {
  return tone === 'warning' || tone === 'critical' ? `t-${tone}` : '';
}

/** A time as an element, to which the script adds the time of the reader's zone. */
export function timePart(atMs: number): Markup {
  return markup`<time datetime="${new Date(atMs).toISOString()}">${formatTime(atMs)}</time>`;
}

/**
 * Returns the word with its meaning, which is shown when it is pointed at, reached by the keyboard, or touched. `text`: what is
 * shown of it. Not inside of what can be used itself.
 */
export function term(word: Word, text: string = word): Markup {
  return markup`<dfn tabindex="0">${text}<span class="tip" role="tooltip">${meanings[word]}</span></dfn>`;
}

/** A section that page.js replaces as a whole. `aside`: next to the title. */
export function panel(
  { id, title, aside }: { readonly id: string; readonly title: string; readonly aside: MarkupContent },
  body: MarkupContent,
): Markup {
  return markup`<section id="${id}" data-part class="panel" aria-labelledby="${id}-title">
<div class="head"><h2 id="${id}-title">${title}</h2>${aside}</div>
${body}
</section>
`;
}

export function emptyText(text: string): Markup {
  return markup`<p class="muted">${text}</p>`;
}
