import { countsInodes, type EvictionSignal } from '../../cluster/kubelet/eviction-signals.js';
import { groupBy } from '../../lib/base/maps.js';
import { countedText } from '../../lib/base/text.js';
import { formatAge, formatForecast } from '../../lib/base/units.js';
import { type Block, type BlockOf, bytes, type Line, type Piece } from '../pens/document.js';
import type { MeasuredShownNode, ShownNode } from '../query/node-explanation.js';
import { momentText } from '../report/pod-report.js';
import {
  isShort,
  nearestSignal,
  signalMeasure,
  type SignalReport,
  thresholdOf,
  unreadPodsText,
  type VictimReport,
} from '../report/signal-report.js';
import { podLink, table, text } from './parts.js';

/** When the kubelet evicts, and whom. */
export function evictionOrder(node: ShownNode): readonly Block[] {
  if (node.state === 'absent')
    return [text('Unknown: no data. Whom the kubelet evicts now does not follow from what was last known.')];
  if (node.signals.length === 0) return [text('Unknown: the kubelet has no eviction signals.')];
  const { layout, signals } = node;
  const nearest = nearestSignal(signals);
  return [
    countdown(node, nearest),
    ...signalTables(signals, nearest),
    ...notes(signals, layout),
    ...(nearest === undefined ? [] : victims(nearest, node)),
  ];
}

function countdown({ condition, pressure }: MeasuredShownNode, nearest: SignalReport | undefined): Block {
  if (condition === 'no_space') return text('Nobody: no threshold is in force for a disk that is full.');
  if (pressure?.headroom === undefined) {
    const isUnknown = condition === 'unknown' || condition === 'refusing';
    return text(isUnknown ? 'Not known whether a threshold is close.' : 'Not close to a threshold.');
  }
  const { signal, headroom } = pressure;
  if (headroom < 0 && nearest?.victims?.length === 0)
    return text(`Nobody: it is below its threshold of ${signal}, and no pod is left to evict.`);
  return text(['Time to eviction: ', ...whenPieces({ ...pressure, headroom }), '.']);
}

function whenPieces(
  pressure: NonNullable<MeasuredShownNode['pressure']> & { readonly headroom: number },
): readonly Piece[] {
  const { signal, headroom, timeToEvictionMs } = pressure;
  if (headroom < 0) return [{ text: momentText(pressure), tone: 'critical' }, `: below its threshold of ${signal}`];
  if (timeToEvictionMs === undefined)
    return [`unknown: no steady growth is measured, or it takes more than a day (${signal})`];
  return [{ text: `in ${formatForecast(timeToEvictionMs)}`, tone: 'warning' }, `, at its present growth (${signal})`];
}

/** https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/#reclaiming-node-level-resources */
const reclaimTexts: Readonly<Record<NonNullable<MeasuredShownNode['layout']>, string>> = {
  shared: 'Below a threshold, the kubelet deletes dead containers and unused images before it evicts.',
  dedicated:
    'Below a threshold of imagefs or containerfs, the kubelet deletes dead containers and unused images before it evicts; of nodefs, nothing.',
  split:
    'Before it evicts, the kubelet deletes unused images for imagefs, and dead containers for nodefs and containerfs.',
};

const assumedText =
  'The thresholds are assumed: they are the defaults of Kubernetes. With kubelet.readConfig (needs get on nodes/configz) they are read from the kubelet.';

/** The signals that are short, else the nearest one, and the others. Signals that are copies of one another are one row. */
function signalTables(signals: readonly SignalReport[], nearest: SignalReport | undefined): readonly Block[] {
  const short = signals.filter(isShort);
  const key = nearest && copyKey(nearest);
  const isNearest = (of: SignalReport): boolean =>
    key === undefined ? thresholdOf(of) !== undefined : copyKey(of) === key;
  const first = short.length === 0 ? signals.filter(isNearest) : short;
  const others = signals.filter((of) => !first.includes(of));
  return [
    ...(first.length === 0
      ? [text('No threshold of this kubelet is known.')]
      : [signalTable('Eviction signals', first)]),
    ...(others.length === 0 ? [] : [{ ...signalTable('Other signals', others), detail: 'folded' as const }]),
  ];
}

/** What holds for all signals. */
function notes(signals: readonly SignalReport[], layout: MeasuredShownNode['layout']): readonly Block[] {
  const assumed = signals.some((of) => of.isAssumed === true) ? [assumedText] : [];
  const texts = [...assumed, ...(layout === undefined ? [] : [reclaimTexts[layout]])];
  return texts.length === 0 ? [] : [{ ...text(texts.join(' ')), detail: 'folded' }];
}

