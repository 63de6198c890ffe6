import type { Tone } from '../pens/document.js';
import type { NodeCondition } from '../report/node-condition.js';

/** What distinguishes conditions: a letter and a shape too, for readers who see no colours. */
export const conditionMarks: Readonly<
  Record<NodeCondition, { readonly letter: string; readonly severity: Tone; readonly text: string }>
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
