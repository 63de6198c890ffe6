import { groupBy } from '../../lib/base/maps.js';
import { capitalised, countedText } from '../../lib/base/text.js';
import { formatAge } from '../../lib/base/units.js';
import { bytes, count, type Document, type DocumentPart, type Line } from '../pens/document.js';
import type { MeasuredShownNode, NodeObject, ShownNode } from '../query/node-explanation.js';
import { absenceNames } from '../report/absence-hints.js';
import { enforcementText, unknownHeadroomText } from '../report/enforcement-report.js';
import type { FindingReport } from '../report/finding-report.js';
import { conditionMarks, isLastTrouble } from '../report/node-condition.js';
import type { ListedNodeReport } from '../report/node-report.js';
import { momentText } from '../report/pod-report.js';
import { nearestSignal, signalAmount } from '../report/signal-report.js';
import { absenceCommands } from '../report/verdict-commands.js';
import { imageSection } from './image-section.js';
import { diskBlocks } from './node-disk.js';
import { evictionOrder } from './node-evictions.js';
import { evictionSection, factList, findingBlocks, podLink, podSection, section, text } from './parts.js';

/** What fills the disks of one node, and whom its kubelet evicts for it. */
export function nodeDocument(data: NodeObject): Document {
  const { node } = data;
  return {
    title: ['Node', node.node],
    blocks: [
      verdict(node),
      nodeFacts(node),
      section({ id: 'disk', title: 'Disk' }, diskBlocks(data)),
      section({ id: 'eviction-order', title: 'Who is evicted next' }, evictionOrder(node)),
      podSection(data.pods, {
        all: { path: ['pods'], query: { node: node.node }, shown: 'all pods of the node' },
        isOfNode: true,
      }),
      findings(node),
      evictionSection(data.evictions, {
        all: { path: ['evictions'], query: { node: node.node }, shown: 'all evictions of the node' },
        none: 'No eviction on this node is remembered.',
        isOfNode: true,
      }),
      imageSection(node),
    ],
  };
}

/** What is the matter in one sentence, and the next commands. Nothing is in the colour of health without data. */
function verdict(node: ShownNode): DocumentPart {
  const warnings = (node.enforcement ?? []).map((kind) => ({
    text: `Warning: ${enforcementText(kind, node)}.`,
    tone: 'warning' as const,
  }));
  const sentences = node.state === 'absent' ? absenceTexts(node) : [node.verdict?.text ?? calmText(node)];
  const ofAbsence = node.state === 'absent' ? absenceCommands(node.reason, node.node, node.failure) : [];
  return {
    is: 'verdict',
    tone: conditionMarks[node.condition].severity,
    lines: [...sentences, ...warnings],
    commands: [...new Set([...ofAbsence, ...(node.verdict?.commands ?? [])])],
  };
}

function absenceTexts(node: Exclude<ShownNode, MeasuredShownNode>): readonly string[] {
  const { reason, hint, failure, expectedPodCount, verdict: known } = node;
  const cause = failure && ` ${failure.message.replace(/\.$/, '')}, ${formatAge(failure.ageMs)} ago.`;
  const next = failure !== undefined && reason === 'forbidden' ? '' : ` ${hint}`; // a refusal names the rule that is missing
  const pending = countedText(expectedPodCount, ['running pod', 'running pods']);
  return [
    `No data (${absenceNames[reason]}):${cause ?? ''}${next}`,
    ...(pending === '' ? [] : [`${pending} not measured.`]),
    ...(known === undefined ? [] : [known.text]),
  ];
}

/** As far as it is known. */
function calmText({ condition, signals, filesystems, enforcement }: MeasuredShownNode): string {
  if (condition === 'unknown') return unknownHeadroomText(filesystems, enforcement);
  const { signal, headroom } = nearestSignal(signals) ?? {};
  if (signal === undefined || headroom === undefined) return 'No eviction threshold of its disks is known.';
  const state = condition === 'ok' ? '' : `${capitalised(conditionMarks[condition].text)}. `;
  return `${state}Not close to evicting pods: ${signalAmount(signal, headroom)} above the nearest threshold, of ${signal}.`;
}

/** Of each kind. */
const shownFindingCount = 5;

function findings(node: ShownNode): DocumentPart {
  const kinds = [...groupBy(node.findings, ({ kind }: FindingReport) => kind).values()];
  const note =
    node.state !== 'absent'
      ? undefined
      : node.lastKnown === undefined
        ? 'no data: by the specs of its pods alone'
        : { text: `last known, ${formatAge(node.lastKnown.dataAgeMs)} ago`, tone: 'warning' as const };
  const found = kinds.flatMap((each) => {
    const items = each.slice(0, shownFindingCount).map((of): Line => [podLink(of), `: ${of.what}`]);
    return findingBlocks(each[0], items, { totalCount: each.length, what: 'findings' });
  });
  return section(
    {
      id: 'findings',
      title: 'Warnings',
      ...(note === undefined ? {} : { note }),
      detail: found.length === 0 ? 'open' : undefined,
    },
    found.length === 0 ? [text('Nothing was found.')] : found,
  );
}