function signalTable(caption: string, signals: readonly SignalReport[]): BlockOf<'table'> {
  return table(
    { caption },
    [
      { title: 'Signal', minWidth: 20, cell: (copies) => copies.map(({ signal }) => signal).join(', ') },
      { title: 'Available', isNumber: true, rank: 1, cell: ([of]) => signalMeasure(of.signal, of.available) },
      { title: 'Threshold', isNumber: true, rank: 2, cell: ([of]) => thresholdLine(of) },
      {
        title: 'Headroom',
        isNumber: true,
        cell: ([{ signal, headroom }]) => signalMeasure(signal, headroom, (headroom ?? 0) < 0 ? 'critical' : undefined),
      },
    ],
    [...groupBy(signals, copyKey).values()],
  );
}

/** The same for signals that say the same of one disk. */
function copyKey(of: SignalReport): string {
  const { signal, available, headroom, soft, isAssumed } = of;
  return JSON.stringify([countsInodes(signal), available, thresholdOf(of), headroom, soft, isAssumed]);
}

function thresholdLine(of: SignalReport): Line {
  const { signal, soft, isAssumed } = of;
  const threshold = thresholdOf(of);
  const ofSoft =
    soft === undefined
      ? []
      : [
          '; soft ',
          signalMeasure(signal, thresholdOf(soft)),
          ` for ${formatAge(soft.gracePeriodMs)}`,
          ...(soft.isCrossed ? [', ', { text: 'crossed', tone: 'critical' as const }] : []),
        ];
  return [
    threshold === undefined ? 'none' : signalMeasure(signal, threshold),
    isAssumed === true ? ' assumed' : '',
    ...ofSoft,
  ];
}

const shownVictimCount = 10;

function victims(
  { signal, victims: all, toFree }: SignalReport,
  { unreadPodCount, unrankedPodCount = 0, pendingPodCount, enforcement }: MeasuredShownNode,
): readonly Block[] {
  const title = `Order of eviction for ${signal}`;
  if (all === undefined)
    return [
      text(
        `${title}: unknown, ${unreadPodsText(unreadPodCount ?? 0, enforcement)}${unreadReason(unreadPodCount ?? 0, enforcement)}.`,
      ),
    ];
  if (all.length === 0) return [text(`${title}: no pod is left to evict.`)];
  const unranked = countedText(unrankedPodCount, ['pod', 'pods']);
  return [
    table(
      { caption: title, nameIndex: 1, totalCount: all.length, what: 'pods' },
      [
        { title: 'Rank', cell: ({ rank }) => String(rank) },
        { title: 'Pod', minWidth: 12, cell: podLink },
        { title: 'Usage', isNumber: true, cell: ({ usage }) => signalMeasure(signal, usage) },
        { title: 'Request', isNumber: true, rank: 3, cell: ({ request }) => bytes(request) },
        { title: 'Priority', isNumber: true, rank: 2, cell: ({ priority }) => String(priority) },
        { title: 'Why', minWidth: 26, rank: 1, cell: (victim) => why(signal, victim) },
      ],
      all.slice(0, shownVictimCount),
    ),
    ...(toFree === undefined ? [] : [text(freeingLine(signal, toFree, pendingPodCount > 0))]),
    ...(unranked === '' ? [] : [text(`Not ranked: ${unranked} of the summary that the API server does not know.`)]),
  ];
}

function unreadReason(podCount: number, enforcement: MeasuredShownNode['enforcement'] = []): string {
  if (podCount === 0 || enforcement.includes('virtual_cluster')) return '';
  const [they, them] = podCount === 1 ? ['it is', 'it'] : ['they are', 'them'];
  return `: ${they} out of scope, or the API server does not know ${them}`;
}

function freeingLine(
  signal: EvictionSignal,
  { amount, isMissing, victims: evicted, freed, isEnough }: NonNullable<SignalReport['toFree']>,
  isPending: boolean,
): Line {
  const isLeast = isPending || evicted.some((victim) => victim.freed === undefined);
  const pods = countedText(evicted.length, ['pod', 'pods']) || 'nobody';
  return [
    isMissing ? 'To free the missing ' : 'If ',
    signalMeasure(signal, amount),
    isMissing ? ` it evicts ${pods}, which frees ` : ` had to be freed, it would evict ${pods}, which frees `,
    isLeast ? 'at least ' : '',
    signalMeasure(signal, freed),
    isEnough || isLeast ? '.' : ': not enough.',
  ];
}

function why(signal: EvictionSignal, { place, usage = 0, request, exempt }: VictimReport): Line {
  const ofInodes = countsInodes(signal);
  const texts: Readonly<Record<VictimReport['place'], readonly Piece[]>> = {
    no_statistics: ['no statistics'],
    above_request: ofInodes ? ['uses inodes'] : [bytes(usage - request), ' above its request'],
    within_request: ofInodes ? ['uses no inodes'] : [bytes(request - usage), ' below its request'],
  };
  return [...texts[place], exempt === undefined ? '' : `; never evicted: ${exempt}`];
}
