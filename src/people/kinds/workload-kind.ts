import { nameStem } from '../../facts/workload/workload.js';
import { count, type Line } from '../pens/document.js';
import { onePodNote, workloadLink, type WorkloadReport } from '../report/workload-report.js';
import { bytesColumn, namespaceColumn } from './columns.js';
import type { Kind } from './kind.js';

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
