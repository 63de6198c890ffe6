import type { Ranked } from '../../../lib/base/ranking.js';
import { formatCount } from '../../../lib/base/text.js';
import { formatAge } from '../../../lib/base/units.js';
import type { Tone } from '../../pens/document.js';
import { term } from '../../pens/html-kit.js';
import { type Markup, markup } from '../../pens/markup.js';
import { absenceNames } from '../../report/absence-hints.js';
import { type LimitReport, limitThresholds, unenforcedNames } from '../../report/limit-report.js';
import { type DataFacts, isLastKnown, type PodReport } from '../../report/pod-report.js';

/** Returns the worst severity with a count above 0. */
export function worst(counts: Partial<Record<Exclude<Tone, 'ok'>, number>>): Tone {
  return (['critical', 'warning', 'unknown'] as const).find((severity) => (counts[severity] ?? 0) > 0) ?? 'ok';
}

/** Of a limit or a filesystem. As `ratioStyle` of the commands. */
export function limitSeverity(ratio: number): Tone {
  if (ratio >= limitThresholds.alerted) return 'critical';
  return ratio >= limitThresholds.near ? 'warning' : 'ok';
}

/** The same, and `unknown` for a low ratio that says little: only a part of what is written is compared with the limit. */
export function ratioSeverity({ ratio, unenforced }: LimitReport): Tone {
  const severity = limitSeverity(ratio);
  return unenforced !== undefined && severity === 'ok' ? 'unknown' : severity;
}

/** A limit that does not do what it seems to do. */
export function unenforcedText(reason: NonNullable<LimitReport['unenforced']>): string {
  return `not enforced: ${unenforcedNames[reason]}`;
}

export function countText(count: number, one: string, many: string): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** `and 4 more`, and where they are; undefined when all are shown. */
export function moreText({ items, totalCount }: Ranked<unknown>, what: string, where?: Markup): Markup | undefined {
  const moreCount = totalCount - items.length;
  return moreCount > 0 ? markup`<p class="more">and ${formatCount(moreCount)} more ${what}${where}</p>` : undefined;
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
