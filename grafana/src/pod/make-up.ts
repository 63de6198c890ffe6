import { componentColours } from '../colours.js';
import type { Section } from '../dashboard.js';
import { timeSeriesPanel } from '../panels.js';
import { largest, podLabels } from '../queries.js';
import { tablePanel } from '../tables.js';
import { units } from '../units.js';
import { container, itself, volume } from './queries.js';

export const makeUp: Section = {
  title: 'Components',
  panels: [
    timeSeriesPanel({
      title: 'Components',
      description:
        'Writable layers (rootfs), logs, emptyDirs, configMaps and the kubelet’s files (other). They add up to the total of the pod. Logs: check rotation. rootfs: mount an emptyDir for written files. The request needs metrics.profile: full.',
      unit: units.bytes,
      span: 12,
      stacked: true,
      colours: componentColours,
      bounds: 'Limit|Requested',
      queries: [
        {
          expr: largest('pod_component_used_bytes', [...podLabels, 'component'], itself),
          legend: '{{component}}',
        },
        { expr: largest('pod_limit_bytes', podLabels, itself), legend: 'Limit' },
        { expr: largest('pod_request_bytes', podLabels, itself), legend: 'Requested' },
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
      title: 'Writable layers and logs (metrics.profile: full)',
      description:
        'Files that each container has written outside of volumes, and its logs, as reported by the kubelet. Needs metrics.profile: full; the components of the whole pod do not.',
      unit: units.bytes,
      span: 12,
      queries: [
        {
          expr: largest('container_rootfs_used_bytes', container, itself),
          legend: '{{container}} writable layer',
        },
        { expr: largest('container_logs_used_bytes', container, itself), legend: '{{container}} logs' },
      ],
    }),
    timeSeriesPanel({
      title: 'Volumes',
      description:
        'Usage of each volume, and the size limits of emptyDirs. Volumes with counted="true" (emptyDirs on disk and configMaps) are part of the total of the pod; claims and volumes in memory are not. Volumes other than emptyDirs need metrics.profile: full.',
      unit: units.bytes,
      span: 12,
      bounds: 'limit',
      queries: [
        {
          expr: largest('volume_used_bytes', volume, itself),
          legend: '{{volume}} {{type}} {{medium}} counted={{counted}}',
        },
        { expr: largest('volume_limit_bytes', volume, itself), legend: '{{volume}} limit' },
      ],
    }),
    tablePanel({
      title: 'Containers now',
      description:
        'Usage, request and limit of each container. All columns except Attributed need metrics.profile: full.',
      span: 24,
      noValue: 'none found',
      labels: ['container'],
      hidden: ['node'],
      columns: [
        { title: 'Attributed', expr: largest('container_used_bytes', container, itself), unit: units.bytes },
        { title: 'Writable layer', expr: largest('container_rootfs_used_bytes', container, itself), unit: units.bytes },
        { title: 'Logs', expr: largest('container_logs_used_bytes', container, itself), unit: units.bytes },
        { title: 'Request', expr: largest('container_request_bytes', container, itself), unit: units.bytes },
        { title: 'Limit', expr: largest('container_limit_bytes', container, itself), unit: units.bytes },
      ],
    }),
    tablePanel({
      title: 'Volumes now',
      description:
        'The volumes of the pod with usage, size limit, available space of their filesystem, and inodes. An emptyDir without a limit can fill the node. Volumes other than emptyDirs, Available, Capacity and Inodes need metrics.profile: full.',
      span: 24,
      noValue: 'none found',
      labels: ['volume', 'type'],
      details: ['medium', 'counted'],
      hidden: ['node'],
      columns: [
        { title: 'Used', expr: largest('volume_used_bytes', volume, itself), unit: units.bytes },
        { title: 'Size limit', expr: largest('volume_limit_bytes', volume, itself), unit: units.bytes },
        { title: 'Available', expr: largest('volume_available_bytes', volume, itself), unit: units.bytes },
        { title: 'Capacity', expr: largest('volume_capacity_bytes', volume, itself), unit: units.bytes },
        { title: 'Inodes', expr: largest('volume_inodes_used', volume, itself), unit: units.count },
      ],
    }),
  ],
};
