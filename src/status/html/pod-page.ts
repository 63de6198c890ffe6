import { formatBytes } from '../../base/units.js';
import type { PageView } from '../views.js';
import type { Links } from './links.js';
import { type Markup, markup } from './markup.js';

export function podPage({ data }: PageView & { readonly kind: 'pod' }, links: Links): Markup {
  const [first] = data.pods;
  const name = first ?? data.evictions[0];
  return markup`<h1>Pod ${name?.namespace}/${name?.pod}</h1>
${data.pods.map((pod) =>
  pod.state === 'unmeasured'
    ? markup`<p>${pod.reason}</p>`
    : markup`<p>${formatBytes(pod.usedBytes)} on ${links.node(pod.node)}</p>`,
)}`;
}
