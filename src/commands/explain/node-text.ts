import { countsInodes, type EvictionSignal } from '../../cluster/kubelet/eviction-signals.js';
import { findingKinds } from '../../facts/node/pod-findings.js';
import { getOrAdd, groupBy } from '../../lib/base/maps.js';
import { countedText, formatCount, joinTruncated } from '../../lib/base/text.js';
import { formatAge, formatBytes } from '../../lib/base/units.js';
import type { ListedNodeReport } from '../../people/query/list-nodes.js';
import type { ListedImage, NodeExplanation } from '../../people/query/node-explanation.js';
import { enforcementText, unknownHeadroomText } from '../../people/report/enforcement-report.js';
import type { FilesystemReport } from '../../people/report/filesystem-report.js';
import type { FindingReport } from '../../people/report/finding-report.js';
import { imageTexts } from '../../people/report/image-texts.js';
import {
  type FreeingReport,
  nearestSignal,
  type SignalReport,
  unreadPodsText,
  type VictimReport,
} from '../../people/report/signal-report.js';
import { type Column, tableLines } from '../text/table.js';
import { paragraphs, terminalText, wrap, wrapped } from '../text/terminal-text.js';
import { verdictLines } from '../text/verdict-lines.js';
import type { TextOptions } from './pod-text.js';
import { amountText, isShort, signalLines } from './signal-lines.js';

type ExplainedNode = NodeExplanation & Pick<ListedNodeReport, 'condition'>;

/** A node's disks by owner, its thresholds and the order of eviction, for people. */
export function nodeText(explanation: ExplainedNode, options: TextOptions): string {
  const { width } = options;
  return paragraphs([
    explanation.verdict === undefined
      ? wrapped([calmText(explanation)], width)
      : verdictLines(explanation.verdict, width),
    wrapped(headline(explanation, options), width),
    ...(explanation.state === 'absent'
      ? []
      : [
          tableLines(
            filesystemColumns,
            explanation.filesystems.filter(({ sameAs }) => sameAs === undefined),
            width,
          ),
          signalLines(explanation.signals, width),
          ...orderSections(explanation, width),
        ]),
    nodeFindingLines(explanation.findings, width),
    imageLines(explanation, width),
  ]);
}

/** The first line for a node that is not close to evicting pods, as far as that is known. */
function calmText(explanation: ExplainedNode): string {
  if (explanation.state === 'absent') return absentText(explanation);
  if (explanation.condition === 'unknown') return unknownHeadroomText(explanation.filesystems, explanation.enforcement);
  const nearest = nearestSignal(explanation.signals);
  if (nearest?.headroom === undefined) return 'No eviction threshold of its disks is known.';
  const unit = countsInodes(nearest.signal) ? ' inodes' : '';
  return `Not close to evicting pods: ${amountText(nearest.signal, nearest.headroom)}${unit} above the nearest threshold, of ${nearest.signal}.`;
}

