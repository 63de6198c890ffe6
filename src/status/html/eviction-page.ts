import type { PageView } from '../views.js';
import type { Links } from './links.js';
import { type Markup, markup } from './markup.js';
import { timeText } from './texts.js';

export function evictionPage({ data }: PageView & { readonly kind: 'eviction' }, links: Links): Markup {
  return markup`<h1>Eviction of pod ${links.pod(data)}</h1>
<p>${timeText(data.evictedAtMs)}: ${data.verdict?.text}</p>`;
}
