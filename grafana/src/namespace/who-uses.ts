import type { Section } from '../dashboard.js';
import { limitsTable } from '../limits.js';
import { drillDown } from '../links.js';
import { timeSeriesPanel } from '../panels.js';
import {
  acrossShards,
  evictable,
  largest,
  only,
  podLabels,
  podsUsed,
  topAtEnd,
  workloadGrowth,
  workloadLabels,
} from '../queries.js';
import { usedWhileComplete, workloadWhole } from '../silence.js';
import { oneSteps, thresholds, words } from '../states.js';
import { tablePanel } from '../tables.js';
import { units } from '../units.js';
import { itself } from './queries.js';

const given = ['cluster', 'namespace'];
const biggestWorkloads = `topk(50, ${acrossShards('workload_used_bytes', workloadLabels, itself)})`;
const biggestPods = `topk(20, ${podsUsed(itself)})`;

export const whoUses: Section = {
  title: 'Usage',
  panels: [
    tablePanel({
      title: 'Workloads',
      description:
        'The 50 workloads of the namespace with the highest usage, summed over their measured pods. The values of a partial workload are too low. Click to open the workload.',
      span: 24,
      height: 10,
      noValue: 'none found',
      labels: ['workload', 'workload_type'],
      hidden: ['namespace'],
      link: drillDown('workload', 'row', given),
      columns: [
        { title: 'Used', expr: biggestWorkloads, unit: units.bytes, cell: 'bar' },
        {
          title: 'Growth/h',
          expr: only(workloadGrowth(itself.matchers), workloadLabels, biggestWorkloads),
          unit: units.bytes,
        },
        {
          title: 'Requested',
          expr: only(acrossShards('workload_request_bytes', workloadLabels, itself), workloadLabels, biggestWorkloads),
          unit: units.bytes,
        },
        {
          title: 'Limit',
          expr: only(acrossShards('workload_limit_bytes', workloadLabels, itself), workloadLabels, biggestWorkloads),
          unit: units.bytes,
        },
        {
          title: 'Pods',
          expr: only(acrossShards('workload_pods', workloadLabels, itself), workloadLabels, biggestWorkloads),
          unit: units.count,
        },
        {
          title: 'Whole',
          expr: only(workloadWhole(itself), workloadLabels, biggestWorkloads),
          unit: units.none,
          cell: 'coloured',
          thresholds: thresholds(oneSteps, 'critical'),
          mappings: words('yes', 'partial'),
        },
      ],
    }),
    limitsTable({
      title: 'Limits nearly reached',
      description:
        'The 50 limits closest to eviction, from the share selected at the top: of a pod, of a container and of an emptyDir; static and critical pods are left out. Raise the limit, or find out what grows. Click to open the pod.',
      span: 12,
      labels: ['pod', 'limit'],
      hidden: ['namespace', 'node'],
      link: drillDown('pod', 'row', given),
      matchers: itself.matchers,
      restrict: evictable,
      near: '$near',
      count: 50,
    }),
    tablePanel({
      title: 'Biggest pods',
      description: 'The 20 pods of the namespace with the highest usage. Click to open the pod.',
      span: 12,
      noValue: 'none found',
      labels: ['pod'],
      details: ['node'],
      hidden: ['namespace'],
      link: drillDown('pod', 'row', given),
      columns: [
        { title: 'Used', expr: biggestPods, unit: units.bytes },
        {
          title: 'Limit',
          expr: only(largest('pod_limit_bytes', podLabels, itself), podLabels, biggestPods),
          unit: units.bytes,
        },
      ],
    }),
    timeSeriesPanel({
      title: 'Workloads over time',
      description:
        'The 10 workloads of the namespace with the highest usage at the end of the time range, while all of their pods are measured.',
      unit: units.bytes,
      span: 12,
      queries: [
        {
          expr: only(
            usedWhileComplete(itself.matchers),
            workloadLabels,
            `topk(10, ${acrossShards('workload_used_bytes', workloadLabels, { ...itself, at: 'end' })})`,
          ),
          legend: '{{workload_type}}/{{workload}}',
        },
      ],
      link: drillDown('workload', 'line'),
    }),
    timeSeriesPanel({
      title: 'Pods over time',
      description: 'The 10 pods of the namespace with the highest usage at the end of the time range.',
      unit: units.bytes,
      span: 12,
      queries: [{ expr: topAtEnd(10, podLabels, (at) => podsUsed({ ...itself, ...at })), legend: '{{pod}}' }],
      link: drillDown('pod', 'line'),
    }),
  ],
};
