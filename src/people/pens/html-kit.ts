import { formatTime } from '../../lib/base/units.js';
import type { Tone } from './document.js';
import { type Markup, markup, type MarkupContent } from './markup.js';
import { meanings, type Word } from './words.js';

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

/** A table whose rows become blocks on small screens: therefore it names the roles. `columns`: by their headers. */
export function dataTable(
  className: string,
  caption: string,
  columns: Readonly<Record<string, 'text' | 'number'>>,
  rows: readonly Markup[],
): Markup {
  const headers = Object.entries(columns).map(
    ([header, kind]) =>
      markup`<th scope="col" role="columnheader"${kind === 'number' ? markup` class="number"` : undefined}>${header}</th>`,
  );
  return markup`<table class="${className}" role="table"><caption class="visually-hidden">${caption}</caption>
<thead role="rowgroup"><tr role="row">${headers}</tr></thead>
<tbody role="rowgroup">${rows}</tbody></table>`;
}

/** A section that page.js replaces as a whole. */
export function panel({
  id,
  title,
  aside,
  body,
}: {
  readonly id: string;
  readonly title: string;
  /** Next to the title. */
  readonly aside?: MarkupContent;
  /** Undefined: no data yet, and the section is hidden. */
  readonly body: MarkupContent | undefined;
}): Markup {
  const hidden = body === undefined ? markup` hidden` : undefined;
  return markup`<section id="${id}" data-part class="panel" aria-labelledby="${id}-title"${hidden}>
<div class="head"><h2 id="${id}-title">${title}</h2>${aside}</div>
${body}
</section>
`;
}

export function emptyText(text: string): Markup {
  return markup`<p class="muted">${text}</p>`;
}
