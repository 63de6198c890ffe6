import { formatAge } from '../../../lib/base/units.js';
import type { ListedNodeReport } from '../../query/list-nodes.js';
import { absenceNames } from '../../report/absence-hints.js';
import type { NodeCondition } from '../../report/node-condition.js';
import { type Markup, markup } from './markup.js';
import type { Severity } from './texts.js';

/** What distinguishes conditions: a letter and a shape too, for readers who see no colours. */
export const conditionMarks: Readonly<
  Record<NodeCondition, { readonly letter: string; readonly severity: Severity; readonly text: string }>
> = {
  evicting: { letter: 'E', severity: 'critical', text: 'below an eviction threshold' },
  no_space: { letter: '0', severity: 'critical', text: 'a disk is full or fills up, and no pod is evicted for it' },
  silent: { letter: '?', severity: 'critical', text: 'no data' },
  unknown: { letter: '!', severity: 'warning', text: 'headroom unknown' },
  refusing: { letter: 'D', severity: 'warning', text: 'under DiskPressure: refuses pods' },
  near: { letter: 'N', severity: 'warning', text: 'near a threshold' },
  full: { letter: 'F', severity: 'warning', text: 'nearly full' },
  awaited: { letter: '…', severity: 'unknown', text: 'not responded yet' },
  stale: { letter: 'S', severity: 'warning', text: 'stale data' },
  missing: { letter: 'M', severity: 'warning', text: 'pods missing from its summary' },
  unprotected: { letter: 'U', severity: 'unknown', text: 'limits or thresholds that do not protect' },
  ok: { letter: '', severity: 'ok', text: 'ok' },
  skipped: { letter: '-', severity: 'unknown', text: 'skipped' },
};

/** Of a node under pressure that first; the age of its data otherwise. */
export function stateChips(node: ListedNodeReport): Markup {
  if (node.state === 'absent') {
    const { text } = conditionMarks[node.condition];
    return node.condition === 'silent'
      ? markup`<span class="chip critical">${text}: ${absenceNames[node.reason]}</span>`
      : markup`<span class="chip plain">${text}</span>`;
  }
  const { condition, state, dataAgeMs } = node;
  const { severity, text } = conditionMarks[condition];
  const age = `${state}, ${formatAge(dataAgeMs)} old`;
  if (condition === 'ok') return markup`<span class="chip ok">${age}</span>`;
  if (condition === 'stale') return markup`<span class="chip warning">${age}</span>`;
  const stale = state === 'stale' ? markup` <span class="chip warning">${age}</span>` : undefined;
  return markup`<span class="chip ${severity === 'unknown' ? 'plain' : severity}">${chipTexts[condition] ?? text}</span>${stale}`;
}

const chipTexts: Partial<Record<NodeCondition, string>> = { evicting: 'below its threshold', refusing: 'DiskPressure' };
