import type { Section } from '../dashboard.js';
import { drillDown } from '../links.js';
import { timeSeriesPanel } from '../panels.js';
import { acrossShards, largest, only, workloadComplete, workloadLabels } from '../queries.js';
import { listPanel, tablePanel } from '../tables.js';
import { units } from '../units.js';

const unmeasured = `${acrossShards('workload_pods', workloadLabels)} - ${acrossShards('workload_pods_measured', workloadLabels)}`;
const partialWorkloads = `topk(50, ${only(unmeasured, workloadLabels, `${workloadComplete()} == 0`)})`;
const absentNodes = only(
  largest('node_absent_info', ['node', 'reason'], { matchers: ['reason!="skipped"'] }),
  ['node'],
  `${largest('node_data_available', ['node'])} == 0`,
);

export const trust: Section = {
  title: 'Data quality',
  panels: [
    listPanel({
      title: 'Nodes without data',
      description:
        'Nodes for which no instance has data, with the reason; skipped nodes are not listed. tls, unauthorized and forbidden: check the settings and permissions of the exporter. timeout, connection and http_status: check the node and the network. Click to open the node.',
      span: 8,
      noValue: 'none found',
      labels: ['node', 'reason'],
      link: drillDown('node', 'row'),
      expr: `topk(50, ${absentNodes})`,
    }),
    tablePanel({
      title: 'Partial workloads',
      description:
        'Workloads with a running pod that is not measured, because its node has no data, it is missing from the summary, or its volumes are not measured yet (the pod then counts as measured). Their totals are too low: a dip is not less usage. Click to open the workload.',
      span: 8,
      noValue: 'none found',
      labels: workloadLabels,
      link: drillDown('workload', 'row'),
      columns: [
        {
          title: 'Unmeasured',
          expr: partialWorkloads,
          unit: units.count,
        },
        {
          title: 'Expected',
          expr: only(acrossShards('workload_pods', workloadLabels), workloadLabels, partialWorkloads),
          unit: units.count,
        },
      ],
    }),
    timeSeriesPanel({
      title: 'Coverage',
      description:
        'Nodes with and without data, pods that are not in the summary of their node (missing), and pods of a summary that the API server does not know (dangling). It shows whether a change is a change of the cluster or a gap in the data.',
      unit: units.count,
      span: 8,
      queries: [
        {
          expr: `sum by (cluster) (${largest('node_data_available', ['node'])})`,
          legend: '{{cluster}} nodes with data',
        },
        {
          expr: `sum by (cluster) (1 - ${largest('node_data_available', ['node'])})`,
          legend: '{{cluster}} nodes without data',
        },
        { expr: `sum by (cluster) (${largest('node_pods_missing', ['node'])})`, legend: '{{cluster}} missing pods' },
        { expr: `sum by (cluster) (${largest('node_pods_dangling', ['node'])})`, legend: '{{cluster}} dangling pods' },
      ],
    }),
  ],
};
