import type { Section } from '../dashboard.js';
import { drillDown } from '../links.js';
import {
  acrossShards,
  filesystemLabels,
  inPool,
  largest,
  only,
  podGrowth,
  podLabels,
  podsUsed,
  type Selection,
  workloadComplete,
  workloadGrowth,
  workloadLabels,
} from '../queries.js';
import { tablePanel } from '../tables.js';
import { units } from '../units.js';

const fastestPods = `topk(10, ${inPool(podGrowth())} > 0)`;

const yesterday: Selection = { at: 'yesterday' };

function wholeWorkloads(selection?: Selection): string {
  const used = acrossShards('workload_used_bytes', workloadLabels, selection);
  return only(used, workloadLabels, `${workloadComplete(selection)} == 1`);
}

const grownWorkloads = `topk(10, (${wholeWorkloads()} - ${wholeWorkloads(yesterday)}) > 0)`;

const freeSpace = (selection?: Selection): string => largest('node_available_bytes', filesystemLabels, selection);
const grownNodes = `topk(10, ${inPool(`${freeSpace(yesterday)} - ${freeSpace()}`)} > 0)`;

function ofGrownNodes(name: string): string {
  const growth = `${largest(name, filesystemLabels)} - ${largest(name, filesystemLabels, yesterday)}`;
  return only(growth, filesystemLabels, grownNodes);
}

export const whoGrows: Section = {
  title: 'Growth',
  panels: [
    tablePanel({
      title: 'Fastest growing workloads',
      description:
        'The 10 fastest growing workloads: the smaller of the growth of the past hour and of its last 15 minutes. New pods count as growth; moments with unmeasured pods are left out. Endless growth means that rotation or clean-up is missing. Click to open the workload.',
      span: 12,
      noValue: 'none found',
      clusters: true,
      labels: workloadLabels,
      link: drillDown('workload', 'row', []),
      columns: [{ title: 'Growth/h', expr: `topk(10, ${workloadGrowth()} > 0)`, unit: units.bytes, cell: 'bar' }],
    }),
    tablePanel({
      title: 'Fastest growing pods',
      description:
        'The 10 fastest growing pods: the smaller of the growth of the past hour and of its last 15 minutes. Pods without a limit grow until the node is full. Click to open the pod.',
      span: 12,
      noValue: 'none found',
      clusters: true,
      labels: ['namespace', 'pod'],
      hidden: ['node'],
      link: drillDown('pod', 'row', []),
      columns: [
        { title: 'Growth/h', expr: fastestPods, unit: units.bytes, cell: 'bar' },
        { title: 'Used', expr: only(podsUsed(), podLabels, fastestPods), unit: units.bytes },
      ],
    }),
    tablePanel({
      title: 'What grew since yesterday: workloads',
      description:
        'The 10 workloads that use most more than 24 hours ago. Only those with all pods measured, then and now: new workloads are not among them. Click to open the workload.',
      span: 24,
      height: 7,
      noValue: 'none found, or no data of yesterday',
      clusters: true,
      labels: workloadLabels,
      link: drillDown('workload', 'row', []),
      columns: [
        { title: 'Growth/day', expr: grownWorkloads, unit: units.bytes, cell: 'bar' },
        { title: 'Used', expr: only(wholeWorkloads(), workloadLabels, grownWorkloads), unit: units.bytes },
      ],
    }),
    tablePanel({
      title: 'What grew since yesterday: nodes',
      description:
        'The 10 filesystems that lost most available space in 24 hours. Other: what neither pods nor images account for, such as logs of the system. Click to open the node.',
      span: 24,
      height: 7,
      noValue: 'none found, or no data of yesterday',
      clusters: true,
      labels: filesystemLabels,
      link: drillDown('node', 'row', []),
      columns: [
        { title: 'Growth/day', expr: grownNodes, unit: units.bytes, cell: 'bar' },
        { title: 'Pods', expr: ofGrownNodes('node_pods_used_bytes'), unit: units.bytes },
        { title: 'Images', expr: ofGrownNodes('node_images_used_bytes'), unit: units.bytes },
        { title: 'Other', expr: ofGrownNodes('node_unattributed_bytes'), unit: units.bytes },
      ],
    }),
  ],
};
