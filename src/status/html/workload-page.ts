import type { PageView } from '../views.js';
import type { Links } from './links.js';
import { podList } from './list-pages.js';
import { type Markup, markup } from './markup.js';

export function workloadPage({ data, query }: PageView & { readonly kind: 'workload' }, links: Links): Markup {
  const { workload, pods } = data;
  return markup`<h1>Workload ${workload.workload}</h1>
<h2>Pods</h2>${podList({ page: pods, query, links, fixed: ['workload'] })}`;
}
