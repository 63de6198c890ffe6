import { largestFirst } from '../../base/ranking.js';
import { workloadReport } from '../../report/workload-report.js';
import type { WorkloadSnapshot } from '../../scrape/snapshot.js';
import { wantedWorkloads } from './pod-filter.js';
import { bytesColumn, namespaceColumn, type View } from './view.js';

const order = largestFirst<WorkloadSnapshot>(
  ({ figures }) => figures?.usedBytes,
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
    bytesColumn('USED', ({ figures }) => figures?.usedBytes),
    bytesColumn('LARGEST', ({ figures }) => figures?.podMaxUsedBytes, { dropRank: 5 }),
    bytesColumn('LIMIT', ({ figures }) => figures?.limitBytes, { dropRank: 4 }),
    {
      header: 'COMPLETE',
      text: ({ complete }) => (complete ? 'yes' : 'no'),
      dropRank: 1,
      style: ({ complete }) => (complete ? undefined : 'yellow'),
    },
    bytesColumn('REQUEST', ({ figures }) => figures?.requestBytes, { isWide: true }),
    { header: 'SOURCE', text: ({ workload }) => workload.origin.source, isWide: true },
  ],
};

/** Pods that are too young to be expected are in the sums as soon as they have values. */
function podsText({ measuredPods, expectedPods, figures }: WorkloadSnapshot): string {
  return expectedPods === 0 && (figures?.usedBytes ?? 0) > 0 ? 'new' : `${measuredPods}/${expectedPods}`;
}
