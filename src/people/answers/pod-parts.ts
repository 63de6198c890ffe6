import { components as componentOrder } from '../../facts/node/usage.js';
import { formatAge, formatBytes } from '../../lib/base/units.js';
import {
  type BarPart,
  type Block,
  type BlockOf,
  bytes,
  count,
  type DocumentPart,
  joined,
  type Line,
  type Piece,
  type Row,
} from '../pens/document.js';
import type { ContainerExplanation, MeasuredPodExplanation, PodExplanation } from '../query/pod-explanation.js';
import { absenceNames } from '../report/absence-hints.js';
import { type ComponentBytes, type DataFacts, isLastKnown } from '../report/pod-report.js';
import { workloadLine } from '../report/workload-report.js';
import { factList, namespaceLink, nodeLink, section, table, text } from './parts.js';

type Facts = BlockOf<'facts'>['facts'];

export function podFacts(pod: PodExplanation): BlockOf<'facts'> {
  const { node, namespace, workloads, isKnown, requestBytes, limitBytes } = pod;
  const isMissing = pod.state === 'unmeasured' && pod.isExpected;
  return factList({
    ...(pod.state === 'unmeasured' ? {} : figures(pod)),
    'Pod limit': bytes(limitBytes),
    Request: bytes(requestBytes),
    Node: node === undefined ? 'not scheduled yet' : nodeLink(node),
    Namespace: namespaceLink(namespace),
    Workloads: [
      ...workloadLine(workloads),
      ...(isMissing ? ['; ', { text: 'incomplete without it', tone: 'warning' as const }] : []),
    ],
    ...specFacts(pod),
    'API server': isKnown ? undefined : 'does not know this pod: it was deleted, or is not in the store yet',
  });
}

function figures(pod: MeasuredPodExplanation): Facts {
  const { usedBytes, inodesUsed, dataState, dataAgeMs, state } = pod;
  const isPending = state === 'pending';
  const missing = [', without volumes: ', { word: 'pending' as const }, ', the kubelet has not measured them yet'];
  const old = lastKnownLine(pod);
  return {
    Used: [
      isPending ? 'at least ' : '',
      bytes(usedBytes),
      ...(old.length === 0 ? [] : [', ', ...old]),
      ...(isPending ? missing : []),
    ],
    Inodes: inodesUsed === undefined ? undefined : count(inodesUsed),
    Data: old.length === 0 ? `${dataState}, ${formatAge(dataAgeMs)} old` : undefined,
  };
}

function specFacts({ spec, isExempt }: PodExplanation): Facts {
  if (spec === undefined) return {};
  const { phase, qosClass, priorityClass, startTimeMs, isStatic } = spec;
  return {
    Phase: phase,
    'QoS class': qosClass,
    'Priority class': priorityClass,
    Started: startTimeMs === undefined ? undefined : { atMs: startTimeMs },
    Eviction: isExempt ? `never: ${isStatic ? 'static' : 'system-critical'}` : undefined,
  };
}

/** Returns how old values are that are not those of now, and why; nothing of others. */
function lastKnownLine(facts: Partial<DataFacts>): readonly Piece[] {
  if (!isLastKnown(facts)) return [];
  const { dataAgeMs, absenceReason = 'never' } = facts;
  return [`last known ${formatAge(dataAgeMs)} ago, node without data (${absenceNames[absenceReason]})`];
}

/** The same next to the title of a section. */
export function lastKnownNote(facts: Partial<DataFacts>): { readonly note?: Line } {
  const note = lastKnownLine(facts);
  return note.length === 0 ? {} : { note };
}

/** What its total consists of. */
export function usage(pod: MeasuredPodExplanation): BlockOf<'section'> {
  return section({ id: 'usage', title: 'Usage', ...lastKnownNote(pod) }, [
    ...usageBar(pod, isLastKnown(pod)),
    { ...componentTable(pod.components, pod.usedBytes), detail: 'folded' },
  ]);
}

/** To the byte. */
export function componentTable(components: ComponentBytes, usedBytes: number): BlockOf<'table'> {
  const row = (name: Line, amount: number | undefined): Row => ({ cells: [name, count(amount), bytes(amount)] });
  return {
    is: 'table',
    caption: 'Parts of the usage',
    columns: [{ title: 'Part' }, { title: 'Bytes', isNumber: true }, { title: 'Size', isNumber: true, rank: 1 }],
    rows: [
      ...componentOrder.map((word) => ({ ...row({ word }, components[word]), colour: word })),
      row('= total', usedBytes),
    ],
  };
}

