import { formatAge } from '../../base/units.js';
import type { MeasuredPodReport } from '../../report/pod-report.js';
import { type Markup, markup } from './markup.js';
import { term } from './terms.js';

type DataFacts = Pick<MeasuredPodReport, 'dataState' | 'dataAgeMs' | 'absenceReason'>;

/** Whether the values are old, and what they are now is not known. */
export function isLastKnown({ dataState }: Pick<DataFacts, 'dataState'>): boolean {
  return dataState === 'absent' || dataState === 'pending';
}

/** The class of a row, or of a part, that shows what was last known. */
export function rowClass(facts: DataFacts): Markup | undefined {
  return isLastKnown(facts) ? markup` class="last"` : undefined;
}

/** With age and reason. */
export function lastKnownChip(facts: DataFacts): Markup | undefined {
  const { dataState, dataAgeMs, absenceReason = 'never' } = facts;
  if (!isLastKnown(facts)) return undefined;
  const reason = dataState === 'pending' ? markup`volumes ${term('pending')}` : `node without data (${absenceReason})`;
  return markup` <span class="chip plain">last known ${formatAge(dataAgeMs)} ago, ${reason}</span>`;
}

/** Of a pod: that values are old, or too low. */
export function podChip(pod: DataFacts & Pick<MeasuredPodReport, 'state'>): Markup | undefined {
  if (isLastKnown(pod)) return lastKnownChip(pod);
  return pod.state === 'pending' ? markup` <span class="chip warning">volumes ${term('pending')}</span>` : undefined;
}
