import { canBind } from '../../facts/node/unenforced-limits.js';
import { components } from '../../facts/node/usage.js';
import { formatCount } from '../../lib/base/text.js';
import { formatAge, formatBytes, formatRatio, formatTime } from '../../lib/base/units.js';
import { type Column, tableLines } from '../../people/pens/table.js';
import { paragraphs, wrap, wrapped } from '../../people/pens/terminal-text.js';
import { verdictLines } from '../../people/pens/verdict-lines.js';
import type {
  ContainerExplanation,
  LimitExplanation,
  MeasuredPodExplanation,
  PodExplanation,
} from '../../people/query/pod-explanation.js';
import type { PodWithOutlook } from '../../people/query/pod-outlook.js';
import type { LastUsageReport } from '../../people/report/eviction-report.js';
import { grewText } from '../../people/report/pod-growth.js';
import type { VolumeReport } from '../../people/report/volume-report.js';
import { referenceText } from '../../people/report/workload-report.js';
import { ratioStyle } from '../text/output.js';

export interface TextOptions {
  /** In columns. */
  readonly width: number;
  /** Wall time of the reading. */
  readonly readAtMs: number;
  readonly hasColour?: boolean;
}

/** What adds up to the pod's usage, for people: exact bytes first, so that the sums can be checked. */
export function podText(explanation: PodWithOutlook, options: TextOptions): string {
  return paragraphs([
    verdictLines(explanation.verdict, options.width),
    wrapped([...headline(explanation), ...outlookLines(explanation)], options.width),
    ...(explanation.state === 'unmeasured'
      ? [tableLines(limitColumns, explanation.limits, options.width, options)]
      : measuredSections(explanation, options)),
    wrapped(
      explanation.findings.map(({ what, fix }) => `Warning: ${what}. ${fix}`),
      options.width,
    ),
  ]);
}

/** Its place on a node that is close to evicting pods, and its growth. */
function outlookLines({ nodePressure, growthBytesPerSecond: growth, verdict }: PodWithOutlook): readonly string[] {
  const rank =
    nodePressure === undefined
      ? []
      : [`Its node is close to evicting pods for ${nodePressure.signal}: this pod is number ${nodePressure.rank}.`];
  const grew = growth === undefined || growth <= 0 ? '' : grewText(growth);
  return verdict.text.includes(grew) ? rank : [...rank, grew];
}

function headline(explanation: PodExplanation): readonly string[] {
  const { namespace, pod, spec, node, workloads } = explanation;
  const names = workloads.map(referenceText);
  return [
    `Pod ${namespace}/${pod}${node === undefined ? '' : ` on ${node}`}`,
    ...(spec === undefined ? [unknownText] : specLines(explanation, spec)),
    `Workloads: ${names.length === 0 ? 'none' : names.join(', ')}.`,
    ...(explanation.state === 'unmeasured' ? lackLines(explanation) : summaryLines(explanation)),
  ];
}

const unknownText = 'The API server does not know this pod: it was deleted, or is not in the store yet.';

function specLines({ isExempt }: PodExplanation, spec: NonNullable<PodExplanation['spec']>): readonly string[] {
  const { phase, qosClass, priorityClass, startTimeMs, isStatic } = spec;
  const parts = [
    `Phase ${phase}`,
    qosClass === undefined ? undefined : `QoS ${qosClass}`,
    priorityClass === undefined ? undefined : `priority class ${priorityClass}`,
    startTimeMs === undefined ? undefined : `started ${formatTime(startTimeMs)}`,
  ];
  const facts = `${parts.filter((part) => part !== undefined).join(', ')}.`;
  if (!isExempt) return [facts];
  return [facts, `The pod is ${isStatic ? 'static' : 'critical'}: the kubelet never evicts it.`];
}

function summaryLines({ dataState, dataAgeMs, split, state }: MeasuredPodExplanation): readonly string[] {
  const even = split === 'even' ? ' Its total is split evenly over its containers.' : '';
  const age = `The summary is ${dataState}, ${formatAge(dataAgeMs)} old.${even}`;
  if (state !== 'pending') return [age];
  return [age, 'The kubelet has not measured its volumes yet: they are missing from the total.'];
}

function lackLines({
  isExpected,
  limitBytes,
  requestBytes,
}: Extract<PodExplanation, { readonly state: 'unmeasured' }>): readonly string[] {
  return [
    ...(isExpected ? ['Its workloads are incomplete without it.'] : []),
    `Limit ${formatBytes(limitBytes)}, request ${formatBytes(requestBytes)}.`,
  ];
}

