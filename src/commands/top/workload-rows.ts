import { largestFirst } from '../../base/ranking.js';
import { wantedWorkloads } from '../../query/pod-filter.js';
import { workloadReport } from '../../report/workload-report.js';
import type { WorkloadSnapshot } from '../../workload/workload-partial.js';
import { bytesColumn, namespaceColumn, type View } from './view.js';

const order = largestFirst<WorkloadSnapshot>(
  ({ usage }) => usage?.usedBytes,
  ({ workload: { namespace, type, name } }) => [namespace, type, name],
);

export const workloadsView: View<WorkloadSnapshot> = {
  rows: (reading, filter) => [...wantedWorkloads(reading, filter)].sort(order),
  name: ({ workload: { type, name } }) => `${type}/${name}`,
  report: workloadReport,
  columns: [
    namespaceColumn(({ workload }) => workload.namespace, 2),
    { header: 'WORKLOAD', text: ({ workload }) => workload.name, minWidth: 12 },
    { header: 'TYPE', text: ({ workload }) => workload.type, dropRank: 3 },
    { header: 'PODS', text: podsText, value: ({ expectedPods }) => expectedPods, align: 'right', dropRank: 2 },
    bytesColumn('USED', ({ usage }) => usage?.usedBytes),
    bytesColumn('LARGEST', ({ usage }) => usage?.podMaxUsedBytes, { dropRank: 5 }),
    bytesColumn('LIMIT', ({ limitBytes }) => limitBytes, { dropRank: 4 }),
    {
      header: 'COMPLETE',
      text: ({ complete }) => (complete ? 'yes' : 'no'),
      dropRank: 1,
      style: ({ complete }) => (complete ? undefined : 'yellow'),
    },
    bytesColumn('REQUEST', ({ requestBytes }) => requestBytes, { isWide: true }),
    { header: 'SOURCE', text: ({ workload }) => workload.origin.source, isWide: true },
  ],
};

function podsText({ measuredPods, expectedPods }: WorkloadSnapshot): string {
  return `${measuredPods}/${expectedPods}`;
}
