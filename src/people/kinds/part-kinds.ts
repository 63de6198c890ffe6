import { nameStem } from '../../facts/workload/workload.js';
import { formatAge } from '../../lib/base/units.js';
import { bytes, count, type Line } from '../pens/document.js';
import type { NamespaceReport } from '../query/list-namespaces.js';
import { causeText } from '../report/eviction-cause-text.js';
import type { ShownEviction } from '../report/eviction-report.js';
import type { ContainerReport } from '../report/pod-report.js';
import type { VolumeReport } from '../report/volume-report.js';
import { onePodNote, workloadLine, workloadLink, type WorkloadReport } from '../report/workload-report.js';
import type { Kind } from './kind.js';
import { bytesColumn, namespaceColumn, nodeColumn, podColumn, ratioColumn, unenforcedNote } from './pod-kind.js';

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
      cell: (of) => [
        isPart(of) && of.measuredPodCount > 0 ? '≥' : '',
        bytes(of.measuredPodCount === 0 && isPart(of) ? undefined : of.usedBytes),
      ],
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

function podsLine({ measuredPodCount, unmeasuredPodCount }: NamespaceReport): Line {
  return [count(measuredPodCount), '/', count(measuredPodCount + unmeasuredPodCount)];
}

export const workloadKind: Kind<WorkloadReport> = {
  title: 'Workloads',
  what: 'workloads',
  nameColumn: 'Workload',
  nameOf: ({ workloadType, workload }) => `${workloadType}/${workload}`,
  pathOf: (of) => workloadLink(of).path,
  explain: onePodNote,
  columns: [
    namespaceColumn(({ workloadNamespace }) => workloadNamespace),
    { title: 'Workload', minWidth: 12, order: 'name', cell: nameLine },
    { title: 'Type', rank: 3, cell: ({ workloadType }) => workloadType },
    {
      title: 'Pods',
      isNumber: true,
      rank: 2,
      order: 'pods',
      about: 'Pods that are measured, of those that should be.',
      cell: ({ measuredPodCount, expectedPodCount }) => [count(measuredPodCount), '/', count(expectedPodCount)],
    },
    bytesColumn('Used', ({ usedBytes }) => usedBytes, {
      order: 'used',
      about: 'By all its pods: workload_used_bytes.',
    }),
    bytesColumn('Largest', ({ podMaxUsedBytes }) => podMaxUsedBytes, {
      rank: 5,
      order: 'largest',
      about: 'By the pod that uses most.',
    }),
    bytesColumn('Limit', ({ limitBytes }) => limitBytes, { order: 'limit', rank: 4, about: 'Of its pods, added up.' }),
    {
      title: 'Complete',
      rank: 1,
      about: 'No: pods or volumes are not measured, and it uses more.',
      cell: ({ isComplete }) => (isComplete ? 'yes' : { text: 'no', tone: 'warning' }),
    },
    bytesColumn('Request', ({ requestBytes }) => requestBytes, { isWide: true }),
    { title: 'Source', isWide: true, cell: ({ source }) => source },
  ],
};

/** Of a name that ends at random, the end is muted: the rest is what people know. */
function nameLine({ workload: name, workloadType: type }: WorkloadReport): Line {
  const stem = nameStem({ type, name });
  return stem === undefined ? name : [stem, { text: name.slice(stem.length), isMuted: true }];
}

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
