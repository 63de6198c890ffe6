import type { Section } from '../dashboard.js';
import { drillDown } from '../links.js';
import { timeSeriesPanel } from '../panels.js';
import { tablePanel } from '../tables.js';
import { units } from '../units.js';
import { ageQuantile, asTold, largestOfNode, legend, quantiles, rateOf } from './queries.js';

export const nodes: Section = {
  title: 'Data of the nodes',
  panels: [
    timeSeriesPanel({
      title: 'Nodes by state',
      description:
        'Nodes with data, and those without by reason. A step down of many at once: network, rights or certificates; of one: that node.',
      unit: units.count,
      span: 12,
      queries: [
        { expr: asTold('sum', 'node_up'), legend: `${legend} with data` },
        { expr: asTold('count', 'node_absent_info', ['reason']), legend: `${legend} {{reason}}` },
      ],
    }),
    timeSeriesPanel({
      title: 'Age of the data',
      description:
        'Median, 95th percentile and maximum over the nodes. Above the TTL of the cache (55 s by default) data is stale; a maximum above it is a kubelet that fails, a median above it is the exporter or the network.',
      unit: units.seconds,
      span: 12,
      queries: [
        { expr: ageQuantile(0.5), legend: `${legend} median` },
        { expr: ageQuantile(0.95), legend: `${legend} 95 %` },
        { expr: asTold('max', 'node_summary_age_seconds'), legend: `${legend} oldest` },
      ],
    }),
    timeSeriesPanel({
      title: 'Look-ups of the cache',
      description:
        'How each scrape got the data of nodes: fresh from the cache, refreshed by a request, stale, or absent. Stale and absent should be near 0.',
      unit: units.perSecond,
      span: 8,
      stacked: true,
      queries: [{ expr: rateOf('cache_lookups_total', ['result']), legend: `${legend} {{result}}` }],
    }),
    timeSeriesPanel({
      title: 'Requests to kubelets',
      description:
        'Requests by result. At most one per node and TTL. timeout: raise kubelet.requestTimeout or look at the kubelet; tls, unauthorized, forbidden: settings and rights.',
      unit: units.perSecond,
      span: 8,
      stacked: true,
      queries: [{ expr: rateOf('kubelet_requests_total', ['result']), legend: `${legend} {{result}}` }],
    }),
    timeSeriesPanel({
      title: 'Duration of requests to kubelets',
      description:
        'Median, 90th and 99th percentile, failed requests included. Near kubelet.requestTimeout: kubelets are too slow for it.',
      unit: units.seconds,
      span: 8,
      queries: quantiles('kubelet_request_duration_seconds'),
    }),
    timeSeriesPanel({
      title: 'Requests for kubelets’ configuration',
      description:
        'Requests by result; only with kubelet.readConfig. forbidden: the ClusterRole lacks nodes/configz, and eviction headroom is unknown.',
      unit: units.perSecond,
      span: 12,
      stacked: true,
      queries: [{ expr: rateOf('kubelet_config_requests_total', ['result']), legend: `${legend} {{result}}` }],
    }),
    tablePanel({
      title: 'Nodes with the oldest data',
      description: 'The 20 nodes with the oldest data, as each instance has it. A click opens the node.',
      span: 12,
      labels: ['instance', 'node'],
      link: drillDown('node', 'row'),
      columns: [
        {
          title: 'Age',
          expr: `topk(20, ${largestOfNode('node_summary_age_seconds', ['job', 'instance'])})`,
          unit: units.seconds,
          decimals: 0,
        },
      ],
    }),
  ],
};
