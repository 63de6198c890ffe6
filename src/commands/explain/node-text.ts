import { joinTruncated } from '../../base/text.js';
import { formatAge, formatBytes } from '../../base/units.js';
import type { FilesystemReport } from '../../report/filesystem-report.js';
import type { SignalReport } from '../../report/signal-report.js';
import { unreadPodsText } from '../../report/unread-pods-text.js';
import { type Column, renderTable } from '../text/table.js';
import { terminalText, wrap } from '../text/terminal-text.js';
import { nodeFindingLines } from './finding-text.js';
import type { NodeExplanation } from './node-explanation.js';
import type { TextOptions } from './pod-text.js';
import { amountText, victimSections } from './victim-text.js';

/** A node's disks by owner, its thresholds and the order of eviction, for people. */
export function nodeText(explanation: NodeExplanation, options: TextOptions): string {
  const { width } = options;
  const sections = [
    headline(explanation, options)
      .map(terminalText)
      .flatMap((line) => wrap(line, width)),
    ...(explanation.state === 'absent'
      ? []
      : [
          filesystemLines(explanation.filesystems, width),
          signalLines(explanation.signals, width),
          ...orderSections(explanation, width),
        ]),
    nodeFindingLines(explanation.findings, width),
    imageLines(explanation, width),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function headline(explanation: NodeExplanation, { readAtMs }: TextOptions): readonly string[] {
  const { node, kubeletVersion, operatingSystem } = explanation;
  const kubelet = kubeletVersion === undefined ? 'kubelet of unknown version' : `kubelet ${kubeletVersion}`;
  return [
    `Node ${node}: ${kubelet}${operatingSystem === undefined ? '' : ` on ${operatingSystem}`}.`,
    ...dataLines(explanation, readAtMs),
    ...pressureLines(explanation),
  ];
}

const layoutTexts: Readonly<Record<NonNullable<NodeExplanation['layout']>, string>> = {
  shared: 'Images, writable layers, logs and volumes share one filesystem.',
  dedicated: 'Images and writable layers are on a filesystem of their own (imagefs); logs and volumes are on nodefs.',
  split: 'Images are on a filesystem of their own (imagefs); writable layers, logs and volumes are on nodefs.',
};

/** https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/#reclaiming-node-level-resources */
const reclaimTexts: typeof layoutTexts = {
  shared: 'Below a threshold, the kubelet deletes dead containers and unused images before it evicts.',
  dedicated:
    'Below a threshold of imagefs or containerfs, the kubelet deletes dead containers and unused images before it evicts; of nodefs, nothing.',
  split:
    'Before it evicts, the kubelet deletes unused images for imagefs, and dead containers for nodefs and containerfs.',
};

function dataLines(explanation: NodeExplanation, readAtMs: number): readonly string[] {
  if (explanation.state === 'absent') return absentLines(explanation, readAtMs);
  const { state, dataAgeMs, layout, failure } = explanation;
  return [
    `The summary is ${state}, ${formatAge(dataAgeMs)} old.`,
    ...(failure === undefined ? [] : [`The last request failed ${formatAge(failure.ageMs)} ago: ${failure.message}.`]),
    ...(layout === undefined ? [] : [layoutTexts[layout], reclaimTexts[layout]]),
  ];
}

type AbsentNode = Extract<NodeExplanation, { readonly state: 'absent' }>;

function absentLines(
  { reason, hint, failure, ready, readyChangedAtMs }: AbsentNode,
  readAtMs: number,
): readonly string[] {
  const cause = failure && `${failure.message.replace(/\.$/, '')}, ${formatAge(failure.ageMs)} ago.`;
  const notReady =
    ready === false && readyChangedAtMs !== undefined
      ? [`The node has not been ready for ${formatAge(readAtMs - readyChangedAtMs)}.`]
      : [];
  return [`No data (${reason}): ${cause === undefined ? '' : `${cause} `}${hint}`, ...notReady];
}

function pressureLines({ diskPressure }: NodeExplanation): readonly string[] {
  if (diskPressure === undefined) return [];
  return diskPressure
    ? ['Condition DiskPressure: true. The kubelet evicts, and refuses new pods.']
    : ['Condition DiskPressure: false.'];
}

const filesystemColumns: readonly Column<FilesystemReport>[] = [
  { header: 'FILESYSTEM', text: ({ filesystem }) => filesystem },
  { header: 'CAPACITY', text: ({ capacityBytes }) => formatBytes(capacityBytes), align: 'right', dropRank: 1 },
  { header: 'PODS', text: ({ podsUsedBytes }) => formatBytes(podsUsedBytes), align: 'right' },
  { header: 'IMAGES', text: ({ imagesUsedBytes }) => formatBytes(imagesUsedBytes), align: 'right' },
  { header: 'NEITHER', text: ({ unattributedBytes }) => formatBytes(unattributedBytes), align: 'right' },
  { header: 'FREE', text: ({ availableBytes }) => formatBytes(availableBytes), align: 'right' },
];

function filesystemLines(filesystems: readonly FilesystemReport[], width: number): readonly string[] {
  const own = filesystems.filter(({ sameAs }) => sameAs === undefined);
  return own.length === 0 ? [] : renderTable(filesystemColumns, own, width).lines;
}

const signalColumns: readonly Column<SignalReport>[] = [
  { header: 'SIGNAL', text: ({ signal }) => signal },
  { header: 'AVAILABLE', text: ({ signal, available }) => amountText(signal, available), align: 'right' },
  { header: 'THRESHOLD', text: (row) => amountText(row.signal, thresholdOf(row)), align: 'right' },
  { header: 'HEADROOM', text: ({ signal, headroom }) => amountText(signal, headroom), align: 'right' },
  { header: 'SOFT', text: softText, dropRank: 1 },
  {
    header: '',
    text: ({ isCrossed }) => (isCrossed ? 'crossed' : ''),
    style: ({ isCrossed }) => (isCrossed ? 'bold-red' : undefined),
  },
];

function thresholdOf(row: Pick<SignalReport, 'thresholdBytes' | 'thresholdInodes'>): number | undefined {
  return row.thresholdBytes ?? row.thresholdInodes;
}

function softText({ signal, soft }: SignalReport): string {
  if (soft === undefined) return '-';
  return `${amountText(signal, thresholdOf(soft))} for ${formatAge(soft.gracePeriodMs)}${soft.isCrossed ? ', crossed' : ''}`;
}

const assumedText =
  'The thresholds are assumed: they are the defaults of Kubernetes. With kubelet.readConfig (needs get on nodes/configz) they are read from the kubelet.';

function signalLines(signals: readonly SignalReport[], width: number): readonly string[] {
  const isAssumed = signals.some((signal) => signal.isAssumed === true);
  return [...renderTable(signalColumns, signals, width).lines, ...(isAssumed ? wrap(assumedText, width) : [])];
}

function orderSections(explanation: NodeExplanation, width: number): readonly (readonly string[])[] {
  const { unreadPodCount, signals } = explanation;
  return unreadPodCount === undefined
    ? [...victimSections(signals, width), unrankedLines(explanation, width)]
    : [wrap(`Order of eviction: unknown, ${unreadPodsText(unreadPodCount)}${unreadReason(unreadPodCount)}.`, width)];
}

function unreadReason(count: number): string {
  if (count === 0) return '';
  const [they, them] = count === 1 ? ['it is', 'it'] : ['they are', 'them'];
  return `: ${they} out of scope, or the API server does not know ${them}`;
}

function unrankedLines({ unrankedPodCount = 0 }: NodeExplanation, width: number): readonly string[] {
  if (unrankedPodCount === 0) return [];
  const pods = unrankedPodCount === 1 ? '1 pod' : `${unrankedPodCount} pods`;
  return wrap(`Not ranked: ${pods} of the summary that the API server does not know.`, width);
}

const maxImageCount = 5;

function imageLines({ images }: NodeExplanation, width: number): readonly string[] {
  if (images.length === 0) return [];
  const texts = images.map(({ name, sizeBytes }) => `${terminalText(name)} (${formatBytes(sizeBytes)})`);
  return wrap(`Largest images: ${joinTruncated(texts, maxImageCount)}.`, width);
}
