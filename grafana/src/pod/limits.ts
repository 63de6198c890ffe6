import type { Section } from '../dashboard.js';
import { limitsTable } from '../limits.js';
import { timeSeriesPanel } from '../panels.js';
import { ioPressure, largest, limitRatios, podLabels } from '../queries.js';
import { ratioSteps, thresholds } from '../states.js';
import { units } from '../units.js';
import { container, itself, volume } from './queries.js';

export const limits: Section = {
  title: 'Limits',
  panels: [
    timeSeriesPanel({
      title: 'Usage of limits',
      description:
        'Usage ÷ limit of each limit that the kubelet enforces: of the pod, of a container, of an emptyDir. The kubelet evicts the pod above 100 %, unless it is static or critical.',
      unit: units.ratio,
      span: 12,
      thresholds: thresholds(ratioSteps),
      queries: [{ expr: limitRatios(itself), legend: '{{rule}} {{container}}{{volume}}' }],
    }),
    limitsTable({
      title: 'Limits now',
      description:
        'The limits of the pod, highest usage first, with the time left at its present growth. Raise the first one, or stop the growth.',
      span: 12,
      labels: ['limit'],
      hidden: ['namespace', 'pod', 'node'],
      matchers: itself.matchers,
      near: '0',
      count: 50,
    }),
    timeSeriesPanel({
      title: 'Inodes (metrics.profile: full)',
      description:
        'Inodes of the pod, of writable layers and logs of its containers, and of its volumes. Many inodes with few bytes are many small files, which can exhaust a node too. Needs metrics.profile: full.',
      unit: units.count,
      span: 12,
      queries: [
        { expr: largest('pod_inodes_used', podLabels, itself), legend: 'pod' },
        {
          expr: largest('container_rootfs_inodes_used', container, itself),
          legend: '{{container}} writable layer',
        },
        { expr: largest('container_logs_inodes_used', container, itself), legend: '{{container}} logs' },
        { expr: largest('volume_inodes_used', volume, itself), legend: 'volume {{volume}}' },
      ],
    }),
    timeSeriesPanel({
      title: 'Age of volume measurements',
      description:
        'The kubelet measures volumes in the background. While "not measured yet" is 1, the total does not include the volumes: a dip is not less usage. The age needs metrics.profile: full.',
      unit: units.seconds,
      span: 12,
      queries: [
        {
          expr: `time() - ${largest('pod_volume_stats_timestamp_seconds', podLabels, itself)}`,
          legend: 'age',
        },
        {
          expr: largest('pod_volume_stats_pending', podLabels, itself),
          legend: 'not measured yet',
        },
      ],
    }),
    timeSeriesPanel({
      title: 'Waiting for disks (metrics.profile: full)',
      description:
        'Share of the time in which at least one task of the pod (stalled: all that could run) waited for input or output. Unknown before Kubernetes 1.34 and without cgroups of version 2. Needs metrics.profile: full.',
      unit: units.ratio,
      span: 24,
      queries: [
        { expr: ioPressure('pod_io_pressure_waiting_seconds_total', itself), legend: 'waiting' },
        { expr: ioPressure('pod_io_pressure_stalled_seconds_total', itself), legend: 'stalled' },
      ],
    }),
  ],
};
