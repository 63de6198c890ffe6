import { formatCount } from '../../lib/base/text.js';
import { formatAge, formatBytes, formatRatio, formatTime } from '../../lib/base/units.js';
import { type Column, tableLines } from '../../people/pens/table.js';
import { paragraphs, wrapped } from '../../people/pens/terminal-text.js';
import { verdictLines } from '../../people/pens/verdict-lines.js';
import { causeText, eventText, evictionHint, unknownUsageText } from '../../people/report/eviction-cause-text.js';
import { type EvictionReport, type LastUsageReport, ownBytes } from '../../people/report/eviction-report.js';
import type { LimitReport } from '../../people/report/limit-report.js';
import { growthText } from '../../people/report/pod-growth.js';
import { sizeText } from '../../people/report/verdict-commands.js';
import { ruleText } from '../top/view.js';
import { componentRows, referenceText, sumColumns, type TextOptions } from './pod-text.js';

/** What a pod was evicted for and what it used before, for people. */
export function evictionText(eviction: EvictionReport, options: TextOptions): string {
  const { lastUsage } = eviction;
  const { width } = options;
  return paragraphs([
    wrapped(eviction.verdict === undefined ? [] : [eviction.verdict.text], width),
    wrapped(headline(eviction, options), width),
    ...(lastUsage === undefined
      ? [wrapped([unknownUsageText(eviction)], width)]
      : usageSections(eviction, lastUsage, width)),
    verdictLines({ text: evictionHint(eviction), commands: eviction.verdict?.commands ?? [] }, width),
  ]);
}

function headline(eviction: EvictionReport, { readAtMs }: TextOptions): readonly string[] {
  const { namespace, pod, node, workloads, message, evictedAtMs, diskPressure } = eviction;
  const names = workloads.map(referenceText);
  const what = eventText(eviction) === 'refused' ? 'refused by' : 'evicted from';
  const pressure = diskPressure === true ? [`Node ${node} had the condition DiskPressure.`] : [];
  return [
    `Pod ${namespace}/${pod} was ${what} ${node || 'an unknown node'} ${formatAge(readAtMs - evictedAtMs)} ago, at ${formatTime(evictedAtMs)}.`,
    `Cause: ${causeText(eviction)}.`,
    `Message: ${message.trim()}`,
    `Workloads: ${names.length === 0 ? 'none' : names.join(', ')}.`,
    ...pressure,
  ];
}

function usageSections(
  eviction: EvictionReport,
  lastUsage: LastUsageReport,
  width: number,
): readonly (readonly string[])[] {
  const { usedBytes, inodesUsed, ageMs, isPending, containers, volumes, limits } = lastUsage;
  const inodes = inodesUsed === undefined ? '' : `, ${formatCount(inodesUsed)} inodes`;
  const total =
    usedBytes === undefined ? 'without a total' : `${formatCount(usedBytes)} bytes (${formatBytes(usedBytes)})`;
  const pending = isPending ? ' The kubelet had not measured its volumes yet: they are missing from the total.' : '';
  return [
    wrapped([`Last measured ${formatAge(ageMs)} before the eviction: ${total}${inodes}.${pending}`], width),
    tableLines(sumColumns('COMPONENT'), componentRows(lastUsage), width),
    tableLines(containerColumns, containers, width),
    tableLines(volumeColumns, volumes, width),
    tableLines(limitColumns, limits, width),
    tableLines(sampleColumns(eviction), lastUsage.samples, width),
    wrapped(growthLines(eviction, lastUsage), width),
  ];
}

function growthLines({ cause }: EvictionReport, lastUsage: LastUsageReport): readonly string[] {
  const { growthBytesPerSecond: growth, samples, limitForAnHourBytes: limit } = lastUsage;
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || samples.length < 2) return [];
  const over = `${samples.length} measurements in ${formatAge(last.atMs - first.atMs)}`;
  if (growth === undefined) return [growthText(samples)];
  if (growth <= 0) return [`It did not grow over ${over}.`];
  const subject = cause === 'emptydir_limit' ? 'A size limit' : 'A limit';
  const longer = limit && ` ${subject} of ${sizeText(limit)} would have let it run for an hour more at this growth.`;
  return [`It grew by ${formatBytes(Math.round(growth * 60))} a minute over ${over}.${longer ?? ''}`];
}

const containerColumns: readonly Column<LastUsageReport['containers'][number]>[] = [
  { header: 'CONTAINER', text: ({ container }) => container, minWidth: 9 },
  { header: 'USED', text: (container) => formatBytes(ownBytes(container)), align: 'right' },
  { header: 'ROOTFS', text: ({ rootfsBytes }) => formatBytes(rootfsBytes), align: 'right', dropRank: 2 },
  { header: 'LOGS', text: ({ logsBytes }) => formatBytes(logsBytes), align: 'right', dropRank: 1 },
];

const volumeColumns: readonly Column<LastUsageReport['volumes'][number]>[] = [
  { header: 'VOLUME', text: ({ volume }) => volume, minWidth: 9 },
  { header: 'USED', text: ({ usedBytes }) => formatBytes(usedBytes), align: 'right' },
  { header: 'TYPE', text: ({ type, medium }) => (medium === '' ? type : `${type} (${medium})`), dropRank: 2 },
  { header: 'COUNTED', text: ({ isCounted }) => (isCounted ? 'yes' : 'no'), dropRank: 1 },
];

const limitColumns: readonly Column<LimitReport>[] = [
  { header: 'LIMIT OF', text: ruleText, minWidth: 8 },
  { header: 'USED', text: ({ usedBytes }) => formatBytes(usedBytes), align: 'right', dropRank: 2 },
  { header: 'LIMIT', text: ({ limitBytes }) => formatBytes(limitBytes), align: 'right', dropRank: 1 },
  { header: 'RATIO', text: ({ ratio }) => formatRatio(ratio), align: 'right' },
];

function sampleColumns({ evictedAtMs }: EvictionReport): readonly Column<LastUsageReport['samples'][number]>[] {
  return [
    { header: 'BEFORE', text: ({ atMs }) => formatAge(evictedAtMs - atMs), align: 'right' },
    { header: 'TOTAL', text: ({ usedBytes }) => formatBytes(usedBytes), align: 'right' },
  ];
}
