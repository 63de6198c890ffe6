import { formatCount } from '../../lib/base/text.js';
import { formatAge } from '../../lib/base/units.js';
import type { ContainerReport } from '../../people/report/pod-report.js';
import type { VolumeReport } from '../../people/report/volume-report.js';
import { bytesColumn, namespaceColumn, ratioColumn, unenforcedNote, type View } from './view.js';

/** COUNTED is what counts towards its limit: its writable layer and its logs at most. USED has its shares of volumes too. */
export const containersView: View<ContainerReport> = {
  read: (reader, { parameters, count }) => reader.list('containers', parameters, count),
  name: ({ pod, container }) => `container/${pod}/${container}`,
  note: (rows) => unenforcedNote(rows.map(({ nearestLimit }) => nearestLimit)),
  columns: [
    namespaceColumn(({ namespace }) => namespace),
    { header: 'POD', text: ({ pod }) => pod, minWidth: 10, order: 'name' },
    { header: 'CONTAINER', text: ({ container }) => container || '-', minWidth: 9 },
    { header: 'NODE', text: ({ node }) => node ?? '-', minWidth: 10, dropRank: 7 },
    bytesColumn('USED', ({ usedBytes }) => usedBytes, { order: 'used' }),
    bytesColumn('ROOTFS', ({ rootfsBytes }) => rootfsBytes, { dropRank: 5 }),
    bytesColumn('LOGS', ({ logsBytes }) => logsBytes, { dropRank: 6 }),
    bytesColumn('COUNTED', ({ nearestLimit }) => nearestLimit?.usedBytes, { dropRank: 2 }),
    bytesColumn('LIMIT', ({ limitBytes }) => limitBytes, { dropRank: 2 }),
    ratioColumn('RATIO', ({ nearestLimit }) => nearestLimit, 1),
    bytesColumn('REQUEST', ({ requestBytes }) => requestBytes, { isWide: true }),
    { header: 'AGE', text: ({ dataAgeMs }) => formatAge(dataAgeMs), value: ({ dataAgeMs }) => dataAgeMs, isWide: true },
  ],
};

export const volumesView: View<VolumeReport> = {
  read: (reader, { parameters, count }) => reader.list('volumes', parameters, count),
  name: ({ pod, volume }) => `volume/${pod}/${volume}`,
  note: (rows) => unenforcedNote(rows.map(({ nearestLimit }) => nearestLimit)),
  columns: [
    namespaceColumn(({ namespace }) => namespace),
    { header: 'POD', text: ({ pod }) => pod, minWidth: 10, order: 'name' },
    { header: 'VOLUME', text: ({ volume }) => volume || '-', minWidth: 6 },
    { header: 'NODE', text: ({ node }) => node ?? '-', minWidth: 10, dropRank: 7 },
    bytesColumn('USED', ({ usedBytes }) => usedBytes, { order: 'used' }),
    { header: 'TYPE', text: ({ type }) => type, dropRank: 5 },
    { header: 'MEDIUM', text: ({ medium }) => medium || '-', dropRank: 6 },
    { header: 'COUNTED', text: ({ isCounted }) => (isCounted ? 'yes' : 'no'), dropRank: 3 },
    bytesColumn('LIMIT', ({ limitBytes }) => limitBytes, { dropRank: 2 }),
    ratioColumn('RATIO', ({ nearestLimit }) => nearestLimit, 1),
    bytesColumn('CAPACITY', ({ capacityBytes }) => capacityBytes, { isWide: true }),
    bytesColumn('AVAILABLE', ({ availableBytes }) => availableBytes, { isWide: true }),
    {
      header: 'INODES',
      text: ({ inodesUsed }) => formatCount(inodesUsed),
      value: ({ inodesUsed }) => inodesUsed,
      align: 'right',
      isWide: true,
    },
  ],
};
