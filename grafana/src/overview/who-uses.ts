import type { Section } from '../dashboard.js';
import { drillDown } from '../links.js';
import { timeSeriesPanel } from '../panels.js';
import {
  acrossShards,
  inPool,
  largest,
  only,
  podsUsed,
  workloadGrowth,
  workloadLabels,
  workloadLegend,
} from '../queries.js';
import { usedWhileComplete, workloadWhole } from '../silence.js';
import { oneSteps, thresholds, words } from '../states.js';
import { tablePanel } from '../tables.js';
import { units } from '../units.js';

const used = acrossShards('workload_used_bytes', workloadLabels);
const biggestWorkloads = `topk(20, ${used})`;

export const whoUses: Section = {
  title: 'Usage',
  panels: [
    tablePanel({
      title: 'Biggest workloads',
      description:
        'The 20 workloads with the highest usage, summed over their pods. If one pod has a large share, look at that pod; else at the workload. The values of a partial workload are too low. Click to open the workload.',
      span: 24,
      height: 10,
      clusters: true,
      labels: workloadLabels,
      link: drillDown('workload', 'row', []),
      columns: [
        { title: 'Used', expr: biggestWorkloads, unit: units.bytes },
        {
          title: 'Growth/h',
          expr: only(workloadGrowth(), workloadLabels, biggestWorkloads),
          unit: units.bytes,
        },
        {
          title: 'Largest pod',
          expr: only(largest('workload_pod_max_used_bytes', workloadLabels), workloadLabels, biggestWorkloads),
          unit: units.bytes,
        },
        {
          title: 'Requested',
          expr: only(acrossShards('workload_request_bytes', workloadLabels), workloadLabels, biggestWorkloads),
          unit: units.bytes,
        },
        {
          title: 'Limit',
          expr: only(acrossShards('workload_limit_bytes', workloadLabels), workloadLabels, biggestWorkloads),
          unit: units.bytes,
        },
        {
          title: 'Pods',
          expr: only(acrossShards('workload_pods', workloadLabels), workloadLabels, biggestWorkloads),
          unit: units.count,
        },
        {
          title: 'Whole',
          expr: only(workloadWhole(), workloadLabels, biggestWorkloads),
          unit: units.none,
          cell: 'coloured',
          thresholds: thresholds(oneSteps, 'critical'),
          mappings: words('yes', 'partial'),
        },
      ],
    }),
    timeSeriesPanel({
      title: 'Biggest workloads over time',
      description:
        'The 10 workloads with the highest usage at the end of the time range, while all of their pods are measured.',
      unit: units.bytes,
      span: 24,
      height: 10,
      queries: [
        {
          expr: only(
            usedWhileComplete(),
            workloadLabels,
            `topk(10, ${acrossShards('workload_used_bytes', workloadLabels, { at: 'end' })})`,
          ),
          legend: workloadLegend,
        },
      ],
      link: drillDown('workload', 'line', []),
    }),
    tablePanel({
      title: 'Biggest namespaces',
      description: 'The 10 namespaces whose pods use the most. Click to open the namespace.',
      span: 10,
      height: 10,
      noValue: 'none found',
      clusters: true,
      labels: ['namespace'],
      link: drillDown('namespace', 'row', []),
      columns: [
        {
          title: 'Used',
          expr: `topk(10, sum by (cluster, namespace) (${podsUsed()}))`,
          unit: units.bytes,
          cell: 'bar',
        },
      ],
    }),
    tablePanel({
      title: 'Biggest pods',
      description: 'The 10 pods with the highest usage. Click to open the pod.',
      span: 14,
      height: 10,
      noValue: 'none found',
      clusters: true,
      labels: ['namespace', 'pod'],
      details: ['node'],
      link: drillDown('pod', 'row', []),
      columns: [{ title: 'Used', expr: `topk(10, ${inPool(podsUsed())})`, unit: units.bytes, cell: 'bar' }],
    }),
  ],
};
