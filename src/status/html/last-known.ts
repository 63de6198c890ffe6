import { formatAge } from '../../base/units.js';
import type { MeasuredPodReport } from '../../report/pod-report.js';
import { type Markup, markup } from './markup.js';

type DataFacts = Pick<MeasuredPodReport, 'dataState' | 'dataAgeMs' | 'absenceReason'>;

/** The class of a row, or of a part, that shows what was last known of a node without data. */
export function rowClass({ dataState }: DataFacts): Markup | undefined {
  return dataState === 'absent' ? markup` class="last"` : undefined;
}

export function lastKnownChip({ dataState, dataAgeMs, absenceReason = 'never' }: DataFacts): Markup | undefined {
  if (dataState !== 'absent') return undefined;
  return markup` <span class="chip plain">last known ${formatAge(dataAgeMs)} ago, node without data (${absenceReason})</span>`;
}