function headline(explanation: NodeExplanation, { readAtMs }: TextOptions): readonly string[] {
  const { node, kubeletVersion, operatingSystem } = explanation;
  const kubelet = kubeletVersion === undefined ? 'kubelet of unknown version' : `kubelet ${kubeletVersion}`;
  return [
    `Node ${node}: ${kubelet}${operatingSystem === undefined ? '' : ` on ${operatingSystem}`}.`,
    ...dataLines(explanation, readAtMs),
    ...pressureLines(explanation),
    ...(explanation.enforcement ?? []).map((kind) => `Warning: ${enforcementText(kind, explanation)}.`),
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

type AbsentNodeExplanation = Extract<NodeExplanation, { readonly state: 'absent' }>;

function absentText({ reason, hint, failure }: AbsentNodeExplanation): string {
  const cause = failure && `${failure.message.replace(/\.$/, '')}, ${formatAge(failure.ageMs)} ago.`;
  return `No data (${reason}): ${cause === undefined ? '' : `${cause} `}${hint}`;
}

function absentLines(explanation: AbsentNodeExplanation, readAtMs: number): readonly string[] {
  const { verdict, ready, readyChangedAtMs } = explanation;
  const notReady =
    ready === false && readyChangedAtMs !== undefined
      ? [`The node has not been ready for ${formatAge(readAtMs - readyChangedAtMs)}.`]
      : [];
  return [...(verdict === undefined ? [] : [absentText(explanation)]), ...notReady];
}

/** The condition outlasts the shortage. */
function pressureLines({ diskPressure, signals, verdict }: NodeExplanation): readonly string[] {
  if (diskPressure === undefined) return [];
  if (!diskPressure) return ['Condition DiskPressure: false.'];
  const isCrossed = signals.some((signal) => signal.isCrossed || signal.soft?.isCrossed === true);
  if (isCrossed) return ['Condition DiskPressure: true. The kubelet evicts, and refuses new pods.'];
  return verdict?.kind === 'no_space' || verdict?.headroom !== undefined
    ? [
        'Condition DiskPressure: true. No threshold that is known is crossed: the kubelet refuses new pods until evictionPressureTransitionPeriod after the shortage is over.',
      ]
    : ['Condition DiskPressure: true. The kubelet refuses new pods, and may be evicting: its headroom is not known.'];
}

const filesystemColumns: readonly Column<FilesystemReport>[] = [
  { header: 'FILESYSTEM', text: ({ filesystem }) => filesystem },
  { header: 'CAPACITY', text: ({ capacityBytes }) => formatBytes(capacityBytes), align: 'right', dropRank: 2 },
  { header: 'PODS', text: ({ podsUsedBytes }) => formatBytes(podsUsedBytes), align: 'right', dropRank: 1 },
  { header: 'IMAGES', text: ({ imagesUsedBytes }) => formatBytes(imagesUsedBytes), align: 'right', dropRank: 1 },
  { header: 'OTHER', text: ({ unattributedBytes }) => formatBytes(unattributedBytes), align: 'right', dropRank: 1 },
  { header: 'FREE', text: ({ availableBytes }) => formatBytes(availableBytes), align: 'right' },
];

function orderSections(explanation: NodeExplanation, width: number): readonly (readonly string[])[] {
  const { unreadPodCount, signals, enforcement } = explanation;
  const ranked = signals.filter((row) => !countsInodes(row.signal) || isShort(row));
  return unreadPodCount === undefined
    ? [...victimSections(ranked, width), unrankedLines(explanation, width)]
    : [
        wrap(
          `Order of eviction: unknown, ${unreadPodsText(unreadPodCount, enforcement)}${unreadReason(unreadPodCount)}.`,
          width,
        ),
      ];
}

function unreadReason(count: number): string {
  if (count === 0) return '';
  const [they, them] = count === 1 ? ['it is', 'it'] : ['they are', 'them'];
  return `: ${they} out of scope, or the API server does not know ${them}`;
}

function unrankedLines({ unrankedPodCount = 0 }: NodeExplanation, width: number): readonly string[] {
  if (unrankedPodCount === 0) return [];
  const pods = countedText(unrankedPodCount, ['pod', 'pods']);
  return wrap(`Not ranked: ${pods} of the summary that the API server does not know.`, width);
}

const maxImageCount = 5;

function imageLines({ images, listedImages }: NodeExplanation, width: number): readonly string[] {
  if (images === undefined) return [];
  const largest = joinTruncated(listedImages.map(imageText), maxImageCount);
  return wrapped([...imageTexts(images), `The largest: ${largest}.`], width);
}

function imageText({ name = 'one without a name', sizeBytes, isUnused }: ListedImage): string {
  return `${terminalText(name)} (${formatBytes(sizeBytes)}${isUnused === true ? ', unused' : ''})`;
}

const maxVictimCount = 10;
const maxNameCount = 8;

/** One section for all signals with the same order of the same values. */
function victimSections(signals: readonly SignalReport[], width: number): readonly (readonly string[])[] {
  const groups = groupBy(signals, ({ signal, victims }) => JSON.stringify([countsInodes(signal), victims]));
  return [...groups.values()].map((group) => groupLines(group, width));
}

function groupLines(group: readonly SignalReport[], width: number): readonly string[] {
  const [first] = group;
  if (first === undefined) return [];
  const names = group.map(({ signal }) => signal).join(', ');
  const { signal, victims = [] } = first;
  if (victims.length === 0) return wrap(`Order of eviction for ${names}: no pod of this node is known.`, width);
  const shown = victims.slice(0, maxVictimCount);
  const hiddenCount = victims.length - shown.length;
  return [
    ...wrap(`Order of eviction for ${names}:`, width),
    ...tableLines(victimColumns(signal), shown, width),
    ...(hiddenCount === 0 ? [] : [`and ${formatCount(hiddenCount)} more.`]),
    ...freeingTexts(group).flatMap((text) => wrap(text, width)),
  ];
}

function victimColumns(signal: EvictionSignal): readonly Column<VictimReport>[] {
  return [
    { header: 'RANK', text: ({ rank }) => String(rank), align: 'right' },
    { header: 'POD', text: ({ namespace, pod }) => `${namespace}/${pod}`, minWidth: 12 },
    { header: 'USAGE', text: ({ usage }) => amountText(signal, usage), align: 'right' },
    { header: 'REQUEST', text: ({ request }) => formatBytes(request), align: 'right', dropRank: 3 },
    { header: 'PRIORITY', text: ({ priority }) => String(priority), align: 'right', dropRank: 2 },
    { header: 'WHY', text: (victim) => reasonText(signal, victim), minWidth: 21, dropRank: 1 },
  ];
}

function reasonText(signal: EvictionSignal, victim: VictimReport): string {
  const place = placeText(signal, victim);
  return victim.exempt === undefined ? place : `${place}; never evicted: ${victim.exempt}`;
}

function placeText(signal: EvictionSignal, { place, usage = 0, request }: VictimReport): string {
  switch (place) {
    case 'no_statistics':
      return 'no statistics';
    case 'above_request':
      return countsInodes(signal) ? 'uses inodes' : `${formatBytes(usage - request)} above its request`;
    case 'within_request':
      return countsInodes(signal) ? 'uses no inodes' : `${formatBytes(request - usage)} below its request`;
  }
}

/** A text for each amount: signals of one order may lack different ones. */
function freeingTexts(group: readonly SignalReport[]): readonly string[] {
  const byText = new Map<string, EvictionSignal[]>();
  for (const { signal, toFree } of group) {
    if (toFree !== undefined) getOrAdd(byText, freeingText(signal, toFree), (): EvictionSignal[] => []).push(signal);
  }
  return byText.size <= 1
    ? [...byText.keys()]
    : Array.from(byText, ([text, signals]) => text.replace(': ', ` for ${signals.join(', ')}: `));
}

function freeingText(signal: EvictionSignal, { amount, isMissing, victims, freed, isEnough }: FreeingReport): string {
  const unit = countsInodes(signal) ? ' inodes' : '';
  const what = `To free ${isMissing ? 'the missing ' : ''}${amountText(signal, amount)}${unit}`;
  const names = joinTruncated(
    victims.map(({ namespace, pod }) => terminalText(`${namespace}/${pod}`)),
    maxNameCount,
  );
  if (isEnough) return `${what}: ${names}.`;
  return `${what}: not enough, all pods that may be evicted free ${amountText(signal, freed)}${unit}.`;
}

const maxPodCount = 5;

/** The pods of a node by kind, each kind with its fix. */
function nodeFindingLines(findings: readonly FindingReport[], width: number): readonly string[] {
  return findingKinds.flatMap((kind) =>
    kindLines(
      findings.filter((finding) => finding.kind === kind),
      width,
    ),
  );
}

function kindLines(findings: readonly FindingReport[], width: number): readonly string[] {
  const hiddenCount = findings.length - maxPodCount;
  const lines = [
    ...findings.slice(0, maxPodCount).map(({ namespace, pod, what }) => `Warning: ${namespace}/${pod}: ${what}.`),
    ...(hiddenCount > 0 ? [`and ${formatCount(hiddenCount)} more of this kind.`] : []),
    ...findings.slice(0, 1).map(({ fix }) => fix),
  ];
  return wrapped(lines, width);
}
