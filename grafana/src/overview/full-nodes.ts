import type { Section } from '../dashboard.js';
import { drillDown } from '../links.js';
import { timeSeriesPanel } from '../panels.js';
import { filesystemLabels, fullness, inodesRatio, inPool, largest, only, topAtEnd } from '../queries.js';
import { ratioSteps, thresholds } from '../states.js';
import { tablePanel } from '../tables.js';
import { units } from '../units.js';

const fullestFilesystems = `topk(20, ${inPool(fullness())})`;

export const nodes: Section = {
  title: 'Full nodes',
  panels: [
    tablePanel({
      title: 'Fullest filesystems',
      description:
        'The 20 filesystems with the smallest available share of bytes or inodes. Headroom is the space left until the kubelet evicts pods; below 0 it evicts: above the default thresholds of Kubernetes, or those of the kubelet with kubelet.readConfig; unknown where a node shows that it has others. Click to open the node.',
      span: 24,
      height: 10,
      clusters: true,
      labels: filesystemLabels,
      link: drillDown('node', 'row', []),
      columns: [
        {
          title: 'Full',
          expr: fullestFilesystems,
          unit: units.ratio,
          decimals: 0,
          cell: 'share',
          thresholds: thresholds(ratioSteps),
        },
        {
          title: 'Available',
          expr: only(largest('node_available_bytes', filesystemLabels), filesystemLabels, fullestFilesystems),
          unit: units.bytes,
        },
        {
          title: 'Capacity',
          expr: only(largest('node_capacity_bytes', filesystemLabels), filesystemLabels, fullestFilesystems),
          unit: units.bytes,
        },
        {
          title: 'Headroom',
          expr: only(largest('node_eviction_headroom_bytes', filesystemLabels), filesystemLabels, fullestFilesystems),
          unit: units.bytes,
          cell: 'coloured',
          thresholds: thresholds([[0, 'ok']], 'critical'),
        },
        {
          title: 'Inodes',
          expr: only(inodesRatio(), filesystemLabels, fullestFilesystems),
          unit: units.ratio,
          decimals: 0,
          cell: 'coloured',
          thresholds: thresholds(ratioSteps),
        },
      ],
    }),
    timeSeriesPanel({
      title: 'Fullest filesystems over time',
      description:
        'The 10 fullest filesystems, by bytes or inodes, at the end of the time range. A steady slope shows when the node will be full; steps are images or jobs.',
      unit: units.ratio,
      span: 24,
      height: 8,
      max: 1,
      queries: [
        {
          expr: topAtEnd(10, filesystemLabels, (at) => inPool(fullness(at))),
          legend: '{{cluster}} {{node}} {{filesystem}}',
        },
      ],
      link: drillDown('node', 'line', []),
    }),
  ],
};
