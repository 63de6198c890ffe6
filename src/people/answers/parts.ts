import { formatAge } from '../../lib/base/units.js';
import { type Kind, partTable, tableColumn } from '../kinds/kind.js';
import { podKind } from '../kinds/pod-kind.js';
import {
  type Block,
  type BlockOf,
  count,
  type DocumentPart,
  type Line,
  type Link,
  type TableColumn,
} from '../pens/document.js';
import type { ListPage } from '../query/list-page.js';
import type { EvictionReport, ShownEviction } from '../report/eviction-report.js';
import type { FindingReport } from '../report/finding-report.js';
import type { PodPlace, PodReport } from '../report/pod-report.js';

export function podLink({ namespace, pod }: Pick<PodPlace, 'namespace' | 'pod'>): Link {
  return { path: ['pods', namespace, pod], shown: `${namespace}/${pod}` };
}

export function nodeLink(name: string): Link {
  return { path: ['nodes', name], shown: name };
}

export function namespaceLink(name: string): Link {
  return { path: ['namespaces', name], shown: name };
}

/** Shown as its time. */
export function evictionLink({ uid, evictedAtMs }: Pick<EvictionReport, 'uid' | 'evictedAtMs'>): Link {
  return { path: ['evictions', uid], shown: { atMs: evictedAtMs } };
}

export function text(line: Line): BlockOf<'text'> {
  return { is: 'text', line };
}

export function section(head: Omit<BlockOf<'section'>, 'is' | 'blocks'>, blocks: readonly Block[]): BlockOf<'section'> {
  return { is: 'section', ...head, blocks };
}

/** Those without a value are left out. */
export function factList(facts: BlockOf<'facts'>['facts']): BlockOf<'facts'> {
  return { is: 'facts', facts };
}

/** Returns a table with a row for each item, by columns that say what stands in them. */
export function table<T>(
  head: Omit<BlockOf<'table'>, 'is' | 'columns' | 'rows'>,
  columns: readonly (TableColumn & { readonly cell: (item: T) => Line })[],
  items: readonly T[],
): BlockOf<'table'> {
  return {
    is: 'table',
    ...head,
    columns: columns.map(tableColumn),
    rows: items.map((item) => ({ cells: columns.map(({ cell }) => cell(item)) })),
  };
}

/** Of the pods or evictions of an object. */
interface PlacedPart {
  /** Leads to the list of all of them. */
  readonly all: Link;
  /** All of them are on one node, whose document it is. */
  readonly isOfNode?: boolean;
}

/** Most of them are in the order of eviction, too. */
const shownOfNodeCount = 10;

/** The first pods of an object. */
export function podSection(
  { items, totalCount }: ListPage<PodReport>,
  { all, isOfNode = false, isOfWorkload = false }: PlacedPart & { readonly isOfWorkload?: boolean },
): DocumentPart {
  const shown = items.slice(0, isOfNode ? shownOfNodeCount : undefined);
  const place = isOfNode
    ? ['Namespace', 'Pod']
    : isOfWorkload
      ? ['Namespace', 'Pod', 'Node', 'Bytes']
      : ['Pod', 'Node'];
  const titles = [...place, 'Used', 'Limit', 'Ratio', 'To limit', 'Rule', 'State'];
  const kind = isOfNode ? podOfNode : isOfWorkload ? podOfWorkload : podKind;
  return section(
    { id: 'pods', title: 'Pods', note: all, detail: isOfNode ? 'open' : undefined },
    items.length === 0 ? [text('None.')] : partTable(kind, { items: shown, totalCount }, titles),
  );
}

/** Its document says once that what is known of its pods is old. */
const podOfNode: Kind<PodReport> = {
  ...podKind,
  noteOf: (pod) => (pod.state === 'unmeasured' ? pod.reason : undefined),
};

/** Its sum can be followed to the byte, and its document says elsewhere why pods are not measured. */
const podOfWorkload: Kind<PodReport> = {
  ...podKind,
  noteOf: () => undefined,
  columns: [
    ...podKind.columns,
    {
      title: 'Bytes',
      isNumber: true,
      rank: 3,
      cell: (pod) => count(pod.state === 'unmeasured' ? undefined : pod.usedBytes),
    },
  ],
};

/** The newest evictions of an object's pods. `none`: what is said without any. */
export function evictionSection(
  evictions: readonly ShownEviction[],
  { all, none, isOfNode = false }: PlacedPart & { readonly none: string },
): DocumentPart {
  const items = evictions.map((of) => evictionLine(of, { withPod: true, withNode: !isOfNode }));
  return section(
    { id: 'evictions', title: 'Evictions', note: all, detail: isOfNode && items.length === 0 ? 'open' : undefined },
    items.length === 0 ? [text(none)] : [{ is: 'list', items }],
  );
}

/** When, whose, where and why: what its document is about is left out. */
export function evictionLine(
  of: ShownEviction,
  { withPod = false, withNode = false }: { readonly withPod?: boolean; readonly withNode?: boolean },
): Line {
  return [
    evictionLink(of),
    ` ${formatAge(of.ageMs)} ago`,
    ...(withPod ? [' ', podLink(of)] : []),
    ...(withNode ? [' on ', nodeLink(of.node)] : []),
    `: ${of.verdict?.text ?? of.message.trim()}`,
  ];
}

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
