import { workloadPath } from '../../facts/workload/workload.js';
import { formatCount } from '../../lib/base/text.js';
import { onePodNote, workloadOf, type WorkloadReport } from '../../people/report/workload-report.js';
import type { ListAnswer, ViewReader } from '../../serve/source/view-source.js';
import { bytesColumn, namespaceColumn, type RowQuery, type View } from './view.js';

export const workloadsView: View<WorkloadReport> = {
  read: readWorkloads,
  name: ({ workloadType, workload }) => `${workloadType}/${workload}`,
  note: onePodNote,
  columns: [
    namespaceColumn(({ workloadNamespace }) => workloadNamespace),
    { header: 'WORKLOAD', text: ({ workload }) => workload, minWidth: 12, order: 'name' },
    { header: 'TYPE', text: ({ workloadType }) => workloadType, dropRank: 3 },
    {
      header: 'PODS',
      text: ({ measuredPodCount, expectedPodCount }) =>
        `${formatCount(measuredPodCount)}/${formatCount(expectedPodCount)}`,
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

/** The API's list has no parameter for one workload: what it finds by the name may be more. */
async function readWorkloads(
  reader: ViewReader,
  { parameters: { workload, ...parameters }, count }: RowQuery,
): Promise<ListAnswer<WorkloadReport>> {
  if (workload === undefined) return reader.list('workloads', parameters, count);
  const found = await reader.list('workloads', { ...parameters, search: workload }, Infinity);
  const items = found.items.filter((report) => workloadPath(workloadOf(report)) === workload);
  return { ...found, items, totalCount: items.length };
}
