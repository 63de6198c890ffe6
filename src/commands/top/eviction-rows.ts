import { formatAge, formatBytes } from '../../lib/base/units.js';
import { causeText } from '../../people/report/eviction-cause-text.js';
import type { ShownEviction } from '../../people/report/eviction-report.js';
import { referenceText } from '../../people/report/workload-report.js';
import { bytesColumn, namespaceColumn, type View } from './view.js';

/** USED is what was last measured before the eviction. */
export const evictionsView: View<ShownEviction> = {
  read: (reader, { parameters, count }) => reader.list('evictions', parameters, count),
  name: ({ pod }) => `pod/${pod}`,
  columns: [
    namespaceColumn(({ namespace }) => namespace),
    { header: 'POD', text: ({ pod }) => pod, minWidth: 10, order: 'name' },
    { header: 'NODE', text: ({ node }) => node, minWidth: 10, dropRank: 5 },
    { header: 'AGE', text: ({ ageMs }) => formatAge(ageMs), value: ({ ageMs }) => ageMs, align: 'right', dropRank: 1 },
    { header: 'CAUSE', text: causeText, minWidth: 16, dropRank: 1 },
    bytesColumn('USED', ({ lastUsage }) => lastUsage?.usedBytes, { dropRank: 2 }),
    {
      header: 'MEASURED',
      text: ({ lastUsage }) => (lastUsage === undefined ? '-' : `${formatAge(lastUsage.ageMs)} before`),
      value: ({ lastUsage }) => lastUsage?.ageMs,
      align: 'right',
      dropRank: 3,
    },
    { header: 'VERDICT', text: ({ verdict }) => verdict?.text ?? '-', isWide: true },
    bytesColumn('LIMIT', ({ limitBytes }) => limitBytes, { isWide: true }),
    {
      header: 'GROWTH/MIN',
      text: (row) => formatBytes(growthPerMinute(row)),
      value: growthPerMinute,
      align: 'right',
      dropRank: 4,
    },
    {
      header: 'WORKLOAD',
      text: ({ workloads }) => workloads.map(referenceText).join(',') || '-',
      minWidth: 10,
      dropRank: 6,
    },
  ],
};

function growthPerMinute({ lastUsage }: ShownEviction): number | undefined {
  const growth = lastUsage?.growthBytesPerSecond;
  return growth === undefined ? undefined : Math.round(growth * 60);
}
