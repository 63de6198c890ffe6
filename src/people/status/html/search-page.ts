import { formatCount } from '../../../lib/base/text.js';
import { timePart } from '../../pens/html-kit.js';
import { type Markup, markup, type MarkupContent } from '../../pens/markup.js';
import type { ListPage } from '../../query/list-page.js';
import type { ListKind } from '../../query/list-query.js';
import { referenceName } from '../problem-texts.js';
import type { PageView } from '../views.js';
import type { Links } from './links.js';

/** What was found of each kind, with a link to all of it. */
export function searchPage({ data, query }: PageView & { readonly kind: 'search' }, links: Links): Markup {
  const words = query.given['search'] ?? '';
  const found = [
    part('pods', data.pods, ({ namespace, pod }) => links.pod({ namespace, pod })),
    part('workloads', data.workloads, (of) => markup`${links.workload(of, referenceName(of))} ${of.workloadType}`),
    part('nodes', data.nodes, ({ node }) => links.node(node)),
    part('namespaces', data.namespaces, ({ namespace }) => links.namespace(namespace)),
    part('evictions', data.evictions, (of) =>
      links.eviction(of.uid, markup`${of.namespace}/${of.pod}, ${timePart(of.evictedAtMs)}`),
    ),
  ];
  const title = words === '' ? markup`<h1>Search</h1>` : markup`<h1>Search for <q>${words}</q></h1>`;
  const none = found.every((section) => section === undefined);
  return markup`${title}
<div id="part-found" data-part>${none ? markup`<p class="muted">No pod, workload, node, namespace or eviction has this in its name.</p>` : found}</div>`;

  function part<T>(kind: ListKind, page: ListPage<T>, linkOf: (item: T) => MarkupContent): Markup | undefined {
    if (page.items.length === 0) return undefined;
    const moreCount = page.totalCount - page.items.length;
    const more = moreCount > 0 ? links.list(kind, { search: words }, `and ${formatCount(moreCount)} more`) : undefined;
    return markup`<section class="panel" aria-labelledby="found-${kind}"><h2 id="found-${kind}">${kind}</h2><ul>${page.items.map((item) => markup`<li>${linkOf(item)}</li>`)}</ul>${more}</section>`;
  }
}
