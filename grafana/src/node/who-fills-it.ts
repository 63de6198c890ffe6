import type { Section } from '../dashboard.js';
import { limitsTable } from '../limits.js';
import { drillDown } from '../links.js';
import { barsPanel, timeSeriesPanel } from '../panels.js';
import { largest, only, podGrowth, podLabels, podsUsed, topAtEnd } from '../queries.js';
import { tablePanel } from '../tables.js';
import { units } from '../units.js';
import { itself, partsOfNodefs, usedByPods } from './queries.js';

const biggestPods = `topk(20, ${podsUsed(itself)})`;
const requested = `sum by (cluster) (${largest('pod_request_bytes', podLabels, itself)})`;

export const whoFillsIt: Section = {
  title: 'Who fills it',
  panels: [
    tablePanel({
      title: 'Biggest pods',
      description: 'The 20 pods that use most on this node: whom to move or clean up first. A click opens the pod.',
      span: 12,
      labels: ['namespace', 'pod'],
      link: drillDown('pod', 'row'),
      columns: [
        { title: 'Used', expr: biggestPods, unit: units.bytes },
        { title: 'Growth per hour', expr: only(podGrowth(itself.matchers), podLabels, biggestPods), unit: units.bytes },
        {
          title: 'Requested',
          expr: only(largest('pod_request_bytes', podLabels, itself), podLabels, biggestPods),
          unit: units.bytes,
        },
        {
          title: 'Limit',
          expr: only(largest('pod_limit_bytes', podLabels, itself), podLabels, biggestPods),
          unit: units.bytes,
        },
      ],
    }),
    barsPanel({
      title: 'What fills nodefs',
      description:
        'The bytes used on nodefs: images with the writable layers of containers (where they have no disk of their own), logs and volumes of pods, and what neither tells of. Images: remove unused ones; pods: see the table beside; the rest: journals, core dumps, deleted files that are still open.',
      unit: units.bytes,
      span: 4,
      query: { expr: partsOfNodefs(), legend: '{{cluster}} {{component}}' },
    }),
    timeSeriesPanel({
      title: 'Biggest pods over time',
      description: 'The 10 pods on this node that use most at the end of the time range.',
      unit: units.bytes,
      span: 8,
      queries: [
        {
          expr: topAtEnd(10, podLabels, (at) => podsUsed({ ...itself, ...at })),
          legend: '{{cluster}} {{namespace}}/{{pod}}',
        },
      ],
      link: drillDown('pod', 'line'),
    }),
    timeSeriesPanel({
      title: 'Components',
      description:
        'What the bytes of all pods on the node are: writable layers (rootfs), logs, emptyDirs, configMaps, and the kubelet’s own files (other).',
      unit: units.bytes,
      span: 12,
      stacked: true,
      queries: [
        {
          expr: `sum by (cluster, component) (${largest('pod_component_used_bytes', [...podLabels, 'component'], itself)})`,
          legend: '{{cluster}} {{component}}',
        },
      ],
    }),
    timeSeriesPanel({
      title: 'Used, requested, allocatable',
      description:
        'Used by pods and requested by them, beside what the scheduler gives away. Used far above requested: the scheduler sends more pods than the disk can take; set requests.',
      unit: units.bytes,
      span: 12,
      bounds: 'Allocatable',
      queries: [
        { expr: usedByPods, legend: 'Used by pods {{cluster}}' },
        { expr: requested, legend: 'Requested {{cluster}}' },
        { expr: largest('node_allocatable_bytes', ['node'], itself), legend: 'Allocatable {{cluster}}' },
      ],
    }),
    limitsTable({
      title: 'Closest to a limit',
      description:
        'The 20 limits of pods on this node that are most used, whatever their share. Above 100 % the kubelet evicts the pod, static and critical ones excepted.',
      span: 16,
      matchers: itself.matchers,
      near: '0',
      count: 20,
    }),
    barsPanel({
      title: 'Pods with most inodes',
      description: 'The 10 pods on this node that use most inodes: many small files.',
      unit: units.count,
      span: 8,
      query: {
        expr: `topk(10, ${largest('pod_inodes_used', podLabels, itself)})`,
        legend: '{{cluster}} {{namespace}}/{{pod}}',
      },
      link: drillDown('pod', 'line'),
    }),
  ],
};
