import { formatAge, formatForecast } from '../../lib/base/units.js';
import type { Style } from '../../people/pens/terminal-text.js';
import type { MeasuredPodReport, PodReport } from '../../people/report/pod-report.js';
import { bytesColumn, namespaceColumn, ratioColumn, ruleText, unenforcedNote, type View } from './view.js';

/**
 * COUNTED, LIMIT, RATIO and RULE are of the limit with the highest ratio: what counts towards it may be less than USED.
 * TO-LIMIT is of the one that is exceeded first.
 */
export const podsView: View<PodReport> = {
  read: (reader, { parameters, count }) => reader.list('pods', { order: 'used', ...parameters }, count),
  name: ({ pod }) => `pod/${pod}`,
  note: (rows) => unenforcedNote(rows.map(({ nearestLimit }) => nearestLimit)),
  columns: [
    namespaceColumn(({ namespace }) => namespace),
    { header: 'POD', text: ({ pod }) => pod, minWidth: 12, order: 'name' },
    { header: 'NODE', text: ({ node = '-' }) => node, minWidth: 10, dropRank: 5 },
    bytesColumn('USED', (pod) => measured(pod)?.usedBytes, { order: 'used' }),
    bytesColumn('COUNTED', ({ nearestLimit }) => nearestLimit?.usedBytes, { dropRank: 4 }),
    bytesColumn('LIMIT', ({ nearestLimit }) => nearestLimit?.limitBytes, { dropRank: 4 }),
    ratioColumn('RATIO', ({ nearestLimit }) => nearestLimit, 1),
    {
      header: 'TO-LIMIT',
      text: ({ timeToLimitMs }) => timeText(timeToLimitMs),
      value: ({ timeToLimitMs }) => timeToLimitMs && -timeToLimitMs,
      align: 'right',
      dropRank: 1,
      isSeldom: true,
    },
    {
      header: 'RULE',
      text: ({ nearestLimit: limit, hasUnknownUsage }) =>
        limit === undefined && hasUnknownUsage ? 'unknown' : ruleText(limit),
      dropRank: 3,
    },
    bytesColumn('ROOTFS', (pod) => measured(pod)?.components.rootfs, { dropRank: 6 }),
    bytesColumn('LOGS', (pod) => measured(pod)?.components.logs, { dropRank: 7 }),
    bytesColumn('EMPTYDIR', (pod) => measured(pod)?.components.emptydir, { dropRank: 8 }),
    bytesColumn('CONFIGMAP', (pod) => measured(pod)?.components.configmap, { isWide: true }),
    bytesColumn('OTHER', (pod) => measured(pod)?.components.other, { isWide: true }),
    bytesColumn('REQUEST', ({ requestBytes }) => requestBytes, { isWide: true }),
    {
      header: 'STATE',
      text: stateText,
      value: (pod) => (stateText(pod) === 'measured' ? undefined : 1),
      dropRank: 2,
      isSeldom: true,
      style: (pod): Style | undefined => (stateText(pod) === 'measured' ? undefined : 'yellow'),
    },
    {
      header: 'AGE',
      text: ({ dataAgeMs }) => formatAge(dataAgeMs),
      value: ({ dataAgeMs }) => dataAgeMs,
      isWide: true,
    },
  ],
};

function measured(pod: PodReport): MeasuredPodReport | undefined {
  return pod.state === 'unmeasured' ? undefined : pod;
}

/** `last known`: of a node without data. */
function stateText({ dataState, state }: PodReport): string {
  return dataState === 'absent' ? 'last known' : state;
}

/** `now`: it is above the limit. */
export function timeText(timeMs: number | undefined): string {
  if (timeMs === undefined) return '-';
  return timeMs === 0 ? 'now' : formatForecast(timeMs);
}
