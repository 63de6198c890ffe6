import type { WorkloadSnapshot } from '../../scrape/snapshot.js';
import { workloadName } from '../../workload/workload.js';
import { wantedWorkloads } from './filter.js';
import { biggestFirst, bytesColumn, type View } from './view.js';

interface WorkloadRow {
  readonly workload: string;
  readonly source: WorkloadSnapshot['workload']['origin']['source'];
  readonly measuredPods: number;
  readonly expectedPods: number;
  /** Undefined when the collection failed, as the following ones. */
  readonly usedBytes: number | undefined;
  readonly podMaxUsedBytes: number | undefined;
  /** Sums over the pods that declare one. */
  readonly limitBytes: number | undefined;
  readonly requestBytes: number | undefined;
  readonly isComplete: boolean;
}

export const workloadsView: View<WorkloadRow> = {
  rows: (reading, filter) =>
    biggestFirst(
      wantedWorkloads(reading, filter).map(workloadRow),
      ({ usedBytes }) => usedBytes,
      ({ workload }) => workload,
    ),
  columns: [
    { header: 'WORKLOAD', text: ({ workload }) => workload, minWidth: 12 },
    { header: 'PODS', text: podsText, align: 'right', dropRank: 2 },
    bytesColumn('USED', ({ usedBytes }) => usedBytes),
    bytesColumn('LARGEST', ({ podMaxUsedBytes }) => podMaxUsedBytes, 4),
    bytesColumn('LIMIT', ({ limitBytes }) => limitBytes, 3),
    { header: 'COMPLETE', text: ({ isComplete }) => (isComplete ? 'yes' : 'no'), dropRank: 1 },
  ],
};

/** Pods that are too young to be expected are in the sums as soon as they have figures. */
function podsText({ measuredPods, expectedPods, usedBytes = 0 }: WorkloadRow): string {
  return expectedPods === 0 && usedBytes > 0 ? 'new' : `${measuredPods}/${expectedPods}`;
}

function workloadRow({ workload, figures, ...counts }: WorkloadSnapshot): WorkloadRow {
  return {
    workload: workloadName(workload),
    source: workload.origin.source,
    measuredPods: counts.measuredPods,
    expectedPods: counts.expectedPods,
    usedBytes: figures?.usedBytes,
    podMaxUsedBytes: figures?.podMaxUsedBytes,
    limitBytes: figures?.limitBytes,
    requestBytes: figures?.requestBytes,
    isComplete: counts.complete,
  };
}
