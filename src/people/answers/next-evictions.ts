import { countedText } from '../../lib/base/text.js';
import { type Kind, partTable } from '../kinds/kind.js';
import { nextKind, type NextRow, nextRows } from '../kinds/next-kind.js';
import type { DocumentPart } from '../pens/document.js';
import type { ClusterReport, ClusterSummary } from '../query/cluster-report.js';
import { section, text } from './parts.js';

/** The others are in the lists. */
const shownPodCount = 4;
const shownNodeCount = 3;

/** What kubelets may do next: evict the pods that are near a limit of theirs, and pods of the nodes that are near a threshold. */
export function nextEvictions({ nearPods, nearNodes, summary }: ClusterReport): DocumentPart {
  const items = nextRows(nearPods.items.slice(0, shownPodCount), nearNodes.items.slice(0, shownNodeCount));
  const totalCount = nearPods.totalCount + nearNodes.totalCount;
  return section(
    {
      id: 'next-evictions',
      title: 'Next to be evicted',
      note: { path: ['pods'], query: { only: 'near' }, shown: 'all pods near a limit' },
    },
    [
      ...(items.length === 0
        ? [text(calmText(summary))]
        : partTable(nextInBrief, { items, totalCount }, ['Who', 'In', 'Why', 'Left', 'State'])),
      ...unknownTexts(summary).map(text),
    ],
  );
}

const nextInBrief: Kind<NextRow> = {
  ...nextKind,
  nameColumn: 'Who',
  columns: [
    {
      title: 'Who',
      minWidth: 20,
      cell: (row) => (row.kind === 'pod' ? `${row.pod.namespace}/${row.pod.pod}` : `node ${row.node.node}`),
    },
    ...nextKind.columns,
  ],
};

function calmText(summary: ClusterSummary): string {
  const { podCount, limitCount, pendingPodCount, unknownLimitPodCount } = summary;
  const isUnlimited = limitCount === 0 && pendingPodCount + unknownLimitPodCount === 0;
  if (podCount === 0) return 'No pods are measured yet.';
  const limits = isUnlimited
    ? 'No measured pod declares an ephemeral storage limit'
    : 'No measured pod is near a limit';
  return `${limits}, and no measured node is near an eviction threshold.`;
}

function unknownTexts(summary: ClusterSummary): readonly string[] {
  const pods = countedText(summary.unknownLimitPodCount, ['pod', 'pods']);
  const nodes = countedText(summary.absentNodeCount + summary.unknownPressureNodeCount, ['node', 'nodes']);
  const unknown = [
    ...(pods === '' ? [] : [`the usage of ${pods} with limits`]),
    ...(nodes === '' ? [] : [`how close ${nodes} ${nodes.startsWith('1 ') ? 'is' : 'are'} to a threshold`]),
  ];
  return unknown.length === 0 ? [] : [`Unknown: ${unknown.join(', and ')}.`];
}
