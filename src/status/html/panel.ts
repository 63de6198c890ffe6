import type { Problem } from '../status.js';
import { type Markup, markup, type MarkupContent } from './markup.js';

/** A section that page.js replaces as a whole. */
export function panel({
  id,
  title,
  aside,
  body,
}: {
  readonly id: Problem['section'];
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
