import { formatAge } from '../../../lib/base/units.js';
import { conditionMarks } from '../../answers/node-state.js';
import { type Markup, markup } from '../../pens/markup.js';
import type { ListedNodeReport } from '../../query/list-nodes.js';
import { absenceNames } from '../../report/absence-hints.js';
import type { NodeCondition } from '../../report/node-condition.js';

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
