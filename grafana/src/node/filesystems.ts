import type { Section } from '../dashboard.js';
import { timeSeriesPanel } from '../panels.js';
import { filesystemLabels, filesystemRatio, inodesRatio, ioPressure, largest } from '../queries.js';
import { units } from '../units.js';
import { itself } from './queries.js';

const thresholdLabels = [...filesystemLabels, 'threshold'];

export const filesystems: Section = {
  title: 'Filesystems',
  panels: [
    timeSeriesPanel({
      title: 'Space',
      description:
        'Used and available bytes and capacity of each filesystem. nodefs holds logs, emptyDirs and, without a separate filesystem, images and writable layers. For imagefs and containerfs, used is the usage of images and layers.',
      unit: units.bytes,
      span: 12,
      bounds: 'capacity',
      queries: [
        { expr: largest('node_used_bytes', filesystemLabels, itself), legend: '{{filesystem}} used' },
        {
          expr: largest('node_available_bytes', filesystemLabels, itself),
          legend: '{{filesystem}} available',
        },
        {
          expr: largest('node_capacity_bytes', filesystemLabels, itself),
          legend: '{{filesystem}} capacity',
        },
      ],
    }),
    timeSeriesPanel({
      title: 'Share of space and inodes in use',
      description:
        'Shares that are not available. A filesystem without free inodes is as full as one without free bytes: look for pods with many small files.',
      unit: units.ratio,
      span: 12,
      max: 1,
      queries: [
        { expr: filesystemRatio(itself), legend: '{{filesystem}} space' },
        { expr: inodesRatio(itself), legend: '{{filesystem}} inodes' },
      ],
    }),
    timeSeriesPanel({
      title: 'Eviction headroom',
      description:
        'Available bytes above the hard eviction threshold. The kubelet evicts pods below 0. Assumed: the default threshold of Kubernetes, see kubelet.readConfig.',
      unit: units.bytes,
      span: 12,
      fromZero: false,
      bounds: 'threshold',
      queries: [
        {
          expr: largest('node_eviction_headroom_bytes', thresholdLabels, itself),
          legend: '{{filesystem}} headroom, {{threshold}}',
        },
        {
          expr: largest('node_eviction_threshold_bytes', thresholdLabels, itself),
          legend: '{{filesystem}} {{threshold}} threshold',
        },
      ],
    }),
    timeSeriesPanel({
      title: 'Waiting for disks',
      description:
        'Share of the time in which at least one task of the node (stalled: all that could run) waited for input or output. High with free space: the disk is slow, not full. Unknown before Kubernetes 1.34 and without cgroups of version 2.',
      unit: units.ratio,
      span: 12,
      queries: [
        { expr: ioPressure('node_io_pressure_waiting_seconds_total', itself), legend: 'waiting' },
        { expr: ioPressure('node_io_pressure_stalled_seconds_total', itself), legend: 'stalled' },
      ],
    }),
  ],
};
