import { components } from '../../attribution/usage.js';
import { formatAge, formatBytes, formatRatio } from '../../base/units.js';
import { type Column, renderTable } from '../text/table.js';
import { terminalText, wrap } from '../text/terminal-text.js';
import type { ContainerReport, LimitReport, MeasuredReport, PodReport } from './pod-explanation.js';
import type { VolumeReport } from './volume-reports.js';

export interface TextOptions {
  /** In columns. */
  readonly width: number;
  /** Wall time of the reading. */
  readonly readAtMs: number;
}

/** What makes up the pod's number, to be read: exact bytes first, so that the sums can be checked. */
export function podText(report: PodReport, options: TextOptions): string {
  const { measured } = report;
  const sections = [
    headline(report).flatMap((line) => wrap(line, options.width)),
    ...(measured === undefined ? [] : measuredSections(measured, options)),
  ];
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function headline(report: PodReport): readonly string[] {
  const { namespace, pod, spec, node, workloads, measured } = report;
  const lines = [
    `Pod ${namespace}/${pod}${node === undefined ? '' : ` on ${node}`}`,
    ...(spec === undefined ? [unknownText] : aboutSpec(spec)),
    `Belongs to: ${workloads.length === 0 ? 'no workload' : workloads.join(', ')}.`,
    ...(measured === undefined ? aboutLack(report) : aboutSummary(measured)),
  ];
  return lines.map(terminalText);
}

const unknownText = 'The API server does not know it: the kubelet reports a pod that is gone, or not there yet.';

type Spec = NonNullable<PodReport['spec']>;

function aboutSpec({ phase, qosClass, priorityClass, startTimeMs, isStatic, isNeverEvicted }: Spec): readonly string[] {
  const parts = [
    `Phase ${phase}`,
    qosClass === undefined ? undefined : `QoS ${qosClass}`,
    priorityClass === undefined ? undefined : `priority class ${priorityClass}`,
    startTimeMs === undefined ? undefined : `started ${new Date(startTimeMs).toISOString()}`,
  ];
  const facts = `${parts.filter((part) => part !== undefined).join(', ')}.`;
  if (!isNeverEvicted) return [facts];
  return [facts, `It is ${isStatic ? 'static' : 'critical'}: the kubelet never evicts it for its limits.`];
}

function aboutSummary({ summaryState, summaryAgeMs, split, volumesPending }: MeasuredReport): readonly string[] {
  const even = split === 'even' ? ' Its total is split evenly over its containers.' : '';
  const age = `The summary is ${summaryState}, ${formatAge(summaryAgeMs)} old.${even}`;
  if (!volumesPending) return [age];
  return [age, 'The kubelet has not measured its volumes yet: the total is too small by them.'];
}

function aboutLack({ unmeasuredReason, isExpected, limitBytes, requestBytes }: PodReport): readonly string[] {
  const effect = isExpected === true ? ' Its workloads are incomplete without it.' : '';
  return [
    `Not measured: ${unmeasuredReason ?? ''}.${effect}`,
    `Limit ${formatBytes(limitBytes)}, request ${formatBytes(requestBytes)}.`,
  ];
}

function measuredSections(report: MeasuredReport, options: TextOptions): readonly (readonly string[])[] {
  const { width } = options;
  const { volumes, limits } = report;
  return [
    renderTable(sumColumns('COMPONENT'), componentRows(report), width).lines,
    containerLines(report, width),
    volumes.length === 0 ? wrap('No volumes.', width) : renderTable(volumeColumns(options), volumes, width).lines,
    limits.length === 0 ? wrap('No limit to be evicted for.', width) : renderTable(limitColumns, limits, width).lines,
  ];
}

interface SumRow {
  readonly label: string;
  /** Undefined for a heading. */
  readonly bytes: number | undefined;
}

function sumColumns(header: string): readonly Column<SumRow>[] {
  return [
    { header, text: ({ label }) => label, minWidth: 12 },
    { header: 'BYTES', text: ({ bytes }) => (bytes === undefined ? '' : String(bytes)), align: 'right' },
    { header: '', text: ({ bytes }) => (bytes === undefined ? '' : formatBytes(bytes)), align: 'right', dropRank: 1 },
  ];
}

function componentRows({ componentBytes, usedBytes }: MeasuredReport): readonly SumRow[] {
  const rows = components.map((component) => ({ label: component, bytes: componentBytes[component] }));
  return [...rows, { label: '= total', bytes: usedBytes }];
}

function containerLines({ containers, usedBytes, split }: MeasuredReport, width: number): readonly string[] {
  if (containers.length === 0) return wrap('The kubelet lists no container.', width);
  const rows = containers.flatMap((container) => containerRows(container, split));
  return renderTable(sumColumns('CONTAINER'), [...rows, { label: '= total', bytes: usedBytes }], width).lines;
}

/** The parts, indented, then their sum. */
function containerRows(container: ContainerReport, split: MeasuredReport['split']): readonly SumRow[] {
  const { rootfsBytes, logsBytes, volumeShares, restBytes, usedBytes } = container;
  const own = [
    { label: '  rootfs', bytes: rootfsBytes },
    { label: '  logs', bytes: logsBytes },
    ...volumeShares.map(({ volume, bytes }) => ({ label: `  share of volume ${volume}`, bytes })),
  ];
  return [
    { label: container.container, bytes: undefined },
    ...(split === 'measured' ? own : []),
    { label: split === 'measured' ? '  share of other' : '  even part of the total', bytes: restBytes },
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
    { header: 'BYTES', text: ({ usedBytes }) => String(usedBytes ?? '-'), align: 'right' },
    {
      header: 'COUNTED',
      text: ({ isCounted, why }) => `${isCounted ? 'yes' : 'no'}: ${why}`,
      minWidth: 12,
      dropRank: 1,
    },
    { header: 'MEASURED', text: (row) => agoText(ageOf(row)), align: 'right', dropRank: 4 },
  ];
}

function agoText(ageMs: number | undefined): string {
  return ageMs === undefined ? '-' : `${formatAge(ageMs)} ago`;
}

const limitColumns: readonly Column<LimitReport>[] = [
  { header: 'RULE', text: ({ rule }) => rule },
  { header: 'OF', text: ({ container, volume }) => container ?? volume ?? 'the pod', minWidth: 6 },
  { header: 'HELD', text: ({ held }) => held, minWidth: 8, dropRank: 1 },
  { header: 'BYTES', text: ({ usedBytes }) => String(usedBytes), align: 'right' },
  { header: 'LIMIT', text: ({ limitBytes }) => String(limitBytes), align: 'right', dropRank: 2 },
  { header: 'RATIO', text: ({ ratio }) => formatRatio(ratio), align: 'right' },
];
