import { formatCount } from '../../lib/base/text.js';
import { partTable } from '../kinds/kind.js';
import { namespaceKind, workloadKind } from '../kinds/part-kinds.js';
import { bytes, count, type Document, type DocumentPart, type Piece } from '../pens/document.js';
import type { NamespaceObject, NamespaceReport } from '../query/list-namespaces.js';
import type { ListKind } from '../query/list-query.js';
import { evictionSection, factList, podSection, section, text } from './parts.js';

/** What the pods of a namespace use in all, and its largest workloads. */
export function namespaceDocument({ namespace: of, pods, workloads, evictions }: NamespaceObject): Document {
  const { namespace } = of;
  const query = { namespace };
  const note = namespaceKind.noteOf?.(of);
  return {
    title: ['Namespace', namespace],
    blocks: [
      ...(note === undefined ? [] : [{ is: 'verdict', tone: 'warning', lines: [note], commands: [] } as const]),
      facts(of),
      workloadSection(workloads, query),
      podSection(pods, {
        all: { path: ['pods'], query, shown: 'all pods of the namespace' },
      }),
      evictionSection(evictions, {
        all: { path: ['evictions'], query, shown: 'all evictions of the namespace' },
        none: 'No eviction of its pods is remembered.',
      }),
    ],
  };
}

/** Of pods that are not measured, nothing is known: sums and counts are lower bounds. */
function facts(of: NamespaceReport): DocumentPart {
  const { usedBytes, measuredPodCount, unmeasuredPodCount, nearLimitPodCount, evictionCount, isUnlisted } = of;
  const counted = (amount: number, kind: ListKind, only?: string): Piece =>
    amount === 0
      ? '0'
      : {
          path: [kind],
          query: { namespace: of.namespace, ...(only !== undefined && { only }) },
          shown: formatCount(amount),
        };
  const least = unmeasuredPodCount > 0 || isUnlisted ? 'at least ' : '';
  return factList({
    Used: measuredPodCount === 0 ? bytes(undefined) : [least, bytes(usedBytes)],
    'Pods measured': count(measuredPodCount),
    'Not measured': counted(unmeasuredPodCount, 'pods', 'unknown'),
    'Near a limit': [least, counted(nearLimitPodCount, 'pods', 'near')],
    Evictions: counted(evictionCount, 'evictions'),
  });
}

function workloadSection(page: NamespaceObject['workloads'], query: Readonly<Record<string, string>>): DocumentPart {
  const titles = ['Workload', 'Type', 'Pods', 'Used', 'Largest', 'Complete'];
  return section(
    {
      id: 'workloads',
      title: 'Largest workloads',
      note: { path: ['workloads'], query, shown: 'all workloads of the namespace' },
    },
    page.items.length === 0 ? [text('No pods belong to a workload.')] : partTable(workloadKind, page, titles),
  );
}
