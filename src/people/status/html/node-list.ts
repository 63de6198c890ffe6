import { formatCount } from '../../../lib/base/text.js';
import { formatAge, formatBytes, formatPercent } from '../../../lib/base/units.js';
import { conditionMarks } from '../../answers/node-state.js';
import { toneClass } from '../../pens/html-kit.js';
import { type Markup, markup, type MarkupContent } from '../../pens/markup.js';
import { currentThreshold, headroomText, type ListedNodeReport, timeToEvictionText } from '../../query/list-nodes.js';
import type { FilesystemReport } from '../../report/filesystem-report.js';
import { bar, type Mark } from './bar.js';
import type { ShownList } from './list-pages.js';
import { listPart } from './list-part.js';
import { stateChips } from './state-chips.js';
import { limitSeverity, worst } from './texts.js';

export function nodeList(shown: ShownList<ListedNodeReport>): Markup {
  return listPart({
    ...shown,
    kind: 'nodes',
    caption: 'nodes',
    columns: {
      Node: 'text',
      State: 'text',
      'Fullest disk; the mark is the threshold': 'text',
      Headroom: 'number',
      'Time to eviction': 'number',
      Pods: 'number',
      Verdict: 'text',
    },
    row: (node) => row(node, shown),
  });
}

function row(node: ListedNodeReport, { links }: ShownList<ListedNodeReport>): Markup {
  const { measuredPodCount, expectedPodCount, verdict } = node;
  const isSilent = node.state === 'absent';
  return markup`<tr role="row"${isSilent ? markup` class="last"` : undefined}><th scope="row" role="rowheader">${links.node(node.node)}</th><td role="cell">${stateChips(node)}</td><td role="cell" class="wide bar-cell">${fullness(node)}</td><td role="cell" class="low number" data-label="Headroom">${headroomPart(node)}</td><td role="cell" class="low number" data-label="Time to eviction">${timeToEvictionText(node)}</td><td role="cell" class="low number" data-label="Pods">${formatCount(measuredPodCount)} of ${formatCount(expectedPodCount)}</td><td role="cell" class="wide small">${verdict?.text ?? (isSilent ? node.hint : undefined)}</td></tr>`;
}

/** What was last known of a silent node has no colour of a state. */
function fullness(node: ListedNodeReport): MarkupContent {
  return node.state === 'absent'
    ? fullnessOf(node, node.lastKnown?.filesystems, node.lastKnown?.dataAgeMs)
    : fullnessOf(node, node.filesystems);
}

/** `lastKnownMs`: how old it is, of a node without data. Health is the colour of nodes alone that are well in all. */
function fullnessOf(
  { condition }: ListedNodeReport,
  filesystems: readonly FilesystemReport[] = [],
  lastKnownMs?: number,
): Markup {
  const fullest = fullestOf(filesystems);
  if (fullest?.fullRatio === undefined) return markup`<span class="muted">not known</span>`;
  const { filesystem, fullRatio } = fullest;
  const ofState = { [limitSeverity(fullRatio)]: 1, [conditionMarks[condition].severity]: 1 };
  const severity = lastKnownMs === undefined ? worst(ofState) : 'unknown';
  const text = `${filesystem} ${formatPercent(fullRatio)} full`;
  const age =
    lastKnownMs === undefined
      ? undefined
      : markup` <span class="chip plain">last known ${formatAge(lastKnownMs)} ago</span>`;
  const segments = [{ colour: `${severity}-bar`, label: text, amount: fullRatio }];
  return markup`${bar({ segments, marks: marksOf(fullest), scale: 1, text })}<span class="small"><span class="${toneClass(severity)}">${formatPercent(fullRatio)}</span> <span class="muted">${filesystem}</span>${age}</span>`;
}

function marksOf({ evictionThresholdBytes: bytes, capacityBytes }: FilesystemReport): readonly Mark[] {
  if (bytes === undefined || capacityBytes === undefined || capacityBytes === 0) return [];
  return [{ kind: 'limit', label: `evictions below ${formatBytes(bytes)} free`, amount: 1 - bytes / capacityBytes }];
}

function fullestOf(filesystems: readonly FilesystemReport[]): FilesystemReport | undefined {
  return filesystems
    .filter(({ sameAs }) => sameAs === undefined)
    .toSorted((a, b) => (b.fullRatio ?? 0) - (a.fullRatio ?? 0))[0];
}

function headroomPart(node: ListedNodeReport): MarkupContent {
  const threshold = currentThreshold(node);
  const severity = node.pressure === undefined ? '' : (threshold?.headroom ?? 0) < 0 ? 't-critical' : 't-warning';
  return markup`<span class="${severity}">${headroomText(node)}</span>${threshold?.isAssumed === true ? markup` <span class="small muted">assumed</span>` : undefined}`;
}
