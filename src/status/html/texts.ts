import { formatRatio } from '../../base/units.js';
import { limitThresholds } from '../../report/limit-report.js';
import type { Ranked } from '../../report/ranked.js';
import { type Markup, markup } from './markup.js';

/** `unknown`: a part of the data is missing, and the rest shows no problem. */
export type Severity = 'ok' | 'unknown' | 'warning' | 'critical';

/** Whole percent, never rounded up to a limit that is not reached; `∞ %` of a limit of 0; `-` when unknown. */
export function percentText(ratio: number | undefined): string {
  if (ratio === Infinity) return '∞ %';
  return ratio === undefined ? '-' : `${Math.round(Number(formatRatio(ratio)) * 100)} %`;
}

/** Of a limit or a filesystem. As `ratioStyle` of the commands. */
export function limitSeverity(ratio: number): Severity {
  if (ratio >= limitThresholds.high) return 'critical';
  return ratio >= limitThresholds.near ? 'warning' : 'ok';
}

/** The class of a text in the colour of a problem; '' for none. */
export function severityClass(severity: Severity): string {
  return severity === 'warning' || severity === 'critical' ? `t-${severity}` : '';
}

export function countText(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** `and 4 more`, and where they are; undefined when all are shown. */
export function moreText({ items, totalCount }: Ranked<unknown>, what: string, where?: Markup): Markup | undefined {
  const moreCount = totalCount - items.length;
  return moreCount > 0 ? markup`<p class="more">and ${moreCount} more ${what}${where}</p>` : undefined;
}

/** UTC, to the second. */
export function timeText(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
