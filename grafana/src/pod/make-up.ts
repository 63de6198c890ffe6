import type { Section } from '../dashboard.js';
import { timeSeriesPanel } from '../panels.js';
import { largest, podLabels } from '../queries.js';
import { tablePanel } from '../tables.js';
import { units } from '../units.js';
import { container, itself, volume } from './queries.js';

export const makeUp: Section = {
  title: 'What makes up the number',
  panels: [
    timeSeriesPanel({
      title: 'Components',
      description:
        'Writable layers (rootfs), logs, emptyDirs, configMaps, gitRepos and the kubelet’s own files (other); they add up to the pod’s total. Logs: look at rotation; rootfs: mount an emptyDir for what is written.',
      unit: units.bytes,
      span: 12,
      stacked: true,
      bounds: 'Limit|Requested',
      queries: [
        {
          expr: largest('pod_component_used_bytes', [...podLabels, 'component'], itself),
          legend: '{{cluster}} {{component}}',
        },
        { expr: largest('pod_limit_bytes', podLabels, itself), legend: 'Limit {{cluster}}' },
        { expr: largest('pod_request_bytes', podLabels, itself), legend: 'Requested {{cluster}}' },
      ],
    }),
    timeSeriesPanel({
      title: 'Attributed to containers',
      description:
        'Own files of each container and its share of what the pod shares; they add up to the pod’s total. Tells which container to look at.',
      unit: units.bytes,
      span: 12,
      stacked: true,
      queries: [{ expr: largest('container_used_bytes', container, itself), legend: '{{cluster}} {{container}}' }],
    }),
    timeSeriesPanel({
      title: 'Writable layers and logs',
      description: 'Files that each container wrote outside of volumes, and its logs, as the kubelet reports them.',
      unit: units.bytes,
      span: 12,
      queries: [
        {
          expr: largest('container_rootfs_used_bytes', container, itself),
          legend: '{{cluster}} {{container}} writable layer',
        },
        { expr: largest('container_logs_used_bytes', container, itself), legend: '{{cluster}} {{container}} logs' },
      ],
    }),
    timeSeriesPanel({
      title: 'Volumes',
      description:
        'Bytes in each volume, and the size limits of emptyDirs. Only emptyDirs on disk, configMaps and gitRepos count as ephemeral storage of the pod; claims and volumes in memory do not.',
      unit: units.bytes,
      span: 12,
      bounds: 'limit',
      queries: [
        { expr: largest('volume_used_bytes', volume, itself), legend: '{{cluster}} {{volume}} ({{type}} {{medium}})' },
        { expr: largest('volume_limit_bytes', volume, itself), legend: '{{cluster}} {{volume}} limit' },
      ],
    }),
    tablePanel({
      title: 'Containers now',
      description:
        'What each container uses, requests and is limited to. Init containers that have ended have no row of limits: they hold nothing any more but their layer.',
      span: 12,
      labels: ['container', 'node'],
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
        'All volumes of the pod with what they hold, their own limit, the room in the filesystem below, and inodes. An emptyDir without a limit can fill the node.',
      span: 12,
      labels: volume,
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
