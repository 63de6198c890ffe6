import { largestFirst } from '../../base/ranking.js';
import { formatAge } from '../../base/units.js';
import { type MeasuredPodReport, measuredPodReport } from '../../report/pod-report.js';
import { measuredPods } from './pod-filter.js';
import { bytesColumn, namespaceColumn, ratioColumn, ruleText, type View } from './view.js';

const order = largestFirst<MeasuredPodReport>(
  ({ usedBytes }) => usedBytes,
  ({ namespace, pod, node }) => [namespace, pod, node],
);

/** RATIO, RULE and LIMIT are of the limit with the highest ratio. */
export const podsView: View<MeasuredPodReport> = {
  rows: (reading, filter) => measuredPods(reading, filter).map(measuredPodReport).sort(order),
  name: ({ pod }) => `pod/${pod}`,
  columns: [
    namespaceColumn(({ namespace }) => namespace, 2),
    { header: 'POD', text: ({ pod }) => pod, minWidth: 12 },
    { header: 'NODE', text: ({ node }) => node, minWidth: 10, dropRank: 4 },
    bytesColumn('USED', ({ usedBytes }) => usedBytes),
    bytesColumn('LIMIT', ({ nearestLimit }) => nearestLimit?.limitBytes, { dropRank: 3 }),
    ratioColumn('RATIO', ({ nearestLimit }) => nearestLimit?.ratio, 1),
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
