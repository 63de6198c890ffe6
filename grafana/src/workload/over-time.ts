import { componentColours } from '../colours.js';
import type { Section } from '../dashboard.js';
import { timeSeriesPanel } from '../panels.js';
import { acrossShards, largest, podLabels, smallest, workloadLabels } from '../queries.js';
import { usedWhileComplete } from '../silence.js';
import { units } from '../units.js';
import { inNamespaces, itself, ofItsPods } from './queries.js';

const components = largest('pod_component_used_bytes', [...podLabels, 'component'], inNamespaces);

export const overTime: Section = {
  title: 'Over time',
  panels: [
    timeSeriesPanel({
      title: 'Used, requested, limit',
      description:
        'Sum over the measured pods, left out for as long as some are not; with the sums of the requests and limits of its pods that declare one. Usage above requests: the scheduler does not know how much the nodes hold.',
      unit: units.bytes,
      span: 16,
      bounds: 'Requested|Limit',
      queries: [
        { expr: usedWhileComplete(itself.matchers), legend: 'Used' },
        { expr: acrossShards('workload_request_bytes', workloadLabels, itself), legend: 'Requested' },
        { expr: acrossShards('workload_limit_bytes', workloadLabels, itself), legend: 'Limit' },
      ],
    }),
    timeSeriesPanel({
      title: 'Pods: expected and measured',
      description:
        'Pods that have been running for more than a minute, and the measured ones. Where the lines differ, the total is too low. Not collected: 1 while the exporter has no data of the workload and backs off.',
      unit: units.count,
      decimals: 0,
      span: 8,
      queries: [
        { expr: acrossShards('workload_pods', workloadLabels, itself), legend: 'Expected' },
        { expr: acrossShards('workload_pods_measured', workloadLabels, itself), legend: 'Measured' },
        {
          expr: `1 - ${smallest('workload_data_available', workloadLabels, itself)}`,
          legend: 'Not collected',
        },
      ],
    }),
    timeSeriesPanel({
      title: 'Components',
      description:
        'Components of the usage of its pods: writable layers (rootfs), logs, emptyDirs, configMaps, and the kubelet’s files (other). Logs: check rotation. rootfs: mount an emptyDir for written files.',
      unit: units.bytes,
      span: 24,
      stacked: true,
      colours: componentColours,
      queries: [
        {
          expr: `sum by (cluster, component) (${ofItsPods(components)})`,
          legend: '{{component}}',
        },
      ],
    }),
  ],
};
