import type { Section } from '../status.js';
import { type Content, type Markup, markup } from './markup.js';

export interface Panel {
  readonly id: Section;
  readonly title: string;
  /** Next to the title. */
  readonly aside?: Content;
  /** Undefined: no data yet, and the section is hidden. */
  readonly body: Content | undefined;
}

/** A section that page.js replaces as a whole. */
export function panel({ id, title, aside, body }: Panel): Markup {
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