/** Up to the limit of the pod, or to what it uses. None of nothing. */
export function usageBar(
  {
    components,
    usedBytes,
    limitBytes,
    requestBytes,
  }: Pick<MeasuredPodExplanation, 'components' | 'usedBytes' | 'limitBytes'> &
    Partial<Pick<MeasuredPodExplanation, 'requestBytes'>>,
  isOld = false,
): readonly Block[] {
  const known = componentOrder.map((name): BarPart => ({ name, colour: name, amount: components[name] ?? 0 }));
  const knownBytes = known.reduce((sum, { amount }) => sum + Math.max(0, amount), 0);
  const whole = Math.max(knownBytes, usedBytes, limitBytes ?? 0);
  if (whole === 0) return [];
  const marks = Object.entries({ request: requestBytes, limit: limitBytes });
  return [
    {
      is: 'bar',
      caption: 'Usage',
      unit: 'bytes',
      whole,
      parts: [
        ...known,
        { name: 'not known', colour: 'unknown', amount: usedBytes - knownBytes },
        { name: 'below the limit', colour: 'free', amount: whole - Math.max(knownBytes, usedBytes) },
      ],
      marks: marks.flatMap(([name, at]) =>
        at === undefined || at > whole ? [] : [{ name: `${name} ${formatBytes(at)}`, at }],
      ),
      isOld,
    },
  ];
}

/** They add up to the total: what is theirs alone, and their shares of what the pod shares. */
export function containers(pod: MeasuredPodExplanation): DocumentPart {
  const { containers: all, split } = pod;
  return section({ id: 'containers', title: 'Containers' }, [
    ...(all.length === 0 ? [text('The kubelet lists no container.')] : [containerTable(pod)]),
    ...(split === 'even' && all.length > 0 ? [text('Its total is split evenly over its containers.')] : []),
  ]);
}

function containerTable({ containers: all, usedBytes, split }: MeasuredPodExplanation): Block {
  const parts = split === 'even' ? [] : containerParts;
  return {
    is: 'table',
    caption: 'Containers',
    columns: [
      { title: 'Container', minWidth: 8 },
      { title: 'Used', isNumber: true },
      ...parts.map(({ title }, index) => ({ title, isNumber: true, rank: index + 1 })),
    ],
    rows: [
      ...all.map((each) => ({
        cells: [each.container, bytes(each.usedBytes), ...parts.map(({ cell }) => cell(each))],
      })),
      { cells: ['= total', bytes(usedBytes), ...parts.map(() => '')] },
    ],
  };
}

const containerParts: readonly { readonly title: string; readonly cell: (of: ContainerExplanation) => Line }[] = [
  { title: 'rootfs', cell: ({ rootfsBytes }) => bytes(rootfsBytes) },
  { title: 'logs', cell: ({ logsBytes }) => bytes(logsBytes) },
  {
    title: 'Share of volumes',
    cell: ({ volumeShares }) =>
      volumeShares.length === 0
        ? '-'
        : joined(
            volumeShares.map(({ volume, bytes: amount }) => [bytes(amount), ` of ${volume}`]),
            ', ',
          ),
  },
  { title: 'Share of other', cell: ({ otherBytes }) => bytes(otherBytes) },
];

export function volumes({ volumes: all }: MeasuredPodExplanation): readonly DocumentPart[] {
  if (all.length === 0) return [];
  const volumeTable = table(
    { caption: 'Volumes' },
    [
      { title: 'Volume', minWidth: 8, cell: ({ volume }) => volume },
      { title: 'Type', rank: 3, cell: ({ type, medium }) => (medium === '' ? type : `${type}, ${medium}`) },
      { title: 'Used', isNumber: true, cell: ({ usedBytes }) => bytes(usedBytes) },
      { title: 'Size limit', isNumber: true, rank: 2, cell: ({ limitBytes }) => bytes(limitBytes) },
      {
        title: 'In the total',
        minWidth: 27,
        rank: 1,
        cell: ({ isCounted, countedReason }) => `${isCounted ? 'yes' : 'no'}: ${countedReason}`,
      },
      { title: 'Measured', rank: 4, cell: ({ measuredAtMs: atMs }) => (atMs === undefined ? '-' : { atMs }) },
    ],
    all,
  );
  return [section({ id: 'volumes', title: 'Volumes' }, [volumeTable])];
}
