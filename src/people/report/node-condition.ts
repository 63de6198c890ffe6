import { fullDisk, isHeadroomUnknown } from '../../facts/node/full-disks.js';
import type { MeasuredNodeView, NodeView } from '../../facts/node/node-view.js';
import type { Tone } from '../pens/document.js';
import { isAwaitedNode } from './absence-hints.js';
import { enforcementKinds } from './enforcement-report.js';
import { fullestRatio } from './filesystem-report.js';
import { limitThresholds } from './limit-report.js';
import type { PressedNode } from './pressure-report.js';

/**
 * How a node is, by what matters most, the worst first. `evicting`: below a threshold, or so when it was last known; `no_space`: a disk is full, and nobody is
 * evicted for it; `refusing`: under DiskPressure, and below no threshold that is known; `silent`: without data; `unknown`: nobody knows how close it is to a threshold; `near`: close to a
 * threshold; `full`: a filesystem is nearly full in bytes or inodes; `awaited`: without data, see {@link isAwaitedNode}; `stale`: its data is old; `missing`: its summary lacks
 * pods; `unprotected`: limits or thresholds do not do what they seem to do; `skipped`: never scraped. Distinguished by a letter and a shape too, for readers who see no colours.
 */
export const conditionMarks = {
  evicting: { letter: 'E', severity: 'critical', text: 'below an eviction threshold' },
  no_space: { letter: '0', severity: 'critical', text: 'a disk is full or fills up, and no pod is evicted for it' },
  refusing: { letter: 'D', severity: 'critical', text: 'under DiskPressure: refuses pods' },
  silent: { letter: '?', severity: 'warning', text: 'no data' },
  unknown: { letter: '!', severity: 'warning', text: 'headroom unknown' },
  near: { letter: 'N', severity: 'warning', text: 'near a threshold' },
  full: { letter: 'F', severity: 'warning', text: 'nearly full' },
  awaited: { letter: '…', severity: 'unknown', text: 'not responded yet' },
  stale: { letter: 'S', severity: 'warning', text: 'stale data' },
  missing: { letter: 'M', severity: 'warning', text: "pods missing from the kubelet's summary" },
  unprotected: { letter: 'U', severity: 'unknown', text: 'unreliable limits or eviction thresholds' },
  ok: { letter: '', severity: 'ok', text: 'ok' },
  skipped: { letter: '-', severity: 'unknown', text: 'skipped' },
} as const satisfies Readonly<
  Record<string, { readonly letter: string; readonly severity: Tone; readonly text: string }>
>;
export type NodeCondition = keyof typeof conditionMarks;
export const nodeConditions = Object.keys(conditionMarks) as readonly NodeCondition[];

/** In what trouble the disks of a node may be. */
const diskTroubles = ['evicting', 'no_space', 'refusing', 'near', 'full'] as const satisfies readonly NodeCondition[];
export type DiskTrouble = (typeof diskTroubles)[number];

/** Returns undefined where none is known, nor was when it was last known: a node with another condition may be in trouble too. */
export function diskTrouble(
  condition: NodeCondition,
  { node }: NodeView,
  pressed: PressedNode | undefined,
): DiskTrouble | undefined {
  const its = diskTroubles.find((trouble) => trouble === condition);
  return its ?? (node?.diskPressure === true ? 'refusing' : pressed && 'near');
}

/** `pressed`: undefined for a node that is not close to evicting pods. `failure`: of the last request to its kubelet. */
export function nodeCondition(
  view: NodeView,
  pressed: PressedNode | undefined,
  failure: object | undefined,
): NodeCondition {
  if (view.state === 'absent') {
    if (view.reason === 'skipped') return 'skipped';
    if (pressed?.nearest.isCrossed === true) return 'evicting';
    return isAwaitedNode(view.reason, failure) ? 'awaited' : 'silent';
  }
  return pressureCondition(view, pressed) ?? dataCondition(view);
}

function pressureCondition(
  { node, snapshot }: MeasuredNodeView,
  pressed: PressedNode | undefined,
): NodeCondition | undefined {
  if (fullDisk(snapshot) !== undefined) return 'no_space';
  if (pressed?.nearest.isCrossed === true) return 'evicting';
  if (node?.diskPressure === true) return 'refusing';
  if (isHeadroomUnknown(snapshot)) return 'unknown';
  return pressed === undefined ? undefined : 'near';
}

function dataCondition(view: MeasuredNodeView): NodeCondition {
  if ((fullestRatio(view.snapshot) ?? 0) >= limitThresholds.near) return 'full';
  if (view.state === 'stale') return 'stale';
  if (view.missingPods > 0) return 'missing';
  return enforcementKinds(view).length > 0 ? 'unprotected' : 'ok';
}
