import type { Section } from '../dashboard.js';
import { timeSeriesPanel } from '../panels.js';
import { acrossShards, by, largest, podLabels, series, workloadGrowth, workloadLabels } from '../queries.js';
import { units } from '../units.js';
import { inNamespaces, itself, ofItsPods } from './queries.js';

const components = largest('pod_component_used_bytes', [...podLabels, 'component'], inNamespaces);

export const overTime: Section = {
  title: 'Over time',
  panels: [
    timeSeriesPanel({
      title: 'Used, requested, limit',
      description:
        'Sum over the measured pods, beside the sums of the requests and limits of those pods that declare one. Used above requested: nodes are filled by more than the scheduler knows.',
      unit: units.bytes,
      span: 16,
      bounds: 'Requested|Limit',
      queries: [
        { expr: acrossShards('workload_used_bytes', workloadLabels, itself), legend: 'Used {{cluster}}' },
        { expr: acrossShards('workload_request_bytes', workloadLabels, itself), legend: 'Requested {{cluster}}' },
        { expr: acrossShards('workload_limit_bytes', workloadLabels, itself), legend: 'Limit {{cluster}}' },
      ],
    }),
    timeSeriesPanel({
      title: 'Pods: expected and measured',
      description:
        'Pods that run for longer than a minute, and those of them that were measured. Where the lines part, the sum beside is too small.',
      unit: units.count,
      span: 8,
      queries: [
        { expr: acrossShards('workload_pods', workloadLabels, itself), legend: 'Expected {{cluster}}' },
        { expr: acrossShards('workload_pods_measured', workloadLabels, itself), legend: 'Measured {{cluster}}' },
        {
          expr: `max ${by(workloadLabels)} (${series('workload_backoff_seconds', itself)} > bool 0)`,
          legend: 'At rest after a failure {{cluster}}',
        },
      ],
    }),
    timeSeriesPanel({
      title: 'Growth per hour',
      description:
        'Slope of the past hour at each moment. Steady above 0: something is never cleaned up. Spikes: jobs and roll-outs.',
      unit: units.bytes,
      span: 12,
      fromZero: false,
      queries: [{ expr: workloadGrowth(itself.matchers), legend: 'Growth {{cluster}}' }],
    }),
    timeSeriesPanel({
      title: 'Components',
      description:
        'What the bytes of its pods are: writable layers (rootfs), logs, emptyDirs, configMaps, and the kubelet’s own files (other). Logs: look at rotation; rootfs: mount an emptyDir for what is written.',
      unit: units.bytes,
      span: 12,
      stacked: true,
      queries: [
        {
          expr: `sum by (cluster, component) (${ofItsPods(components)})`,
          legend: '{{cluster}} {{component}}',
        },
      ],
    }),
  ],
};
