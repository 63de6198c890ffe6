import { groupBy } from '../../lib/base/maps.js';
import { capitalised, countedText } from '../../lib/base/text.js';
import { formatAge } from '../../lib/base/units.js';
import { bytes, type Document, type DocumentPart, type Line } from '../pens/document.js';
import type { AbsentShownNode, MeasuredShownNode, NodeObject, ShownNode } from '../query/node-explanation.js';
import { absenceNames } from '../report/absence-hints.js';
import { enforcementText, unknownHeadroomText } from '../report/enforcement-report.js';
import type { FindingReport } from '../report/finding-report.js';
import { imageTexts } from '../report/image-texts.js';
import { conditionMarks } from '../report/node-condition.js';
import { nearestSignal, signalAmount } from '../report/signal-report.js';
import { absenceCommands } from '../report/verdict-commands.js';
import { diskBlocks } from './node-disk.js';
import { evictionOrder } from './node-evictions.js';
import { nodeFacts } from './node-facts.js';
import { evictionSection, findingBlocks, podLink, podSection, section, table, text } from './parts.js';

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

const shownImageCount = 10;

function images({ images: of, listedImages }: ShownNode): DocumentPart {
  const texts = of === undefined ? [] : [text(imageTexts(of).join(' '))];
  const largest = table(
    { caption: 'Largest images', totalCount: listedImages.length, what: 'images' },
    [
      { title: 'Image', minWidth: 20, cell: ({ name }) => name ?? 'without a name' },
      { title: 'Size', isNumber: true, cell: ({ sizeBytes }) => bytes(sizeBytes) },
      {
        title: 'Use',
        rank: 1,
        cell: ({ isUnused }) => (isUnused === undefined ? 'not known' : isUnused ? 'unused' : 'in use'),
      },
    ],
    listedImages.slice(0, shownImageCount),
  );
  return section({ id: 'images', title: 'Images', detail: 'folded' }, [
    ...texts,
    listedImages.length === 0 ? text('The status of the node lists no images.') : largest,
  ]);
}
