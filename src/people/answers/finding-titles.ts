import type { Block, Line } from '../pens/document.js';
import type { FindingReport } from '../report/finding-report.js';

/** What findings of a kind are called. */
const findingTitles: Readonly<Record<FindingReport['kind'], string>> = {
  amount_below_1ki: 'Limit, request or sizeLimit of less than 1Ki: the unit is likely a mistake',
  no_limit_or_request: 'No limit or request, on a node close to evictions',
  request_counts_as_zero: 'Request that counts as 0 under node pressure',
  limit_of_one_container: 'Limit of the pod that comes from one container',
  size_limit_above_pod_limit: 'Size limit above the limit of the pod',
  memory_volume_full: 'emptyDir in memory that is full: writes fail',
  limit_not_enforced: 'Limit that does not evict the pod, or sees only a part of what it writes',
  logs_above_rotation: 'Logs above what rotation keeps',
  volume_not_mounted: 'Volume that no container mounts',
  not_in_detail: 'More containers, volumes, mounts or labels than are kept by name',
};

/** Those of one kind, with what to do about them. `items`: some of them. */
export function findingBlocks(
  { kind, fix }: Pick<FindingReport, 'kind' | 'fix'>,
  items: readonly Line[],
  { totalCount, what }: { readonly totalCount: number; readonly what: string },
): readonly Block[] {
  return [
    { is: 'text', line: [{ text: `${findingTitles[kind]}. ` }, { text: fix, isMuted: true }] },
    { is: 'list', items, totalCount, what },
  ];
}
