import type { Ranked } from '../../../lib/base/ranking.js';
import { formatCount } from '../../../lib/base/text.js';
import { formatAge, formatTime } from '../../../lib/base/units.js';
import { absenceNames } from '../../report/absence-hints.js';
import { type LimitReport, limitThresholds, unenforcedNames } from '../../report/limit-report.js';
import type { DataFacts, PodReport } from '../../report/pod-report.js';
import { type Markup, markup } from './markup.js';

/** `unknown`: a part of the data is missing, and the rest shows no problem. */
export type Severity = 'ok' | 'unknown' | 'warning' | 'critical';

/** Returns the worst severity with a count above 0. */
export function worst(counts: Partial<Record<Exclude<Severity, 'ok'>, number>>): Severity {
  return (['critical', 'warning', 'unknown'] as const).find((severity) => (counts[severity] ?? 0) > 0) ?? 'ok';
}

/** Of a limit or a filesystem. As `ratioStyle` of the commands. */
export function limitSeverity(ratio: number): Severity {
  if (ratio >= limitThresholds.high) return 'critical';
  return ratio >= limitThresholds.near ? 'warning' : 'ok';
}

/** The same, and `unknown` for a low ratio that says little: only a part of what is written is compared with the limit. */
export function ratioSeverity({ ratio, unenforced }: LimitReport): Severity {
  const severity = limitSeverity(ratio);
  return unenforced !== undefined && severity === 'ok' ? 'unknown' : severity;
}

/** A limit that does not do what it seems to do. */
export function unenforcedText(reason: NonNullable<LimitReport['unenforced']>): string {
  return `not enforced: ${unenforcedNames[reason]}`;
}

/** The class of a text in the colour of a problem; '' for none. */
export function severityClass(severity: Severity): string {
  return severity === 'warning' || severity === 'critical' ? `t-${severity}` : '';
}

export function countText(count: number, one: string, many: string): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** `and 4 more`, and where they are; undefined when all are shown. */
export function moreText({ items, totalCount }: Ranked<unknown>, what: string, where?: Markup): Markup | undefined {
  const moreCount = totalCount - items.length;
  return moreCount > 0 ? markup`<p class="more">and ${formatCount(moreCount)} more ${what}${where}</p>` : undefined;
}

/** A time as an element, to which the script adds the time of the reader's zone. */
export function timePart(atMs: number): Markup {
  return markup`<time datetime="${new Date(atMs).toISOString()}">${formatTime(atMs)}</time>`;
}

/** What the words of the page mean, for people who meet them here first. */
const meanings = {
  fresh: 'The last summary of the kubelet is younger than cache.ttl.',
  stale: 'The last summary of the kubelet is older than cache.ttl. It counts until it is twice as old.',
  absent: 'Without data: the last summary of the kubelet is older than twice cache.ttl, or there is none.',
  close: 'Headroom below a quarter of a threshold, or gone within 10 min, or DiskPressure.',
  skipped: 'Never scraped: the node matches cluster.skipNodes.',
  measured: 'In the summary of its kubelet, with its usage. Pods are expected there after running for a minute.',
  nodefs: "The node's main filesystem: emptyDirs, logs and, unless imagefs is separate, images and writable layers.",
  imagefs:
    'The filesystem on which the container runtime keeps images and, unless containerfs is separate, writable layers.',
  containerfs: 'The filesystem on which the container runtime keeps writable layers.',
  rootfs: 'Writable layers: what containers wrote outside of their volumes.',
  logs: 'Logs of containers.',
  emptydir: 'Volumes of type emptyDir on disk.',
  configmap: 'Volumes of type configMap. Secrets, projected and downwardAPI volumes are in memory and do not count.',
  other: 'The rest of the total that the kubelet reports.',
  incomplete: 'The sum lacks pods or volumes that are not measured: it is too low.',
  pending: 'The kubelet has not measured the volumes yet: the total or a ratio is too low.',
  images:
    'Images and, on containerd, ended containers and sandboxes: all of the container runtime but the writable layers of running containers.',
  unattributed:
    'Not pods, not images: on containerd the compressed copies of images first; logs of the system, hostPath data, and what the kubelet does not report.',
} as const;

type Word = keyof typeof meanings;

/** Whether the word has a meaning of its own here. */
export function isWordOf(word: string): word is Word {
  return word in meanings;
}

/**
 * The word with its meaning, which is shown when it is pointed at, reached by the keyboard, or touched. `text`: what is shown of
 * it. Not inside of what can be used itself.
 */
export function term(word: Word, text: string = word): Markup {
  return markup`<dfn tabindex="0">${text}<span class="tip" role="tooltip">${meanings[word]}</span></dfn>`;
}

/** Whether the values are old, and what they are now is not known. */
export function isLastKnown({ dataState }: Partial<DataFacts>): boolean {
  return dataState === 'absent' || dataState === 'pending';
}

/** The class of a row, or of a part, that shows what was last known. */
export function rowClass(facts: Partial<DataFacts>): Markup | undefined {
  return isLastKnown(facts) ? markup` class="last"` : undefined;
}

/** With age and reason. */
export function lastKnownChip(facts: Partial<DataFacts>): Markup | undefined {
  const { dataState, dataAgeMs, absenceReason = 'never' } = facts;
  if (!isLastKnown(facts)) return undefined;
  const reason =
    dataState === 'pending' ? markup`volumes ${term('pending')}` : `node without data (${absenceNames[absenceReason]})`;
  return markup` <span class="chip plain">last known ${formatAge(dataAgeMs)} ago, ${reason}</span>`;
}

/** Of a pod: that values are old, or too low. */
export function podChip(pod: Partial<DataFacts> & Pick<PodReport, 'state'>): Markup | undefined {
  if (isLastKnown(pod)) return lastKnownChip(pod);
  return pod.state === 'pending' ? markup` <span class="chip warning">volumes ${term('pending')}</span>` : undefined;
}
