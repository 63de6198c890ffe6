import { formatAge, formatForecast } from '../../lib/base/units.js';
import { bytes, type Line, share } from '../pens/document.js';
import { absenceNames } from '../report/absence-hints.js';
import { type LimitReport, ratioTone, unenforcedNames } from '../report/limit-report.js';
import {
  type DataFacts,
  isLastKnown,
  type LimitFacts,
  type MeasuredPodReport,
  momentText,
  type PodPlace,
  type PodReport,
} from '../report/pod-report.js';
import type { Kind, KindColumn } from './kind.js';

/**
 * Counted, limit, ratio and rule are of the limit with the highest ratio: what counts towards it may be less than what is used. The
 * time is that of the one that is exceeded first.
 */
export const podKind: Kind<PodReport> = {
  title: 'Pods',
  what: 'pods',
  nameColumn: 'Pod',
  nameOf: ({ pod }) => `pod/${pod}`,
  pathOf: ({ namespace, pod }) => ['pods', namespace, pod],
  isOld: isLastKnown,
  noteOf: lackText,
  explain: (pods) => unenforcedNote(pods),
  columns: [
    namespaceColumn(({ namespace }) => namespace),
    { ...podColumn<PodReport>(), minWidth: 12, cell: ({ pod }) => pod },
    { ...nodeColumn<PodReport>(({ node }) => node, 5), order: 'node' },
    bytesColumn('Used', (pod) => measured(pod)?.usedBytes, {
      order: 'used',
      about: 'Writable layers, logs and volumes on disk: pod_used_bytes.',
    }),
    bytesColumn('Counted', ({ nearestLimit }) => nearestLimit?.usedBytes, {
      rank: 4,
      about: 'What counts towards the limit.',
    }),
    bytesColumn('Limit', ({ nearestLimit }) => nearestLimit?.limitBytes, {
      rank: 4,
      about: 'Of its limits the one with the highest ratio.',
    }),
    ratioColumn(),
    {
      title: 'To limit',
      isNumber: true,
      rank: 1,
      isSeldom: true,
      order: 'time',
      isRising: true,
      about: 'Until the pod exceeds one of its limits, at its present growth.',
      cell: (pod) => timeLine(pod.timeToLimitMs, pod.standing === 'above' ? momentText(pod) : undefined),
    },
    {
      title: 'Rule',
      rank: 3,
      about: 'Whose limit it is: that of the pod, of a container or of an emptyDir.',
      cell: ruleLine,
    },
    bytesColumn('Rootfs', (pod) => measured(pod)?.components.rootfs, { rank: 6, about: 'Writable layers.' }),
    bytesColumn('Logs', (pod) => measured(pod)?.components.logs, { rank: 7 }),
    bytesColumn('emptyDir', (pod) => measured(pod)?.components.emptydir, { rank: 8 }),
    bytesColumn('configMap', (pod) => measured(pod)?.components.configmap, { isWide: true }),
    bytesColumn('Other', (pod) => measured(pod)?.components.other, { isWide: true }),
    bytesColumn('Request', ({ requestBytes }) => requestBytes, { isWide: true, order: 'request' }),
    {
      title: 'State',
      rank: 1,
      isSeldom: true,
      about:
        'Pending: the kubelet has not measured the volumes yet, and what is used is more. Stale: it was measured minutes ago.',
      cell: stateLine,
    },
    { title: 'Age', isNumber: true, isWide: true, cell: ({ dataAgeMs }) => formatAge(dataAgeMs) },
  ],
};

function measured(pod: PodReport): MeasuredPodReport | undefined {
  return pod.state === 'unmeasured' ? undefined : pod;
}

function ruleLine({ nearestLimit, hasUnknownUsage, hasLimits }: PodReport): string {
  if (nearestLimit !== undefined) return ruleText(nearestLimit);
  if (hasUnknownUsage === true || hasLimits === undefined) return 'unknown';
  return hasLimits ? '-' : 'none';
}

