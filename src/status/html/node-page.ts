import type { PageView } from '../views.js';
import type { Links } from './links.js';
import { podList } from './list-pages.js';
import { type Markup, markup } from './markup.js';

export function nodePage({ data, query }: PageView & { readonly kind: 'node' }, links: Links): Markup {
  const { node, pods } = data;
  return markup`<h1>Node ${node.node}</h1>
<p id="part-verdict" data-part>${node.verdict?.text}</p>
<h2>Pods</h2>${podList({ page: pods, query, links, fixed: ['node'] })}`;
}
