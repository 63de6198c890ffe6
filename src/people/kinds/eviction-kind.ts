import { formatAge } from '../../lib/base/units.js';
import { bytes } from '../pens/document.js';
import { causeText } from '../report/eviction-cause-text.js';
import type { ShownEviction } from '../report/eviction-report.js';
import { workloadLine } from '../report/workload-report.js';
import { bytesColumn, namespaceColumn, nodeColumn } from './columns.js';
import type { Kind } from './kind.js';

/** What is used is what was last measured before the eviction. */
export const evictionKind: Kind<ShownEviction> = {
  title: 'Evictions',
  what: 'evictions',
  nameColumn: 'Pod',
  nameOf: ({ pod }) => `pod/${pod}`,
  pathOf: ({ uid }) => ['evictions', uid],
  noteOf: ({ verdict, message }) => verdict?.text ?? message.trim(),
  columns: [
    namespaceColumn(({ namespace }) => namespace),
    { title: 'Pod', minWidth: 10, order: 'name', cell: ({ pod }) => pod },
    nodeColumn(({ node }) => node, 5),
    { title: 'Age', isNumber: true, rank: 2, order: 'newest', isRising: true, cell: ({ ageMs }) => formatAge(ageMs) },
    { title: 'Time', isWide: true, cell: ({ evictedAtMs }) => ({ atMs: evictedAtMs }) },
    { title: 'Cause', minWidth: 20, rank: 1, cell: causeText },
    bytesColumn('Used', ({ lastUsage }) => lastUsage?.usedBytes, {
      rank: 2,
      about: 'As it was last measured before the eviction.',
    }),
    {
      title: 'Measured',
      isNumber: true,
      rank: 3,
      cell: ({ lastUsage }) => (lastUsage === undefined ? '-' : `${formatAge(lastUsage.ageMs)} before`),
    },
    bytesColumn('Limit', ({ limitBytes }) => limitBytes, { isWide: true }),
    {
      title: 'Growth/min',
      isNumber: true,
      rank: 4,
      isSeldom: true,
      cell: ({ lastUsage: { growthBytesPerSecond: growth } = {} }) =>
        growth === undefined ? '-' : bytes(Math.round(growth * 60)),
    },
    { title: 'Workload', minWidth: 10, rank: 6, cell: ({ workloads }) => workloadLine(workloads) },
  ],
};
