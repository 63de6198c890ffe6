import { componentColours } from '../colours.js';
import type { Section } from '../dashboard.js';
import { timeSeriesPanel } from '../panels.js';
import { largest, podLabels } from '../queries.js';
import { units } from '../units.js';
import { container, itself, volume } from './queries.js';

export const makeUp: Section = {
  title: 'Components',
  panels: [
    timeSeriesPanel({
      title: 'Components',
      description:
        'Writable layers (rootfs), logs, emptyDirs, configMaps and the kubelet’s files (other). They add up to the total of the pod. Logs: check rotation. rootfs: mount an emptyDir for written files.',
      unit: units.bytes,
      span: 12,
      stacked: true,
      colours: componentColours,
      bounds: 'Limit',
      queries: [
        {
          expr: largest('pod_component_used_bytes', [...podLabels, 'component'], itself),
          legend: '{{component}}',
        },
        { expr: largest('pod_limit_bytes', podLabels, itself), legend: 'Limit' },
      ],
    }),
    timeSeriesPanel({
      title: 'Attributed to containers',
      description:
        'Files of each container and its share of volumes. They add up to the total of the pod. It shows which container to look at.',
      unit: units.bytes,
      span: 12,
      stacked: true,
      queries: [{ expr: largest('container_used_bytes', container, itself), legend: '{{container}}' }],
    }),
    timeSeriesPanel({
      title: 'Volumes',
      description:
        'Usage of each volume, and the size limits of emptyDirs. Volumes with counted="true" (emptyDirs on disk and configMaps) are part of the total of the pod; claims and volumes in memory are not. Volumes other than emptyDirs need metrics.profile: full.',
      unit: units.bytes,
      span: 24,
      bounds: 'limit',
      queries: [
        {
          expr: largest('volume_used_bytes', volume, itself),
          legend: '{{volume}} {{type}} {{medium}} counted={{counted}}',
        },
        { expr: largest('volume_limit_bytes', volume, itself), legend: '{{volume}} limit' },
      ],
    }),
  ],
};
