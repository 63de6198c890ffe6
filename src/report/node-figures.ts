import type { FigureRule, SeriesOfPage } from './figure-sources.js';
import { soonMs } from './limit-report.js';
import type { ListFigures } from './list-figures.js';

const assumedNote = 'A threshold that is assumed has no series but that of the time.';

/** Of each node, that of the filesystem where it is the smallest part of the threshold. */
const headroomQueries = (['bytes', 'inodes'] as const).map((unit) => ({ of }: SeriesOfPage): string => {
  const headroom = of(`node_eviction_headroom_${unit}`);
  const ratio = `${headroom} / ${of(`node_eviction_threshold_${unit}`)}`;
  return `${headroom} and ${ratio} == on (node) group_left () min by (node) (${ratio})`;
});

const timeRule: FigureRule = {
  name: 'Time to eviction',
  text: 'Headroom ÷ growth in the last measurements, of the threshold that is crossed first; 0 below one.',
  queries: [({ of }) => `min by (node) (${of('node_time_to_eviction_seconds')})`],
};

/** By node: the part of the fullest filesystem that is not free. */
function fullest({ of }: SeriesOfPage): string {
  return `max by (node) (1 - ${of('node_available_bytes')} / ${of('node_capacity_bytes')})`;
}

export const nodeFigures: ListFigures = {
  labels: { names: [['node']] },
  rules: [
    {
      name: 'Fullest disk; the mark is the threshold',
      text: '1 - available ÷ capacity, of the filesystem where that is highest; and the threshold.',
      queries: [fullest, ({ of }) => of('node_eviction_threshold_bytes')],
    },
    {
      name: 'Headroom',
      text: `Available bytes, or free inodes, above the threshold that is nearest. Shown of nodes that are close to one. ${assumedNote}`,
      queries: headroomQueries,
    },
    timeRule,
    {
      name: 'Pods',
      text: 'Pods that are measured, of these and those that have been running for a minute. Pods that the API server does not know have series, and do not count here.',
      queries: [({ of }) => `count by (node) (${of('pod_used_bytes')})`, ({ of }) => of('node_pods_missing')],
    },
  ],
  notes: ['Nodes without data are shown with their last values, and have no series of them.'],
};

/** By node, in bytes or inodes: what the kubelet reports of each as a part that is not free. */
export function fullestOfAny({ of }: SeriesOfPage): string {
  const bytes = `1 - ${of('node_available_bytes')} / ${of('node_capacity_bytes')}`;
  const inodes = `1 - ${of('node_inodes_free')} / ${of('node_inodes')}`;
  return `max by (node) (${bytes} or label_replace(${inodes}, "of", "inodes", "", ""))`;
}

/** Nodes below a threshold. */
function crossedNodes({ of }: SeriesOfPage): string {
  return `count by (node) (${of('node_time_to_eviction_seconds')} == 0)`;
}

/** From nothing, 0. */
export function counted(expression: string): string {
  return `count(${expression}) or vector(0)`;
}

export const belowRule: FigureRule = {
  name: 'Nodes below a threshold',
  text: 'Nodes below a threshold. On the page alone count those below a soft threshold in its grace period.',
  queries: [(series) => counted(crossedNodes(series))],
};

export const closeRule: FigureRule = {
  name: 'Nodes close to evicting',
  text: `Nodes with headroom below a quarter of a threshold, or that cross it within 10 min, or with DiskPressure, below no threshold. ${assumedNote}`,
  queries: [
    (series) => {
      const { of } = series;
      const near = ['bytes', 'inodes'].map(
        (unit) => `${of(`node_eviction_headroom_${unit}`)} < 0.25 * ${of(`node_eviction_threshold_${unit}`)}`,
      );
      const soon = `${of('node_time_to_eviction_seconds')} <= ${soonMs / 1_000}`;
      const pressed = `${of('node_disk_pressure')} == 1 and ${of('node_data_available')} == 1`;
      const any = [...near, soon, pressed].map((some) => `count by (node) (${some})`).join(' or ');
      return counted(`(${any}) unless ${crossedNodes(series)}`);
    },
  ],
};

/** Of nodes close to a threshold. */
export const pressureRule: FigureRule = {
  name: 'Under node pressure',
  text: `Available bytes, or free inodes, above the threshold; the time until it is crossed; and the order of the pods. ${assumedNote}`,
  queries: [...headroomQueries, ...(timeRule.queries ?? []), ({ of }) => of('pod_eviction_rank')],
};
