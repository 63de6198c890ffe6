import { soonMs } from '../forecast/forecast.js';
import { hasUnknownUsage, knownNearest, type LimitRatio, limitStanding } from './limit-ratios.js';
import { type NodeForecasts, type NodeView, passedMs, type PodForecast, timeToMs } from './node-view.js';
import type { PodRecord } from './pod-record.js';
import { canBind } from './unenforced-limits.js';

/** How a pod stands to its limits. */
export interface PodStanding {
  /**
   * `above`: the kubelet evicts it when it looks next. `near`: at 80 % of a limit that evicts, or there within ten minutes if it goes on
   * to grow. `growing`: there later. `calm`: far from each. `unbound`: no limit evicts it. `unknown`: not all that its limits count is
   * known, or compared.
   */
  readonly kind: 'above' | 'near' | 'growing' | 'calm' | 'unbound' | 'unknown';
  /** That it exceeds, would exceed first, or is nearest to; undefined where none evicts it, and for a calm one while not all is known. */
  readonly limit: LimitRatio | undefined;
  /** See {@link knownNearest}. */
  readonly nearest: LimitRatio | undefined;
  /** Milliseconds until the limit is exceeded; 0 above it. Undefined without a forecast, and without data. */
  readonly timeMs: number | undefined;
  /** See {@link podUrgency}. */
  readonly urgency: number | undefined;
}

/** What of a node's last summary a standing depends on as time passes. */
export interface StandingSource {
  readonly state: NodeView['state'];
  readonly snapshot?: { readonly forecasts: NodeForecasts };
  readonly ageMs: number;
}

/**
 * Returns the limit that the pod exceeds first, and when; undefined while that is not known: without its volumes, its growth is not.
 * Of a node without data, what was about to happen alone.
 */
function podForecast(
  source: StandingSource,
  { summary, isPending, standing }: PodRecord,
): (PodForecast & { readonly dueMs: number; readonly timeMs: number | undefined }) | undefined {
  const { state, snapshot } = source;
  if (snapshot === undefined || snapshot.forecasts.pods.size === 0 || (isPending && standing !== 'above'))
    return undefined;
  const forecast = snapshot.forecasts.pods.get(summary.uid);
  if (forecast === undefined) return undefined;
  const dueMs = timeToMs(forecast, snapshot.forecasts, passedMs(source, forecast, snapshot.forecasts));
  if (dueMs === undefined || (state === 'absent' && dueMs > soonMs)) return undefined;
  const timeMs = Math.round(dueMs);
  return { ...forecast, dueMs: timeMs, timeMs: state === 'absent' ? undefined : timeMs };
}

/** Whether the pod is among those that are evicted next for a limit: it is near one, or above. Needs no ratios: lists ask it of each pod. */
export function isNearLimit(source: StandingSource, pod: PodRecord): boolean {
  return isNear(kindOf(pod, podForecast(source, pod)));
}

export function isNear(kind: PodStanding['kind'] | undefined): boolean {
  return kind === 'above' || kind === 'near';
}

/**
 * The larger, the sooner: pods above a limit, by how far; then those with a forecast, by their time; then those that are near without
 * one, by the ratio. Undefined for the others. `source`: undefined to leave forecasts aside, which change as time passes.
 */
export function podUrgency(pod: PodRecord, source: StandingSource | undefined): number | undefined {
  return urgencyOf(pod, source && podForecast(source, pod));
}

function urgencyOf(pod: PodRecord, forecast: ReturnType<typeof podForecast>): PodStanding['urgency'] {
  const { standing, nearestRatio: ratio = 0 } = pod;
  if (standing === 'above') return 4 - 1 / ratio;
  if (forecast?.timeMs !== undefined) return timeUrgency(forecast.timeMs);
  return isNear(kindOf(pod, forecast)) ? ratio : undefined;
}

/** Returns milliseconds until the pod exceeds a limit; undefined without a forecast, and without data. Needs no ratios: lists ask it of each pod. */
export function timeToLimitMs(source: StandingSource, pod: PodRecord): number | undefined {
  return podForecast(source, pod)?.timeMs;
}

const hourMs = 3_600_000;

/** Tells milliseconds apart, from 3 for now down to 2. */
function timeUrgency(timeMs: number): number {
  return 2 + hourMs / (hourMs + timeMs);
}

/** `ratios`: of the pod, in the order in which the kubelet checks. */
export function podStanding(source: StandingSource, pod: PodRecord, ratios: readonly LimitRatio[]): PodStanding {
  const forecast = podForecast(source, pod);
  const timeMs = forecast?.timeMs;
  const kind = kindOf(pod, forecast);
  const urgency = urgencyOf(pod, forecast);
  const nearest = knownNearest(ratios, { ...pod, pod: pod.bound?.pod });
  if (kind === undefined) return { ...restingStanding(pod, nearest), nearest, timeMs, urgency };
  const limit = pod.standing === 'above' ? ratios.find(isExceeded) : forecast && ratios.find(isOf(forecast));
  return { kind, limit: limit ?? nearest, nearest, timeMs, urgency };
}

/** Undefined of a pod that is near no limit, and for which none is forecast. */
function kindOf({ standing }: PodRecord, forecast: ReturnType<typeof podForecast>) {
  if (standing !== undefined || forecast === undefined) return standing;
  return forecast.dueMs <= soonMs ? 'near' : 'growing';
}

function restingStanding(pod: PodRecord, limit: LimitRatio | undefined): Pick<PodStanding, 'kind' | 'limit'> {
  const { bound, isPending, summary } = pod;
  if (bound === undefined || isPending || hasUnknownUsage(summary, bound.pod)) {
    return { kind: 'unknown', limit: undefined };
  }
  if (limit === undefined || !canBind(limit)) return { kind: 'unbound', limit: undefined };
  return { kind: limit.unenforced === undefined ? 'calm' : 'unknown', limit };
}

function isExceeded(limit: LimitRatio): boolean {
  return limitStanding(limit) === 'above';
}

function isOf({ rule, container, volume }: PodForecast): (limit: LimitRatio) => boolean {
  return (limit) => limit.rule === rule && limit.container === container && limit.volume === volume;
}