function measuredSections(explanation: MeasuredPodExplanation, options: TextOptions): readonly (readonly string[])[] {
  const { width } = options;
  const { volumes, limits } = explanation;
  return [
    tableLines(sumColumns('COMPONENT'), componentRows(explanation), width),
    containerLines(explanation, width),
    volumes.length === 0 ? wrap('No volumes.', width) : tableLines(volumeColumns(options), volumes, width),
    limits.length === 0
      ? wrap('No limit that the kubelet enforces.', width)
      : tableLines(limitColumns, limits, width, options),
  ];
}

interface SumRow {
  readonly label: string;
  /** Undefined for a heading. */
  readonly bytes: number | undefined;
}

export function sumColumns(header: string): readonly Column<SumRow>[] {
  return [
    { header, text: ({ label }) => label, minWidth: 12 },
    { header: 'BYTES', text: ({ bytes }) => (bytes === undefined ? '' : formatCount(bytes)), align: 'right' },
    { header: '', text: ({ bytes }) => (bytes === undefined ? '' : formatBytes(bytes)), align: 'right', dropRank: 1 },
  ];
}

/** The components and their total; none where they are not known. */
export function componentRows({
  components: bytes,
  usedBytes,
}: Pick<LastUsageReport, 'components' | 'usedBytes'>): readonly SumRow[] {
  if (bytes === undefined || usedBytes === undefined) return [];
  const rows = components.map((component) => ({ label: component, bytes: bytes[component] }));
  return [...rows, { label: '= total', bytes: usedBytes }];
}

function containerLines({ containers, usedBytes, split }: MeasuredPodExplanation, width: number): readonly string[] {
  if (containers.length === 0) return wrap('The kubelet lists no container.', width);
  const rows = containers.flatMap((container) => containerRows(container, split));
  return tableLines(sumColumns('CONTAINER'), [...rows, { label: '= total', bytes: usedBytes }], width);
}

/** The parts, indented, then their sum. */
function containerRows(container: ContainerExplanation, split: MeasuredPodExplanation['split']): readonly SumRow[] {
  const { rootfsBytes, logsBytes, volumeShares, otherBytes, usedBytes } = container;
  const own = [
    { label: '  rootfs', bytes: rootfsBytes },
    { label: '  logs', bytes: logsBytes },
    ...volumeShares.map(({ volume, bytes }) => ({ label: `  share of volume ${volume}`, bytes })),
  ];
  return [
    { label: container.container, bytes: undefined },
    ...(split === 'measured' ? own : []),
    { label: split === 'measured' ? '  share of other' : '  even part of the total', bytes: otherBytes },
    { label: '  = attributed', bytes: usedBytes },
  ];
}

function volumeColumns({ readAtMs }: TextOptions): readonly Column<VolumeReport>[] {
  const ageOf = ({ measuredAtMs }: VolumeReport): number | undefined =>
    measuredAtMs === undefined ? undefined : readAtMs - measuredAtMs;
  return [
    { header: 'VOLUME', text: ({ volume }) => volume, minWidth: 8 },
    { header: 'TYPE', text: ({ type }) => type, dropRank: 2 },
    { header: 'MEDIUM', text: ({ medium }) => medium || '-', dropRank: 5 },
    { header: 'BYTES', text: ({ usedBytes }) => formatCount(usedBytes), align: 'right' },
    {
      header: 'COUNTED',
      text: ({ isCounted, countedReason }) => `${isCounted ? 'yes' : 'no'}: ${countedReason}`,
      minWidth: 12,
      dropRank: 1,
    },
    { header: 'MEASURED', text: (row) => agoText(ageOf(row)), align: 'right', dropRank: 4 },
  ];
}

function agoText(ageMs: number | undefined): string {
  return ageMs === undefined ? '-' : `${formatAge(ageMs)} ago`;
}

const limitColumns: readonly Column<LimitExplanation>[] = [
  { header: 'RULE', text: ({ rule }) => rule },
  { header: 'OF', text: ({ container, volume }) => container ?? volume ?? 'the pod', minWidth: 6 },
  { header: 'COUNTED', text: ({ counted }) => counted, minWidth: 8, dropRank: 2 },
  { header: 'BYTES', text: ({ usedBytes }) => formatCount(usedBytes), align: 'right', dropRank: 1 },
  {
    header: 'LIMIT',
    text: ({ limitBytes, limitQuantity }) => limitQuantity ?? formatCount(limitBytes),
    align: 'right',
    dropRank: 3,
  },
  { header: 'RATIO', text: ({ ratio }) => formatRatio(ratio), align: 'right', style: limitStyle },
  {
    header: '',
    text: ({ unenforced }) => (unenforced === undefined ? '' : `not enforced: ${unenforced.replaceAll('_', ' ')}`),
    minWidth: 12,
  },
];

function limitStyle(limit: LimitExplanation): ReturnType<typeof ratioStyle> {
  return canBind(limit) ? ratioStyle(limit.ratio) : undefined;
}
