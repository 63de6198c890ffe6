import { componentColours, ownerColours } from '../colours.js';
import type { Section } from '../dashboard.js';
import { limitsTable } from '../limits.js';
import { drillDown } from '../links.js';
import { timeSeriesPanel } from '../panels.js';
import { largest, only, podGrowth, podLabels, podsUsed, topAtEnd } from '../queries.js';
import { tablePanel } from '../tables.js';
import { units } from '../units.js';
import { itself, ownersOf, usedByPods } from './queries.js';

const biggestPods = `topk(20, ${podsUsed(itself)})`;

export const whoFillsIt: Section = {
  title: 'Usage',
  panels: [
    tablePanel({
      title: 'Biggest pods',
      description:
        'The 20 pods with the highest usage on this node: move or clean them up first. Click to open the pod.',
      span: 14,
      noValue: 'none found',
      labels: ['namespace', 'pod'],
      hidden: ['node'],
      link: drillDown('pod', 'row'),
      columns: [
        { title: 'Used', expr: biggestPods, unit: units.bytes },
        { title: 'Growth/h', expr: only(podGrowth(itself.matchers), podLabels, biggestPods), unit: units.bytes },
        {
          title: 'Limit',
          expr: only(largest('pod_limit_bytes', podLabels, itself), podLabels, biggestPods),
          unit: units.bytes,
        },
      ],
    }),
    timeSeriesPanel({
      title: 'Biggest pods over time',
      description: 'The 10 pods with the highest usage on this node at the end of the time range.',
      unit: units.bytes,
      span: 10,
      queries: [
        {
          expr: topAtEnd(10, podLabels, (at) => podsUsed({ ...itself, ...at })),
          legend: '{{namespace}}/{{pod}}',
        },
      ],
      link: drillDown('pod', 'line'),
    }),
    timeSeriesPanel({
      title: 'Whose bytes the disks hold',
      description:
        'Of nodefs, and of the separate filesystems that the node has. Pods: see the table. Images with ended containers and sandboxes: explain node NODE on the command line lists the largest. Other: neither, on containerd compressed copies of images first, then logs of the system, hostPath data, and deleted files that are still open. When other is large, no pod is to blame.',
      unit: units.bytes,
      span: 12,
      stacked: true,
      colours: ownerColours,
      queries: ownersOf(itself.matchers),
    }),
    timeSeriesPanel({
      title: 'Unused images and compressed copies',
      description:
        'Unused: images that no container of the node’s pods uses, as the kubelet counts them (compressed on containerd, unpacked on CRI-O): what garbage collection can delete. Copies: the most that compressed copies of images take up of other; only on containerd, where the Node lists all images.',
      unit: units.bytes,
      span: 12,
      queries: [
        { expr: largest('node_images_unused_bytes', ['node'], itself), legend: 'Unused' },
        { expr: largest('node_image_content_bytes', ['node'], itself), legend: 'Copies at most' },
      ],
    }),
    timeSeriesPanel({
      title: 'Components',
      description:
        'Components of the usage of all pods on the node: writable layers (rootfs), logs, emptyDirs, configMaps, and the kubelet’s files (other).',
      unit: units.bytes,
      span: 12,
      stacked: true,
      colours: componentColours,
      queries: [
        {
          expr: `sum by (cluster, component) (${largest('pod_component_used_bytes', [...podLabels, 'component'], itself)})`,
          legend: '{{component}}',
        },
      ],
    }),
    timeSeriesPanel({
      title: 'Used and allocatable',
      description:
        'Usage of the pods, and the allocatable bytes of the node, up to which the scheduler places pods by their requests.',
      unit: units.bytes,
      span: 12,
      bounds: 'Allocatable',
      queries: [
        { expr: usedByPods, legend: 'Used by pods' },
        { expr: largest('node_allocatable_bytes', ['node'], itself), legend: 'Allocatable' },
      ],
    }),
    limitsTable({
      title: 'Closest to a limit',
      description:
        'The 20 limits with the highest usage on this node. The kubelet evicts pods above 100 %, except static and critical pods.',
      span: 24,
      labels: ['namespace', 'pod', 'limit'],
      hidden: ['node'],
      link: drillDown('pod', 'row'),
      matchers: itself.matchers,
      near: '0',
      count: 20,
    }),
  ],
};
