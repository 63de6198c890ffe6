import { largestFirst } from '../../base/ranking.js';
import { formatAge } from '../../base/units.js';
import { type ContainerReport, containerReports } from '../../report/container-report.js';
import { measuredPods } from './pod-filter.js';
import { bytesColumn, namespaceColumn, ratioColumn, type View } from './view.js';

const order = largestFirst<ContainerReport>(
  ({ usedBytes }) => usedBytes,
  ({ namespace, pod, container }) => [namespace, pod, container],
);

export const containersView: View<ContainerReport> = {
  rows: (reading, filter) => measuredPods(reading, filter).flatMap(containerReports).sort(order),
  name: ({ pod, container }) => `container/${pod}/${container}`,
  columns: [
    namespaceColumn(({ namespace }) => namespace, 3),
    { header: 'POD', text: ({ pod }) => pod, minWidth: 10 },
    { header: 'CONTAINER', text: ({ container }) => container || '-', minWidth: 9 },
    { header: 'NODE', text: ({ node }) => node ?? '-', minWidth: 10, dropRank: 7 },
    bytesColumn('USED', ({ usedBytes }) => usedBytes),
    bytesColumn('ROOTFS', ({ rootfsBytes }) => rootfsBytes, { dropRank: 5 }),
    bytesColumn('LOGS', ({ logsBytes }) => logsBytes, { dropRank: 6 }),
    bytesColumn('LIMIT', ({ limitBytes }) => limitBytes, { dropRank: 2 }),
    ratioColumn('RATIO', ({ nearestLimit }) => nearestLimit?.ratio, 1),
    bytesColumn('REQUEST', ({ requestBytes }) => requestBytes, { isWide: true }),
    { header: 'AGE', text: ({ dataAgeMs }) => formatAge(dataAgeMs), value: ({ dataAgeMs }) => dataAgeMs, isWide: true },
  ],
};
