import type { WorkloadReport } from '../../report/workload-report.js';
import { bytesColumn, namespaceColumn, type View } from './view.js';

export const workloadsView: View<WorkloadReport> = {
  read: (reader, { parameters, count }) => reader.list('workloads', parameters, count),
  name: ({ workloadType, workload }) => `${workloadType}/${workload}`,
  columns: [
    namespaceColumn(({ workloadNamespace }) => workloadNamespace),
    { header: 'WORKLOAD', text: ({ workload }) => workload, minWidth: 12, order: 'name' },
    { header: 'TYPE', text: ({ workloadType }) => workloadType, dropRank: 3 },
    {
      header: 'PODS',
      text: ({ measuredPodCount, expectedPodCount }) => `${measuredPodCount}/${expectedPodCount}`,
      value: ({ expectedPodCount }) => expectedPodCount,
      align: 'right',
      dropRank: 2,
      order: 'pods',
    },
    bytesColumn('USED', ({ usedBytes }) => usedBytes, { order: 'used' }),
    bytesColumn('LARGEST', ({ podMaxUsedBytes }) => podMaxUsedBytes, { dropRank: 5, order: 'largest' }),
    bytesColumn('LIMIT', ({ limitBytes }) => limitBytes, { dropRank: 4 }),
    {
      header: 'COMPLETE',
      text: ({ isComplete }) => (isComplete ? 'yes' : 'no'),
      dropRank: 1,
      style: ({ isComplete }) => (isComplete ? undefined : 'yellow'),
    },
    bytesColumn('REQUEST', ({ requestBytes }) => requestBytes, { isWide: true }),
    { header: 'SOURCE', text: ({ source }) => source, isWide: true },
  ],
};
