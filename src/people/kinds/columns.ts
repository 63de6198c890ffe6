import { bytes, type Line, share } from '../pens/document.js';
import { type LimitReport, ratioTone, unenforcedNames } from '../report/limit-report.js';
import { type DataFacts, isLastKnown, type LimitFacts, type PodPlace } from '../report/pod-report.js';
import type { KindColumn } from './kind.js';

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
