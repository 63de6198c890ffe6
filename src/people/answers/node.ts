import { groupBy } from '../../lib/base/maps.js';
import { capitalised, countedText } from '../../lib/base/text.js';
import { formatAge, formatForecast } from '../../lib/base/units.js';
import {
  amountText,
  type Block,
  bytes,
  type Document,
  type DocumentPart,
  type Line,
  type Row,
  share,
} from '../pens/document.js';
import type { AbsentShownNode, MeasuredShownNode, NodeObject, ShownNode } from '../query/node-explanation.js';
import { absenceCommands } from '../report/absence-commands.js';
import { absenceNames } from '../report/absence-hints.js';
import { enforcementText, unknownHeadroomText } from '../report/enforcement-report.js';
import type { FindingReport } from '../report/finding-report.js';
import { imageTexts } from '../report/image-texts.js';
import { limitText } from '../report/limit-report.js';
import type { PodReport } from '../report/pod-report.js';
import { nearestSignal } from '../report/signal-report.js';
import { findingTitles } from './finding-titles.js';
import { diskBlocks } from './node-disk.js';
import { amountOf, evictionOrder } from './node-evictions.js';
import { nodeFacts } from './node-facts.js';
import { conditionMarks } from './node-state.js';
import { evictionLink, podLink, ratioTone, text, unenforcedText } from './parts.js';

/** What fills the disks of one node, and whom its kubelet evicts for it. */
export function nodeDocument(data: NodeObject): Document {
  const { node } = data;
  return {
    title: ['Node', node.node],
    blocks: [
      verdict(node),
      nodeFacts(node),
      { is: 'section', id: 'disk', title: 'Disk', blocks: diskBlocks(data) },
      { is: 'section', id: 'eviction-order', title: 'Who is evicted next', blocks: evictionOrder(node) },
      pods(data),
      findings(node),
      evictions(data),
      images(node),
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

function absenceTexts(node: AbsentShownNode): readonly string[] {
  const { reason, hint, failure, expectedPodCount, verdict: known } = node;
  const cause = failure && ` ${failure.message.replace(/\.$/, '')}, ${formatAge(failure.ageMs)} ago.`;
  const pending = countedText(expectedPodCount, ['running pod', 'running pods']);
  return [
    `No data (${absenceNames[reason]}):${cause ?? ''} ${hint}`,
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
  return `${state}Not close to evicting pods: ${amountText(amountOf(signal, headroom))} above the nearest threshold, of ${signal}.`;
}

function pods({ node, pods: { items, totalCount } }: NodeObject): DocumentPart {
  return {
    is: 'section',
    id: 'pods',
    title: 'Pods',
    note: { path: ['pods'], query: { node: node.node }, shown: 'all pods of the node' },
    detail: 'open',
    blocks:
      items.length === 0
        ? [text('None.')]
        : [
            {
              is: 'table',
              caption: 'Pods of the node',
              columns: [
                { title: 'Pod', minWidth: 20 },
                { title: 'Used', isNumber: true },
                { title: 'Nearest limit', isNumber: true },
                { title: 'Time to limit', isNumber: true, rank: 1 },
              ],
              rows: items.map(podRow),
              totalCount,
              what: 'pods',
            },
          ],
  };
}

function podRow(pod: PodReport): Row {
  if (pod.state === 'unmeasured') return { cells: [podLink(pod), '-', pod.reason, '-'] };
  const { nearestLimit, timeToLimitMs, hasUnknownUsage } = pod;
  const limit: Line =
    nearestLimit === undefined
      ? hasUnknownUsage === true
        ? 'unknown'
        : 'no limit'
      : [
          share(nearestLimit.ratio, ratioTone(nearestLimit)),
          ` of ${limitText(nearestLimit)} ${nearestLimit.rule}${unenforcedText(nearestLimit)}`,
        ];
  return {
    cells: [
      podLink(pod),
      bytes(pod.usedBytes),
      limit,
      timeToLimitMs === undefined ? '-' : formatForecast(timeToLimitMs),
    ],
  };
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
  const found = kinds.flatMap((each): readonly Block[] => [
    text([{ text: `${findingTitles[each[0].kind]}. ` }, { text: each[0].fix, isMuted: true }]),
    {
      is: 'list',
      items: each.slice(0, shownFindingCount).map((of) => [podLink(of), `: ${of.what}`]),
      totalCount: each.length,
      what: 'findings',
    },
  ]);
  return {
    is: 'section',
    id: 'findings',
    title: 'Warnings',
    ...(note === undefined ? {} : { note }),
    detail: found.length === 0 ? 'open' : undefined,
    blocks: found.length === 0 ? [text('Nothing was found.')] : found,
  };
}

function evictions({ node, evictions: seen }: NodeObject): DocumentPart {
  return {
    is: 'section',
    id: 'evictions',
    title: 'Evictions',
    note: { path: ['evictions'], query: { node: node.node }, shown: 'all evictions of the node' },
    detail: seen.length === 0 ? 'open' : undefined,
    blocks:
      seen.length === 0
        ? [text('No eviction on this node is remembered.')]
        : [
            {
              is: 'list',
              items: seen.map((of) => [
                evictionLink(of),
                ' ',
                podLink(of),
                ` ${of.verdict?.text ?? of.message.trim()}`,
              ]),
            },
          ],
  };
}

const shownImageCount = 10;

function images({ images: of, listedImages }: ShownNode): DocumentPart {
  const texts = of === undefined ? [] : [text(imageTexts(of).join(' '))];
  const rows = listedImages.slice(0, shownImageCount).map(({ name, sizeBytes, isUnused }) => ({
    cells: [
      name ?? 'without a name',
      bytes(sizeBytes),
      isUnused === undefined ? 'not known' : isUnused ? 'unused' : 'in use',
    ],
  }));
  return {
    is: 'section',
    id: 'images',
    title: 'Images',
    detail: 'open',
    blocks:
      rows.length === 0
        ? [...texts, text('The status of the node lists no images.')]
        : [
            ...texts,
            {
              is: 'table',
              caption: 'Largest images',
              columns: [
                { title: 'Image', minWidth: 20 },
                { title: 'Size', isNumber: true },
                { title: 'Use', rank: 1 },
              ],
              rows,
              totalCount: listedImages.length,
              what: 'images',
            },
          ],
  };
}