function stateLine({ state, dataState }: PodReport): Line {
  if (dataState === 'absent') return { text: 'last known', tone: 'warning' };
  if (state !== 'measured') return { text: state, tone: 'warning' };
  return dataState === 'stale' ? { text: dataState, tone: 'warning' } : '-';
}

function lackText(pod: PodReport): string | undefined {
  if (pod.state === 'unmeasured') return pod.reason;
  if (pod.dataState !== 'absent') return undefined;
  return `Last known ${formatAge(pod.dataAgeMs)} ago: its node has no data (${absenceNames[pod.absenceReason ?? 'never']}).`;
}

/** `overAt`: the moment at which it is over the limit. Without being over it, it may be there since the kubelet looked last. */
export function timeLine(timeMs: number | undefined, overAt: string | undefined): Line {
  if (timeMs === undefined) return '-';
  if (timeMs > 0) return { text: formatForecast(timeMs), tone: 'warning' };
  return { text: overAt ?? 'any moment', tone: 'critical' };
}

export function bytesColumn<Report>(
  title: string,
  bytesOf: (report: Report) => number | undefined,
  options: Partial<Omit<KindColumn<never>, 'cell' | 'title'>> = {},
): KindColumn<Report> {
  return { title, isNumber: true, rank: 1, ...options, cell: (report) => bytes(bytesOf(report)) };
}

/** Never left out, as the names are: the next command needs it. */
export function namespaceColumn<Report>(namespaceOf: (report: Report) => string): KindColumn<Report> {
  return {
    title: 'Namespace',
    minWidth: 6,
    isOfNamespace: true,
    cell: (report) => {
      const name = namespaceOf(report);
      return name === '' ? '-' : { path: ['namespaces', name], shown: name };
    },
  };
}

export function nodeColumn<Report>(nodeOf: (report: Report) => string | undefined, rank: number): KindColumn<Report> {
  return {
    title: 'Node',
    minWidth: 10,
    rank,
    cell: (report) => {
      const name = nodeOf(report);
      return name === undefined ? '-' : { path: ['nodes', name], shown: name };
    },
  };
}

/** The pod that something is a part of. */
export function podColumn<Report extends PodPlace>(): KindColumn<Report> {
  return {
    title: 'Pod',
    minWidth: 10,
    order: 'name',
    cell: ({ namespace, pod }) => ({ path: ['pods', namespace, pod], shown: pod }),
  };
}

type Limited = Pick<LimitFacts, 'nearestLimit'> & Partial<DataFacts>;

/** Usage divided by a limit, with a mark where the limit does not do what it seems to do. */
export function ratioColumn<Report extends Limited>(): KindColumn<Report> {
  return {
    title: 'Ratio',
    isNumber: true,
    rank: 1,
    order: 'ratio',
    about: 'What counts towards the limit, divided by it: above 100 % the kubelet evicts the pod.',
    cell: (report): Line => {
      const { nearestLimit: limit } = report;
      if (limit === undefined) return '-';
      const ratio = share(limit.ratio, isLastKnown(report) ? 'unknown' : ratioTone(limit));
      return limit.unenforced === undefined ? ratio : [ratio, '*'];
    },
  };
}

/** Says what {@link ratioColumn} marks, by reason; undefined without any. */
export function unenforcedNote(reports: readonly Limited[]): string | undefined {
  const reasons = new Set(reports.flatMap(({ nearestLimit }) => nearestLimit?.unenforced ?? []));
  if (reasons.size === 0) return undefined;
  return `* Limit not enforced: ${[...reasons].map((reason) => unenforcedNames[reason]).join('; ')}.`;
}

/** `emptydir/data`, `container/app` or `pod`. */
export function ruleText(limit: LimitReport | undefined): string {
  if (limit === undefined) return '-';
  const part = limit.container ?? limit.volume;
  return part === undefined ? limit.rule : `${limit.rule}/${part}`;
}
