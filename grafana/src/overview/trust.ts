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
  `${largest('node_up', ['node'])} == 0`,
);

export const trust: Section = {
  title: 'Can this be trusted?',
  panels: [
    listPanel({
      title: 'Nodes without data',
      description:
        'Nodes that no instance has data of, with the reason; those that are skipped on purpose are not listed. tls, unauthorized and forbidden are settings of the exporter; timeout, connection and http_status are troubles of the node or the network. A click opens the node.',
      span: 8,
      noValue: 'none known',
      labels: ['node', 'reason'],
      link: drillDown('node', 'row'),
      expr: `topk(50, ${absentNodes})`,
    }),
    tablePanel({
      title: 'Partial workloads',
      description:
        'Workloads of which a running pod was not measured, most unmeasured pods first: on a node without data, missing from its summary, or with volumes that the kubelet has not measured yet (then no pod is listed as unmeasured). Their sums are too small; do not read a dip as a drop.',
      span: 8,
      noValue: 'none known',
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
        'Nodes with and without data, and pods that are on a node but not in its summary (missing) or in its summary but unknown to the API server (dangling). Use it to tell a change of the cluster from a gap in the data.',
      unit: units.count,
      span: 8,
      queries: [
        { expr: `sum by (cluster) (${largest('node_up', ['node'])})`, legend: '{{cluster}} nodes with data' },
        { expr: `sum by (cluster) (1 - ${largest('node_up', ['node'])})`, legend: '{{cluster}} nodes without data' },
        { expr: `sum by (cluster) (${largest('node_pods_missing', ['node'])})`, legend: '{{cluster}} missing pods' },
        { expr: `sum by (cluster) (${largest('node_pods_dangling', ['node'])})`, legend: '{{cluster}} dangling pods' },
      ],
    }),
  ],
};
