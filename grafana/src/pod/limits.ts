import type { Section } from '../dashboard.js';
import { limitsTable } from '../limits.js';
import { timeSeriesPanel } from '../panels.js';
import { largest, limitRatios, podLabels } from '../queries.js';
import { ratioSteps, thresholds } from '../states.js';
import { units } from '../units.js';
import { container, itself, volume } from './queries.js';

export const limits: Section = {
  title: 'Limits',
  panels: [
    timeSeriesPanel({
      title: 'Usage of limits',
      description:
        'Usage ÷ limit of each rule that the kubelet evicts for: the pod’s total, one container, one emptyDir. Above 100 % the pod is evicted, unless it is static or critical.',
      unit: units.ratio,
      span: 12,
      thresholds: thresholds(ratioSteps),
      queries: [{ expr: limitRatios(itself), legend: '{{cluster}} {{rule}} {{container}}{{volume}}' }],
    }),
    limitsTable({
      title: 'Limits now',
      description:
        'Its limits, most used first, with the time that is left by the trend of the past hour. Raise the first, or stop what grows.',
      span: 12,
      matchers: itself.matchers,
      near: '0',
      count: 50,
    }),
    timeSeriesPanel({
      title: 'Inodes',
      description:
        'Inodes of the pod, of its containers’ layers and logs, and of its volumes. Many inodes with few bytes: many small files, which can exhaust a node as well.',
      unit: units.count,
      span: 12,
      queries: [
        { expr: largest('pod_inodes_used', podLabels, itself), legend: '{{cluster}} pod' },
        {
          expr: largest('container_rootfs_inodes_used', container, itself),
          legend: '{{cluster}} {{container}} writable layer',
        },
        { expr: largest('container_logs_inodes_used', container, itself), legend: '{{cluster}} {{container}} logs' },
        { expr: largest('volume_inodes_used', volume, itself), legend: '{{cluster}} volume {{volume}}' },
      ],
    }),
    timeSeriesPanel({
      title: 'Age of the volumes’ figures',
      description:
        'The kubelet measures volumes in the background, later than the rest. A series of "not measured yet" means that the total is too small by the volumes’ bytes: do not read a dip as a drop.',
      unit: units.seconds,
      span: 12,
      queries: [
        {
          expr: `time() - ${largest('pod_volume_stats_timestamp_seconds', podLabels, itself)}`,
          legend: '{{cluster}} age',
        },
        {
          expr: largest('pod_volume_stats_pending', podLabels, itself),
          legend: '{{cluster}} not measured yet',
        },
      ],
    }),
  ],
};
