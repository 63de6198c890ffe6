import { formatAge } from '../../lib/base/units.js';
import { count } from '../pens/document.js';
import type { ContainerReport } from '../report/pod-report.js';
import type { VolumeReport } from '../report/volume-report.js';
import { bytesColumn, namespaceColumn, nodeColumn, podColumn, ratioColumn, unenforcedNote } from './columns.js';
import type { Kind } from './kind.js';

const about = {
  used: 'Its own files and its share of what the pod shares: over the containers of a pod they add up to its total.',
  counted: 'What counts towards its limit: its writable layer and its logs at most.',
};

export const containerKind: Kind<ContainerReport> = {
  title: 'Containers',
  what: 'containers',
  nameColumn: 'Container',
  nameOf: ({ pod, container }) => `container/${pod}/${container}`,
  pathOf: ({ namespace, pod }) => ['pods', namespace, pod],
  explain: unenforcedNote,
  columns: [
    namespaceColumn(({ namespace }) => namespace),
    podColumn(),
    { title: 'Container', minWidth: 9, cell: ({ container }) => container || '-' },
    nodeColumn(({ node }) => node, 7),
    bytesColumn('Used', ({ usedBytes }) => usedBytes, { order: 'used', about: about.used }),
    bytesColumn('Rootfs', ({ rootfsBytes }) => rootfsBytes, { rank: 5, about: 'Its writable layer.' }),
    bytesColumn('Logs', ({ logsBytes }) => logsBytes, { rank: 5 }),
    bytesColumn('Counted', ({ nearestLimit }) => nearestLimit?.usedBytes, { rank: 2, about: about.counted }),
    bytesColumn('Limit', ({ limitBytes }) => limitBytes, { rank: 2 }),
    ratioColumn(),
    bytesColumn('Request', ({ requestBytes }) => requestBytes, { isWide: true }),
    { title: 'Age', isNumber: true, isWide: true, cell: ({ dataAgeMs }) => formatAge(dataAgeMs) },
  ],
};

export const volumeKind: Kind<VolumeReport> = {
  title: 'Volumes',
  what: 'volumes',
  nameColumn: 'Volume',
  nameOf: ({ pod, volume }) => `volume/${pod}/${volume}`,
  pathOf: ({ namespace, pod }) => ['pods', namespace, pod],
  explain: unenforcedNote,
  columns: [
    namespaceColumn(({ namespace }) => namespace),
    podColumn(),
    { title: 'Volume', minWidth: 6, cell: ({ volume }) => volume || '-' },
    nodeColumn(({ node }) => node, 7),
    bytesColumn('Used', ({ usedBytes }) => usedBytes, { order: 'used' }),
    { title: 'Type', rank: 5, cell: ({ type }) => type },
    { title: 'Medium', rank: 5, isSeldom: true, cell: ({ medium }) => medium || '-' },
    {
      title: 'Counted',
      rank: 3,
      about: 'Whether it is a part of what its pod uses, or why not.',
      cell: ({ isCounted, countedReason }) => (isCounted ? 'yes' : `no: ${countedReason}`),
    },
    bytesColumn('Limit', ({ limitBytes }) => limitBytes, { rank: 2 }),
    ratioColumn(),
    bytesColumn('Capacity', ({ capacityBytes }) => capacityBytes, { isWide: true }),
    bytesColumn('Available', ({ availableBytes }) => availableBytes, { isWide: true }),
    { title: 'Inodes', isNumber: true, isWide: true, cell: ({ inodesUsed }) => count(inodesUsed) },
  ],
};
