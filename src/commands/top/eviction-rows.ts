import { largestFirst } from '../../base/ranking.js';
import { formatAge, formatBytes } from '../../base/units.js';
import { wantedEvictions } from '../../query/pod-filter.js';
import { causeText } from '../../report/eviction-cause-text.js';
import type { EvictionReport } from '../../report/eviction-report.js';
import { referenceText } from '../explain/pod-text.js';
import { bytesColumn, namespaceColumn, type View } from './view.js';

interface EvictionRow {
  readonly eviction: EvictionReport;
  /** From the eviction to the reading. */
  readonly ageMs: number;
}

const newestFirst = largestFirst<EvictionRow>(
  ({ eviction }) => eviction.evictedAtMs,
  ({ eviction }) => [eviction.namespace, eviction.pod],
);

/** USED is what was last measured before the eviction. */
export const evictionsView: View<EvictionRow> = {
  rows: (reading, filter) =>
    wantedEvictions(reading, filter)
      .map((eviction) => ({ eviction, ageMs: Math.max(0, reading.readAtMs - eviction.evictedAtMs) }))
      .sort(newestFirst),
  name: ({ eviction }) => `pod/${eviction.pod}`,
  report: ({ eviction }) => eviction,
  columns: [
    namespaceColumn(({ eviction }) => eviction.namespace, 2),
    { header: 'POD', text: ({ eviction }) => eviction.pod, minWidth: 10 },
    { header: 'NODE', text: ({ eviction }) => eviction.node, minWidth: 10, dropRank: 5 },
    { header: 'AGE', text: ({ ageMs }) => formatAge(ageMs), value: ({ ageMs }) => ageMs, align: 'right' },
    { header: 'CAUSE', text: ({ eviction }) => causeText(eviction), minWidth: 16 },
    bytesColumn('USED', ({ eviction }) => eviction.lastUsage?.usedBytes, { dropRank: 1 }),
    {
      header: 'MEASURED',
      text: ({ eviction: { lastUsage } }) => (lastUsage === undefined ? '-' : `${formatAge(lastUsage.ageMs)} before`),
      value: ({ eviction }) => eviction.lastUsage?.ageMs,
      align: 'right',
      dropRank: 3,
    },
    { header: 'VERDICT', text: ({ eviction }) => eviction.verdict?.text ?? '-', isWide: true },
    bytesColumn('LIMIT', ({ eviction }) => eviction.limitBytes, { isWide: true }),
    {
      header: 'GROWTH/MIN',
      text: (row) => formatBytes(growthPerMinute(row)),
      value: growthPerMinute,
      align: 'right',
      dropRank: 4,
    },
    {
      header: 'WORKLOAD',
      text: ({ eviction }) => eviction.workloads.map(referenceText).join(',') || '-',
      minWidth: 10,
      dropRank: 6,
    },
  ],
};

function growthPerMinute({ eviction: { lastUsage } }: EvictionRow): number | undefined {
  const growth = lastUsage?.growthBytesPerSecond;
  return growth === undefined ? undefined : Math.round(growth * 60);
}
