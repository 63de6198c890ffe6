import type { Section } from '../dashboard.js';
import { drillDown } from '../links.js';
import { barsPanel, timeSeriesPanel } from '../panels.js';
import {
  acrossShards,
  largest,
  only,
  podsUsed,
  topAtEnd,
  workloadComplete,
  workloadGrowth,
  workloadLabels,
  workloadLegend,
} from '../queries.js';
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
      labels: workloadLabels,
      link: drillDown('workload', 'row'),
      columns: [
        { title: 'Used', expr: biggestWorkloads, unit: units.bytes },
        {
          title: 'Growth per hour',
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
          title: 'Complete',
          expr: only(workloadComplete(), workloadLabels, biggestWorkloads),
          unit: units.none,
          cell: 'coloured',
          thresholds: thresholds(oneSteps, 'red'),
          mappings: words('yes', 'partial'),
        },
      ],
    }),
    timeSeriesPanel({
      title: 'Biggest workloads over time',
      description:
        'The 10 workloads with the highest usage at the end of the time range. A dip of all of them at once is missing data, not less usage.',
      unit: units.bytes,
      span: 12,
      height: 10,
      queries: [
        {
          expr: topAtEnd(10, workloadLabels, (at) => acrossShards('workload_used_bytes', workloadLabels, at)),
          legend: workloadLegend,
        },
      ],
      link: drillDown('workload', 'line'),
    }),
    barsPanel({
      title: 'Biggest namespaces',
      description: 'The 15 namespaces whose pods use the most.',
      unit: units.bytes,
      span: 6,
      height: 10,
      query: {
        expr: `topk(15, sum by (cluster, namespace) (${podsUsed()}))`,
        legend: '{{cluster}} {{namespace}}',
      },
    }),
    barsPanel({
      title: 'Biggest pods',
      description: 'The 15 pods with the highest usage. Click to open the pod.',
      unit: units.bytes,
      span: 6,
      height: 10,
      query: { expr: `topk(15, ${podsUsed()})`, legend: '{{cluster}} {{namespace}}/{{pod}}' },
      link: drillDown('pod', 'line'),
    }),
  ],
};
