import { coverageColours, resultColours } from '../colours.js';
import type { Section } from '../dashboard.js';
import { drillDown } from '../links.js';
import { timeSeriesPanel } from '../panels.js';
import { tablePanel } from '../tables.js';
import { units } from '../units.js';
import { ageOfNodes, ageQuantile, legend, ofCluster, oldestAge, quantiles, rateOf } from './queries.js';

export const nodes: Section = {
  title: 'Data of the nodes',
  panels: [
    timeSeriesPanel({
      title: 'Nodes by state',
      description:
        'Nodes with data, and nodes without data by reason. Many nodes at once: network, permissions or certificates. One node: that node.',
      unit: units.count,
      decimals: 0,
      span: 12,
      colours: coverageColours,
      queries: [
        { expr: ofCluster('sum', 'node_data_available'), legend: `${legend} with data` },
        { expr: ofCluster('count', 'node_absent_info', ['reason']), legend: `${legend} {{reason}}` },
      ],
    }),
    timeSeriesPanel({
      title: 'Age of the data',
      description:
        'Median, 95th percentile and maximum over the nodes. Above cache.ttl (55 s by default) plus the scrape interval, data is stale. Maximum above it: a kubelet fails. Median above it: a problem of the exporter or the network.',
      unit: units.seconds,
      span: 12,
      queries: [
        { expr: ageQuantile(0.5), legend: `${legend} median` },
        { expr: ageQuantile(0.95), legend: `${legend} 95 %` },
        { expr: oldestAge(), legend: `${legend} oldest` },
      ],
    }),
    timeSeriesPanel({
      title: 'Requests to kubelets',
      description:
        'Requests by result. At most one per node and cache.ttl. timeout: raise kubelet.requestTimeout or check the kubelet. tls, unauthorized, forbidden: settings and permissions.',
      unit: units.perSecond,
      span: 7,
      stacked: true,
      colours: resultColours,
      queries: [{ expr: rateOf('kubelet_requests_total', ['result']), legend: `${legend} {{result}}` }],
    }),
    timeSeriesPanel({
      title: 'Duration of requests to kubelets',
      description:
        'Median, 90th and 99th percentile, including failed requests. Near kubelet.requestTimeout: kubelets are too slow.',
      unit: units.seconds,
      span: 7,
      queries: quantiles('kubelet_request_duration_seconds'),
    }),
    tablePanel({
      title: 'Nodes with the oldest data',
      description: 'The 20 nodes with the oldest data, by instance. Click to open the node.',
      span: 10,
      noValue: 'none found',
      clusters: true,
      labels: ['node', 'instance'],
      hidden: ['job'],
      link: drillDown('node', 'row', []),
      columns: [
        {
          title: 'Age',
          expr: `topk(20, ${ageOfNodes(['job', 'instance'])})`,
          unit: units.seconds,
          decimals: 0,
        },
      ],
    }),
  ],
};
