import { formatCount } from '../../../lib/base/text.js';
import { formatBytes } from '../../../lib/base/units.js';
import { emptyText, panel } from '../../pens/html-kit.js';
import { type Markup, markup } from '../../pens/markup.js';
import type { Status } from '../status.js';
import type { PageView } from '../views.js';
import type { Links } from './links.js';
import { podList, workloadTable } from './list-pages.js';
import { objectLinkList } from './object-links.js';
import { evictionItems, factList } from './object-parts.js';
import { moreText } from './texts.js';

type NamespaceView = PageView & { readonly kind: 'namespace' };

/** What its pods use in all, and each workload and pod of it. */
export function namespacePage({ data, query }: NamespaceView, links: Links, status: Status): Markup {
  const { namespace: of, pods, workloads, evictions } = data;
  const { namespace, usedBytes, measuredPodCount, unmeasuredPodCount, nearLimitPodCount, evictionCount } = of;
  const isPart = unmeasuredPodCount > 0 || of.isUnlisted;
  return markup`<h1>Namespace <span class="name">${namespace}</span></h1>
${objectLinkList(status.links, { cluster: status.clusterName, namespace })}
<div id="part-facts" data-part>${of.isUnlisted ? markup`<p class="banner warning verdict">Its pods cannot be listed: limits are unknown, and values are what kubelets report.</p>` : undefined}${factList(
    {
      Used: markup`<strong>${isPart ? 'at least ' : ''}${measuredPodCount === 0 ? '-' : formatBytes(usedBytes)}</strong>`,
      'Pods measured': formatCount(measuredPodCount),
      'Not measured':
        unmeasuredPodCount === 0
          ? '0'
          : links.list('pods', { namespace, only: 'unknown' }, formatCount(unmeasuredPodCount)),
      'Near a limit':
        nearLimitPodCount === 0 ? '0' : links.list('pods', { namespace, only: 'near' }, formatCount(nearLimitPodCount)),
      Evictions: evictionCount === 0 ? '0' : links.list('evictions', { namespace }, formatCount(evictionCount)),
    },
  )}</div>
${panel({
  id: 'workloads',
  title: 'Largest workloads',
  body: markup`${workloads.items.length === 0 ? emptyText('No pods belong to a workload.') : workloadTable(workloads.items, links)}${moreText(workloads, 'workloads', markup`: ${links.list('workloads', { namespace }, 'all')}`)}`,
})}
<section class="panel" aria-labelledby="pods-title"><div class="head"><h2 id="pods-title">Pods</h2></div>${podList({ page: pods, query, links, fixed: ['namespace'] })}</section>
${panel({
  id: 'evictions',
  title: 'Evictions',
  body: evictions.length === 0 ? emptyText('No eviction of its pods is remembered.') : evictionItems(evictions, links),
})}`;
}
