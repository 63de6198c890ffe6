import { coverageColours } from '../colours.js';
import type { Section } from '../dashboard.js';
import { drillDown } from '../links.js';
import { timeSeriesPanel } from '../panels.js';
import {
  acrossShards,
  by,
  largest,
  only,
  series,
  smallest,
  unmeasuredPods,
  workloadComplete,
  workloadLabels,
} from '../queries.js';
import { hour, silentNodes } from '../silence.js';
import { oneSteps, thresholds, words } from '../states.js';
import { tablePanel } from '../tables.js';
import { units } from '../units.js';

const partialWorkloads = `topk(50, ${only(unmeasuredPods(), workloadLabels, `${workloadComplete()} == 0`)})`;

/** Pods of each workload whose volumes are not measured yet. */
const pending = `count ${by(['workload_namespace', 'workload', 'workload_type'])} (${only(
  series('pod_workload_info'),
  ['namespace', 'pod'],
  `${series('pod_volume_stats_pending')} == 1`,
)})`;
const pendingPods = `max ${by(workloadLabels)} (label_join(${pending}, "namespace", "", "workload_namespace"))`;

export const trust: Section = {
  title: 'Data quality',
  panels: [
    tablePanel({
      title: 'Partial workloads',
      description:
        'Workloads whose totals are too low: a dip is not less usage. Unmeasured: pods whose node has no data, or that are missing from its summary. Pending: pods whose volumes are not measured yet. Collected: whether the exporter has data of the workload, or backs off. Click to open the workload.',
      span: 24,
      noValue: 'none found',
      clusters: true,
      labels: workloadLabels,
      link: drillDown('workload', 'row', []),
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
        { title: 'Pending', expr: only(pendingPods, workloadLabels, partialWorkloads), unit: units.count },
        {
          title: 'Collected',
          expr: only(smallest('workload_data_available', workloadLabels), workloadLabels, partialWorkloads),
          unit: units.none,
          cell: 'coloured',
          thresholds: thresholds(oneSteps, 'critical'),
          mappings: words('yes', 'no'),
        },
      ],
    }),
    timeSeriesPanel({
      title: 'Coverage',
      description:
        'Nodes with and without data, pods that are not in the summary of their node (missing), and pods of a summary that the API server does not know (dangling). It shows whether a change is a change of the cluster or a gap in the data.',
      unit: units.count,
      decimals: 0,
      span: 24,
      colours: coverageColours,
      queries: [
        {
          expr: `sum by (cluster) (${largest('node_data_available', ['node'])})`,
          legend: '{{cluster}} nodes with data',
        },
        {
          expr: `sum by (cluster) (${silentNodes(hour)})`,
          legend: '{{cluster}} nodes without data',
        },
        { expr: `sum by (cluster) (${largest('node_pods_missing', ['node'])})`, legend: '{{cluster}} missing pods' },
        { expr: `sum by (cluster) (${largest('node_pods_dangling', ['node'])})`, legend: '{{cluster}} dangling pods' },
      ],
    }),
  ],
};
