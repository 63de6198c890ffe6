import { largestFirst } from '../../base/ranking.js';
import { type VolumeReport, volumeReports } from '../../report/volume-report.js';
import { measuredPods } from './pod-filter.js';
import { bytesColumn, namespaceColumn, ratioColumn, type View } from './view.js';

const order = largestFirst<VolumeReport>(
  ({ usedBytes }) => usedBytes,
  ({ namespace, pod, volume }) => [namespace, pod, volume],
);

export const volumesView: View<VolumeReport> = {
  rows: (reading, filter) => measuredPods(reading, filter).flatMap(volumeReports).sort(order),
  name: ({ pod, volume }) => `volume/${pod}/${volume}`,
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
    ratioColumn('RATIO', ({ nearestLimit }) => nearestLimit?.ratio, 1),
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
