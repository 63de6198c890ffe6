import type { PageView } from '../views.js';
import type { Links } from './links.js';
import { podList } from './list-pages.js';
import { type Markup, markup } from './markup.js';

export function namespacePage({ data, query }: PageView & { readonly kind: 'namespace' }, links: Links): Markup {
  const { namespace, pods } = data;
  return markup`<h1>Namespace ${namespace.namespace}</h1>
<h2>Pods</h2>${podList({ page: pods, query, links, fixed: ['namespace'] })}`;
}
