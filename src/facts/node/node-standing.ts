import type { EvictionSignal } from '../../cluster/kubelet/eviction-signals.js';
import { soonMs } from '../forecast/forecast.js';
import { firstOnDisk } from './disk-fill.js';
import { decidingThreshold, fullDisk, isHeadroomUnknown } from './full-disks.js';
import { headroomRatio, isKnownThreshold, type NodeThreshold } from './node-thresholds.js';
import {
  type NodeForecasts,
  type NodeSnapshot,
  type NodeView,
  passedMs,
  type ThresholdForecast,
  timeToMs,
} from './node-view.js';

/** Returns the forecast of a threshold that comes first, with the milliseconds that are left. `only`: of this signal. */
export function nextThreshold(
  forecasts: NodeForecasts,
  source: Parameters<typeof passedMs>[0],
  only?: EvictionSignal,
): (Pick<ThresholdForecast, 'signal'> & { readonly timeMs: number }) | undefined {
  const [next] = forecasts.thresholds
    .flatMap((forecast) => {
      const timeMs = timeToMs(forecast, forecasts, passedMs(source, forecast, forecasts));
      const isMeant = only === undefined || forecast.signal === only;
      return timeMs === undefined || !isMeant ? [] : [{ signal: forecast.signal, timeMs }];
    })
    .toSorted((a, b) => a.timeMs - b.timeMs);
  return next;
}

/** How a node stands to its thresholds. */
export interface NodeStanding {
  /** By which it is judged, see {@link decidingThreshold}. */
  readonly nearest: NodeThreshold | undefined;
  /** By its headroom, or since it crosses a threshold within ten minutes. */
  readonly isClose: boolean;
  /** Until the threshold is crossed at the present growth; undefined without a forecast. */
  readonly timeMs: number | undefined;
  /** The threshold that the node is about to cross, while it is below none, until its disk is calm. */
  readonly soon: EvictionSignal | undefined;
  /** The larger, the sooner: below the threshold, then by the time, then by the headroom. */
  readonly urgency: number;
}

/** `state`: without data no time is told, and what was about to happen stays so: only new data refutes it. */
export function nodeStanding(
  source: { readonly state: NodeView['state']; readonly ageMs?: number | undefined },
  snapshot: NodeSnapshot,
): NodeStanding {
  const { state } = source;
  const aged = { state, ageMs: source.ageMs ?? 0 };
  const soon = soonSignal(aged, snapshot);
  const { isClose, threshold: nearest } = decidingThreshold(snapshot, soon);
  const hasForecast = state !== 'absent' && nearest !== undefined;
  const timeMs = hasForecast ? nextThreshold(snapshot.forecasts, aged, nearest.signal)?.timeMs : undefined;
  return { nearest, isClose, timeMs, soon, urgency: thresholdUrgency(nearest, timeMs) };
}

function soonSignal(source: Parameters<typeof passedMs>[0], snapshot: NodeSnapshot): EvictionSignal | undefined {
  const { forecasts, thresholds, fills } = snapshot;
  if (thresholds.some(({ isCrossed }) => isCrossed)) return undefined;
  const next = nextThreshold(forecasts, source);
  if (next !== undefined && next.timeMs <= soonMs) return firstOnDisk(next.signal, snapshot);
  return fills.find(({ warnedOf }) => warnedOf !== undefined)?.warnedOf;
}

function thresholdUrgency(nearest: NodeThreshold | undefined, timeMs: number | undefined): number {
  if (!isKnownThreshold(nearest)) return 0;
  if (nearest.isCrossed) return 2 - headroomRatio(nearest);
  return timeMs === undefined ? -headroomRatio(nearest) : 1 + 1 / (1 + timeMs);
}

/**
 * The larger, the sooner it needs somebody: nodes that evict pods, then those that have no space and evict none, those under DiskPressure,
 * those without data, those whose headroom is not known, those that are close to evicting, and the fullest. Undefined for one that is skipped.
 * @param snapshot as last known without data
 * @param standing undefined for a node that is neither close to evicting pods nor under DiskPressure
 */
export function nodeUrgency(
  view: NodeView,
  snapshot: NodeSnapshot | undefined,
  standing: NodeStanding | undefined,
  fullRatio: number | undefined,
): number | undefined {
  const isSkipped = view.state === 'absent' && view.reason === 'skipped';
  if (isSkipped) return undefined;
  const critical = criticalUrgency(view, snapshot, standing);
  if (critical !== undefined || view.state === 'absent') return critical ?? 15;
  if (isHeadroomUnknown(view.snapshot)) return 14;
  return standing === undefined ? calmUrgency(view.state, fullRatio) : 10 + Math.max(-4, standing.urgency);
}

function criticalUrgency(
  { node }: NodeView,
  snapshot: NodeSnapshot | undefined,
  { nearest, urgency = 0 }: Partial<NodeStanding> = {},
): number | undefined {
  if (nearest?.isCrossed === true) return 20 + urgency;
  if (snapshot !== undefined && fullDisk(snapshot) !== undefined) return 20;
  return node?.diskPressure === true ? 17 + Math.max(-1, urgency) : undefined;
}

function calmUrgency(state: 'fresh' | 'stale', fullRatio = 0): number {
  return (state === 'stale' ? 1 : 0) + fullRatio;
}
