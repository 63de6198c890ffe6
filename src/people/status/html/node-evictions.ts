import { formatCount } from '../../../lib/base/text.js';
import { formatAge, formatBytes } from '../../../lib/base/units.js';
import { absenceNames } from '../../report/absence-hints.js';
import {
  nearestSignal,
  signalAmount,
  type SignalReport,
  unreadPodsText,
  type VictimReport,
} from '../../report/signal-report.js';
import type { NodeObject } from '../views.js';
import { dataTable, emptyText, panel } from './components.js';
import type { Links } from './links.js';
import { type Markup, markup, type MarkupContent } from './markup.js';
import { countText, moreText } from './texts.js';

type ShownNode = NodeObject['node'];
type MeasuredNode = Exclude<ShownNode, { readonly state: 'absent' }>;

const shownVictimCount = 10;

/** When the kubelet evicts, and whom. */
export function nodeEvictions({ node }: NodeObject, links: Links): Markup {
  const nearest = nearestSignal(node.signals);
  const body =
    node.state === 'absent'
      ? emptyText(
          `Unknown: no data (${absenceNames[node.reason]}). Whom the kubelet evicts now does not follow from what was last known.`,
        )
      : node.signals.length === 0
        ? emptyText('Unknown: the kubelet has no eviction signals.')
        : markup`${countdown(node, nearest)}${signalTable(node)}${nearest === undefined ? undefined : victimPart(nearest, node, links)}`;
  return panel({
    id: 'eviction-order',
    title: 'Who is evicted next',
    aside: markup`<p class="small muted">below a threshold the kubelet evicts one pod after another, in this order</p>`,
    body,
  });
}

function countdown({ condition, pressure }: ShownNode, nearest: SignalReport | undefined): Markup {
  if (condition === 'no_space') return markup`<p>Nobody: no threshold is in force for a disk that is full.</p>`;
  const { signal, headroom, timeToEvictionMs } = pressure ?? {};
  if (headroom === undefined) return markup`<p>${farText(condition)}.</p>`;
  if (headroom < 0 && nearest?.victims?.length === 0)
    return markup`<p>Nobody: it is below its threshold of ${signal}, and no pod is left to evict.</p>`;
  const when =
    headroom < 0
      ? markup`<strong class="t-critical">now</strong>: below its threshold of ${signal}`
      : timeToEvictionMs === undefined
        ? markup`<strong>unknown</strong>: no steady growth is measured, or it takes more than a day (${signal})`
        : markup`<strong class="t-warning">in ${formatAge(timeToEvictionMs)}</strong>, at its present growth (${signal})`;
  return markup`<p>Time to eviction: ${when}.</p>`;
}

function farText(condition: ShownNode['condition']): string {
  const isUnknown = condition === 'unknown' || condition === 'refusing';
  return isUnknown ? 'Not known whether a threshold is close' : 'Not close to a threshold';
}

function signalTable(node: MeasuredNode): Markup {
  const hasThreshold = ({ thresholdBytes, thresholdInodes, soft }: SignalReport): boolean =>
    (thresholdBytes ?? thresholdInodes ?? soft) !== undefined;
  const shown = node.signals.filter(hasThreshold);
  const others = node.signals.filter((signal) => !hasThreshold(signal)).map(({ signal }) => signal);
  const none = others.length === 0 ? undefined : markup`<p class="more">Without a threshold: ${others.join(', ')}.</p>`;
  if (shown.length === 0) return markup`${emptyText('No threshold of this kubelet is known.')}${none}`;
  return markup`${dataTable(
    'stack dense',
    'Eviction signals',
    { Signal: 'text', Available: 'number', Threshold: 'number', Headroom: 'number' },
    shown.map(signalRow),
  )}${none}`;
}

function signalRow(signal: SignalReport): Markup {
  const { thresholdBytes, thresholdInodes, isAssumed, headroom, soft } = signal;
  const threshold = thresholdBytes ?? thresholdInodes;
  const softText =
    soft === undefined
      ? undefined
      : `; soft ${signalAmount(signal.signal, soft.thresholdBytes ?? soft.thresholdInodes)} for ${formatAge(soft.gracePeriodMs)}`;
  return markup`<tr role="row"><th scope="row" role="rowheader" class="whole">${signal.signal}</th>
<td role="cell" class="low number" data-label="Available">${signalAmount(signal.signal, signal.available)}</td>
<td role="cell" class="low number" data-label="Threshold">${threshold === undefined ? 'none' : signalAmount(signal.signal, threshold)}${isAssumed === true ? markup` <span class="small muted">assumed</span>` : undefined}${softText}</td>
<td role="cell" class="number"><span class="${(headroom ?? 0) < 0 ? 't-critical' : ''}">${signalAmount(signal.signal, headroom)}</span></td></tr>`;
}

function victimPart(
  signal: SignalReport,
  { unreadPodCount, unrankedPodCount = 0, enforcement }: ShownNode,
  links: Links,
): Markup {
  const title = markup`<h3>Order for ${signal.signal}</h3>`;
  const { victims } = signal;
  if (victims === undefined) {
    return markup`${title}${emptyText(`Unknown: ${unreadPodsText(unreadPodCount ?? 0, enforcement)}.`)}`;
  }
  if (victims.length === 0) return markup`${title}${emptyText('No pod is left to evict.')}`;
  const shown = victims.slice(0, shownVictimCount);
  const young =
    unrankedPodCount === 0
      ? undefined
      : markup`<p class="more">Pods too young to be known, with unknown places: ${formatCount(unrankedPodCount)}.</p>`;
  return markup`${title}${freeingText(signal)}${dataTable(
    'stack dense',
    `Order of eviction for ${signal.signal}`,
    { 'Rank and pod': 'text', Usage: 'number', Request: 'number', Place: 'text' },
    shown.map((victim) => victimRow(victim, signal, links)),
  )}${moreText({ items: shown, totalCount: victims.length }, 'pods')}${young}`;
}

function freeingText(signal: SignalReport): Markup | undefined {
  const { toFree } = signal;
  if (toFree === undefined) return undefined;
  const { amount, victims, freed, isEnough, isMissing } = toFree;
  const what = isMissing ? 'that is missing' : 'as an example';
  return markup`<p class="small">To free ${signalAmount(signal.signal, amount)} (${what}) it evicts ${countText(victims.length, 'pod', 'pods')}, which frees ${signalAmount(signal.signal, freed)}${isEnough ? '' : ': not enough'}.</p>`;
}

const placeTexts: Readonly<Record<VictimReport['place'], string>> = {
  no_statistics: 'without statistics: first',
  above_request: 'above its request',
  within_request: 'within its request',
};

function victimRow(victim: VictimReport, signal: SignalReport, links: Links): Markup {
  const { rank, namespace, pod, usage, request, place, priority, exempt } = victim;
  const notes: MarkupContent = [
    placeTexts[place],
    priority === 0 ? '' : `, priority ${priority}`,
    exempt === undefined ? '' : `; ${exempt}: passed over`,
  ];
  return markup`<tr role="row"><th scope="row" role="rowheader">${rank}. ${links.pod({ namespace, pod })}</th>
<td role="cell" class="low number" data-label="Usage">${signalAmount(signal.signal, usage)}</td><td role="cell" class="low number" data-label="Request">${formatBytes(request)}</td><td role="cell" class="wide small muted">${notes}</td></tr>`;
}