const layoutTexts: Readonly<Record<NonNullable<MeasuredShownNode['layout']>, string>> = {
  shared: 'images, writable layers, logs and volumes share one filesystem',
  dedicated: 'images and writable layers on imagefs, logs and volumes on nodefs',
  split: 'images on imagefs; writable layers, logs and volumes on nodefs',
};

function nodeFacts(node: ShownNode): DocumentPart {
  const { kubeletVersion, operatingSystem, ready, readyChangedAtMs, allocatableBytes, failure, layout } = node;
  return factList({
    State: stateLine(node),
    Kubelet: `${kubeletVersion ?? 'unknown version'}${operatingSystem === undefined ? '' : ` on ${operatingSystem}`}`,
    Ready: [flagText(ready), ...(readyChangedAtMs === undefined ? [] : [' since ', { atMs: readyChangedAtMs }])],
    DiskPressure: pressureText(node),
    'Disk layout': layout === undefined ? undefined : layoutTexts[layout],
    Allocatable: allocatableBytes === undefined ? undefined : bytes(allocatableBytes),
    'Pods measured': podsLine(node),
    // That of a node without data is in the verdict.
    'Last request':
      failure === undefined || node.state === 'absent'
        ? undefined
        : [{ text: `failed ${formatAge(failure.ageMs)} ago`, tone: 'warning' }, `: ${failure.message}`],
  });
}

function stateLine(node: ListedNodeReport): Line {
  const { condition } = node;
  const { severity: tone, text } = conditionMarks[condition];
  if (node.state === 'absent') {
    const absence = `no data: ${absenceNames[node.reason]}`;
    if (isLastTrouble(node, condition)) return [{ text: `${text} when last known`, tone }, `; ${absence}`];
    if (condition === 'refusing') return [{ text, tone }, `; ${absence}`];
    return { text: condition === 'silent' ? absence : text, tone };
  }
  const age = `data ${node.state}, ${formatAge(node.dataAgeMs)} old`;
  if (condition === 'ok') return age;
  return condition === 'stale' ? { text: age, tone } : [{ text, tone }, `; ${age}`];
}

function flagText(flag: boolean | undefined): string {
  return flag === undefined ? 'unknown' : String(flag);
}

/** The condition outlasts the shortage. */
function pressureText(node: ShownNode): Line {
  const { diskPressure, verdict, pressure } = node;
  if (diskPressure !== true) return flagText(diskPressure);
  const unknown = verdict?.kind === 'no_space' ? undefined : unknownOf(pressure);
  const moment = momentText(pressure ?? {});
  const text = isBelow(node)
    ? `the kubelet evicts${moment === 'now' ? '' : ` (${moment})`}, and refuses new pods`
    : unknown === undefined
      ? 'no threshold that is known is crossed: the kubelet refuses new pods until evictionPressureTransitionPeriod after the shortage is over'
      : `the kubelet refuses new pods, and may be evicting: ${unknown} not known`;
  return [{ text: 'true', tone: 'warning' }, `: ${text}`];
}

function unknownOf(pressure: ShownNode['pressure']): string | undefined {
  if (pressure?.headroom === undefined) return 'its headroom is';
  return pressure.isAssumed ? 'its thresholds are' : undefined;
}

/** Without data there are no signals, but the headroom that was last known. */
function isBelow({ signals, pressure }: ShownNode): boolean {
  const isCrossed = signals.some((signal) => signal.isCrossed || signal.soft?.isCrossed === true);
  return isCrossed || (pressure?.headroom ?? 0) < 0;
}

function podsLine(node: ShownNode): Line {
  const measured = [count(node.measuredPodCount), ' of ', count(node.expectedPodCount)];
  if (node.state === 'absent') return measured;
  const { missingPodCount, danglingPodCount, pendingPodCount, podsUsedBytes, otherPodCount, otherPodsUsedBytes } = node;
  const lacks = [
    ...(missingPodCount > 0 ? [`${missingPodCount} missing from the summary`] : []),
    ...(danglingPodCount > 0 ? [`${danglingPodCount} unknown to the API server`] : []),
    ...(pendingPodCount > 0 ? [`volumes of ${pendingPodCount} not measured`] : []),
  ];
  const others = countedText(otherPodCount, ['other pod', 'other pods']);
  return [
    ...measured,
    pendingPodCount > 0 ? ', at least ' : ', ',
    bytes(podsUsedBytes),
    ...(otherPodsUsedBytes === 0
      ? []
      : [', ', bytes(otherPodsUsedBytes), ` by ${others} (not in scope, or not known to the API server here)`]),
    ...(lacks.length === 0 ? [] : ['; ', { text: lacks.join(', '), tone: 'warning' as const }]),
  ];
}
