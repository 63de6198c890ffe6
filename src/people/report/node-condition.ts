import { fullDisk, isHeadroomUnknown } from '../../facts/node/full-disks.js';
import type { MeasuredNodeView, NodeSnapshot, NodeView } from '../../facts/node/node-view.js';
import type { Tone } from '../pens/document.js';
import { isAwaitedNode } from './absence-hints.js';
import { enforcementKinds } from './enforcement-report.js';
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

/** In what trouble the disks of a node may be, which is said of a silent node too. */
const diskTroubles = ['evicting', 'no_space', 'refusing', 'near', 'full'] as const satisfies readonly NodeCondition[];
export type DiskTrouble = (typeof diskTroubles)[number];

/** Returns undefined where none is known, nor was when it was last known. `pressed`: undefined for a node that is not close to evicting pods. */
export function diskTrouble(
  view: NodeView,
  snapshot: NodeSnapshot | undefined,
  pressed: PressedNode | undefined,
  fullRatio = 0,
): DiskTrouble | undefined {
  if (isSkipped(view)) return undefined;
  const ofSpace = spaceTrouble(snapshot, fullRatio);
  if (ofSpace === 'no_space') return ofSpace;
  if (pressed?.nearest.isCrossed === true) return 'evicting';
  if (view.node?.diskPressure === true) return 'refusing';
  return pressed?.isClose === true ? 'near' : ofSpace;
}

function spaceTrouble(snapshot: NodeSnapshot | undefined, fullRatio: number): 'no_space' | 'full' | undefined {
  if (snapshot !== undefined && fullDisk(snapshot) !== undefined) return 'no_space';
  return fullRatio >= limitThresholds.near ? 'full' : undefined;
}

/** `failure`: of the last request to its kubelet. A headroom that is not known may be less than what is known. */
export function nodeCondition(
  view: NodeView,
  trouble: DiskTrouble | undefined,
  failure: object | undefined,
): NodeCondition {
  if (view.state === 'absent') {
    if (isSkipped(view)) return 'skipped';
    return trouble ?? (isAwaitedNode(view.reason, failure) ? 'awaited' : 'silent');
  }
  const mayBeWorse = trouble === undefined || trouble === 'near' || trouble === 'full';
  if (mayBeWorse && isHeadroomUnknown(view.snapshot)) return 'unknown';
  return trouble ?? dataCondition(view);
}

function isSkipped(view: NodeView): boolean {
  return view.state === 'absent' && view.reason === 'skipped';
}

/** Whether the condition is one of the disks as they were when the node fell silent: DiskPressure is of now. */
export function isLastTrouble({ state }: Pick<NodeView, 'state'>, condition: NodeCondition): boolean {
  return state === 'absent' && condition !== 'refusing' && diskTroubles.some((trouble) => trouble === condition);
}

function dataCondition(view: MeasuredNodeView): NodeCondition {
  if (view.state === 'stale') return 'stale';
  if (view.missingPods > 0) return 'missing';
  return enforcementKinds(view).length > 0 ? 'unprotected' : 'ok';
}
