import { largestFirst } from '../../base/ranking.js';
import { formatAge } from '../../base/units.js';
import { measuredPods } from '../../query/pod-filter.js';
import {
  type ContainerReport,
  containerReports,
  type MeasuredPodReport,
  measuredPodReport,
} from '../../report/pod-report.js';
import { type VolumeReport, volumeReports } from '../../report/volume-report.js';
import { bytesColumn, namespaceColumn, ratioColumn, ruleText, type View } from './view.js';

const byUsage = largestFirst<MeasuredPodReport>(
  ({ usedBytes }) => usedBytes,
  ({ namespace, pod, node }) => [namespace, pod, node],
);

/** Those with a forecast first: it takes some refreshes until there is one. */
function podOrder(a: MeasuredPodReport, b: MeasuredPodReport): number {
  const [timeMs, otherMs] = [a.timeToLimitMs ?? Infinity, b.timeToLimitMs ?? Infinity];
  return timeMs === otherMs ? byUsage(a, b) : timeMs - otherMs;
}

/** RATIO, RULE and LIMIT are of the limit with the highest ratio; TO-LIMIT is of the one that is exceeded first. */
export const podsView: View<MeasuredPodReport> = {
  rows: (reading, filter) => measuredPods(reading, filter).map(measuredPodReport).sort(podOrder),
  name: ({ pod }) => `pod/${pod}`,
  limit: ({ nearestLimit }) => nearestLimit,
  columns: [
    namespaceColumn(({ namespace }) => namespace, 2),
    { header: 'POD', text: ({ pod }) => pod, minWidth: 12 },
    { header: 'NODE', text: ({ node }) => node, minWidth: 10, dropRank: 4 },
    bytesColumn('USED', ({ usedBytes }) => usedBytes),
    bytesColumn('LIMIT', ({ nearestLimit }) => nearestLimit?.limitBytes, { dropRank: 3 }),
    ratioColumn('RATIO', ({ nearestLimit }) => nearestLimit, 1),
    {
      header: 'TO-LIMIT',
      text: ({ timeToLimitMs: timeMs }) => (timeMs === undefined ? '-' : formatAge(timeMs)),
      value: ({ timeToLimitMs: timeMs }) => timeMs,
      align: 'right',
      isSeldom: true,
    },
    { header: 'RULE', text: ({ nearestLimit }) => ruleText(nearestLimit), minWidth: 9, dropRank: 3 },
    bytesColumn('ROOTFS', ({ components }) => components.rootfs, { dropRank: 5 }),
    bytesColumn('LOGS', ({ components }) => components.logs, { dropRank: 6 }),
    bytesColumn('EMPTYDIR', ({ components }) => components.emptydir, { dropRank: 7 }),
    bytesColumn('CONFIGMAP', ({ components }) => components.configmap, { isWide: true }),
    bytesColumn('OTHER', ({ components }) => components.other, { isWide: true }),
    bytesColumn('REQUEST', ({ requestBytes }) => requestBytes, { isWide: true }),
    { header: 'STATE', text: ({ state }) => state, isWide: true },
    { header: 'AGE', text: ({ dataAgeMs }) => formatAge(dataAgeMs), value: ({ dataAgeMs }) => dataAgeMs, isWide: true },
  ],
};

const containerOrder = largestFirst<ContainerReport>(
  ({ usedBytes }) => usedBytes,
  ({ namespace, pod, container }) => [namespace, pod, container],
);

export const containersView: View<ContainerReport> = {
  rows: (reading, filter) => measuredPods(reading, filter).flatMap(containerReports).sort(containerOrder),
  name: ({ pod, container }) => `container/${pod}/${container}`,
  limit: ({ nearestLimit }) => nearestLimit,
  columns: [
    namespaceColumn(({ namespace }) => namespace, 3),
    { header: 'POD', text: ({ pod }) => pod, minWidth: 10 },
    { header: 'CONTAINER', text: ({ container }) => container || '-', minWidth: 9 },
    { header: 'NODE', text: ({ node }) => node ?? '-', minWidth: 10, dropRank: 7 },
    bytesColumn('USED', ({ usedBytes }) => usedBytes),
    bytesColumn('ROOTFS', ({ rootfsBytes }) => rootfsBytes, { dropRank: 5 }),
    bytesColumn('LOGS', ({ logsBytes }) => logsBytes, { dropRank: 6 }),
    bytesColumn('LIMIT', ({ limitBytes }) => limitBytes, { dropRank: 2 }),
    ratioColumn('RATIO', ({ nearestLimit }) => nearestLimit, 1),
    bytesColumn('REQUEST', ({ requestBytes }) => requestBytes, { isWide: true }),
    { header: 'AGE', text: ({ dataAgeMs }) => formatAge(dataAgeMs), value: ({ dataAgeMs }) => dataAgeMs, isWide: true },
  ],
};

const volumeOrder = largestFirst<VolumeReport>(
  ({ usedBytes }) => usedBytes,
  ({ namespace, pod, volume }) => [namespace, pod, volume],
);

export const volumesView: View<VolumeReport> = {
  rows: (reading, filter) => measuredPods(reading, filter).flatMap(volumeReports).sort(volumeOrder),
  name: ({ pod, volume }) => `volume/${pod}/${volume}`,
  limit: ({ nearestLimit }) => nearestLimit,
  columns: [
    namespaceColumn(({ namespace }) => namespace, 4),
    { header: 'POD', text: ({ pod }) => pod, minWidth: 10 },
    { header: 'VOLUME', text: ({ volume }) => volume || '-', minWidth: 6 },
    { header: 'NODE', text: ({ node }) => node ?? '-', minWidth: 10, dropRank: 7 },
    bytesColumn('USED', ({ usedBytes }) => usedBytes),
    { header: 'TYPE', text: ({ type }) => type, dropRank: 5 },
    { header: 'MEDIUM', text: ({ medium }) => medium || '-', dropRank: 6 },
    { header: 'COUNTED', text: ({ isCounted }) => (isCounted ? 'yes' : 'no'), dropRank: 3 },
    bytesColumn('LIMIT', ({ limitBytes }) => limitBytes, { dropRank: 2 }),
    ratioColumn('RATIO', ({ nearestLimit }) => nearestLimit, 1),
    bytesColumn('CAPACITY', ({ capacityBytes }) => capacityBytes, { isWide: true }),
    bytesColumn('AVAILABLE', ({ availableBytes }) => availableBytes, { isWide: true }),
    {
      header: 'INODES',
      text: ({ inodesUsed }) => String(inodesUsed ?? '-'),
      value: ({ inodesUsed }) => inodesUsed,
      align: 'right',
      isWide: true,
    },
  ],
};
