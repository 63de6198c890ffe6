import { bytes, count, type Line } from '../pens/document.js';
import type { NamespaceReport } from '../query/list-namespaces.js';
import type { Kind } from './kind.js';

/** Of pods without figures, nothing is known: neither what they use, nor how near they are to a limit. */
export const namespaceKind: Kind<NamespaceReport> = {
  title: 'Namespaces',
  what: 'namespaces',
  nameColumn: 'Namespace',
  nameOf: ({ namespace }) => `namespace/${namespace}`,
  pathOf: ({ namespace }) => ['namespaces', namespace],
  noteOf: ({ isUnlisted }) =>
    isUnlisted ? 'Its pods cannot be listed: limits are unknown, and values are what kubelets report.' : undefined,
  explain: (namespaces) =>
    namespaces.some(isPart) ? '≥ At least: pods of the namespace are not measured or cannot be listed.' : undefined,
  columns: [
    { title: 'Namespace', minWidth: 6, order: 'name', cell: ({ namespace }) => namespace },
    {
      title: 'Used',
      isNumber: true,
      rank: 1,
      order: 'used',
      cell: (of) => [isPart(of) && of.measuredPodCount > 0 ? '≥' : '', bytes(usedOf(of))],
    },
    { title: 'Pods', isNumber: true, rank: 2, order: 'pods', cell: podsLine },
    {
      title: 'Near',
      isNumber: true,
      rank: 1,
      order: 'near',
      about: 'Pods at 80 % of a limit that evicts them or above, or there within ten minutes.',
      cell: (of) => [isPart(of) ? '≥' : '', count(of.nearLimitPodCount)],
    },
    {
      title: 'Evictions',
      isNumber: true,
      rank: 2,
      order: 'evictions',
      about: 'Of its pods for storage, of those that are remembered.',
      cell: ({ evictionCount }) => count(evictionCount),
    },
  ],
};

function isPart({ unmeasuredPodCount, isUnlisted }: NamespaceReport): boolean {
  return unmeasuredPodCount > 0 || isUnlisted;
}

function usedOf(of: NamespaceReport): number | undefined {
  return of.measuredPodCount === 0 && isPart(of) ? undefined : of.usedBytes;
}

function podsLine({ measuredPodCount, unmeasuredPodCount }: NamespaceReport): Line {
  return [count(measuredPodCount), '/', count(measuredPodCount + unmeasuredPodCount)];
}
