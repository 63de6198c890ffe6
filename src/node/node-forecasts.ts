import { getOrAdd } from '../base/maps.js';
import { type Forecast, forecastOf, type ForecastPart, timeLeftMs, trendOf } from '../forecast/forecast.js';
import { Measurements } from '../forecast/measurements.js';
import { type EvictionSignal, filesystemOf } from '../kubelet/eviction-signals.js';
import type { UsageSample } from '../kubelet/lookup.js';
import type { ContainerSummary, NodeSummary } from '../kubelet/summary.js';
import type { LimitRatio } from './limit-ratios.js';
import { hasChangedMuch } from './near-evictions.js';
import { availableFor, type NodeThreshold } from './node-thresholds.js';
import type { DerivedPods, PodContext, PodRecord } from './pod-record.js';
import { canBind } from './unenforced-limits.js';
import { countedComponent, volumeUsages } from './volume-usage.js';

/** When a pod reaches the limit that it reaches first. */
export interface PodForecast extends Forecast, Pick<LimitRatio, 'rule' | 'container' | 'volume'> {}

/** When a node crosses a threshold, plus the grace period of a soft one. */
export interface ThresholdForecast extends Forecast, Pick<NodeThreshold, 'signal' | 'isAssumed'> {}

/** What is to come on a node, as of its last summary. */
export interface NodeForecasts {
  /** Newest time in the summary, by the node's clock, in milliseconds: clocks of nodes are never compared with ours. */
  readonly measuredAtMs: number;
  /** By the UIDs of the entries of the summary. */
  readonly pods: ReadonlyMap<string, PodForecast>;
  readonly thresholds: readonly ThresholdForecast[];
}

export const noForecasts: NodeForecasts = { measuredAtMs: 0, pods: new Map(), thresholds: [] };

/** Returns the milliseconds that are left, `ageMs` after the summary arrived; undefined for a forecast that is refuted. */
export function timeToMs(forecast: Forecast, { measuredAtMs }: NodeForecasts, ageMs: number): number | undefined {
  return timeLeftMs(forecast, measuredAtMs + ageMs);
}

/** Returns the forecast of a threshold that comes first, with the milliseconds that are left. `only`: of this signal. */
export function nextThreshold(
  forecasts: NodeForecasts,
  ageMs: number,
  only?: EvictionSignal,
): (Pick<ThresholdForecast, 'signal'> & { readonly timeMs: number }) | undefined {
  const [next] = forecasts.thresholds
    .flatMap((forecast) => {
      const timeMs = timeToMs(forecast, forecasts, ageMs);
      const isMeant = only === undefined || forecast.signal === only;
      return timeMs === undefined || !isMeant ? [] : [{ signal: forecast.signal, timeMs }];
    })
    .toSorted((a, b) => a.timeMs - b.timeMs);
  return next;
}

/** From this part of a limit on, measurements are kept: less often than from a quarter on, and nearly as many evictions are foreseen. */
const keptRatio = 0.4;
/** The same of thresholds, of which a node has few. */
const keptThresholdRatio = 0.25;
/** For so long, so are those of a pod that changed. */
const changedMs = 600_000;
/** From here on a forecast speaks. */
const spokenRatio = 0.5;
/** Containers and volumes with less of the pod's limit are taken to stay as they are. */
const partRatio = 1 / 16;

/** Limits of a pod: their author decides how many there are, and each that is followed takes half a kilobyte. */
const maxFollowedCount = 16;

/** Kubelets measure containers each 10 to 15 s: before the third change, growth may have been a burst. */
const minChangeCount = 3;
/** Volumes are measured each 60 to 90 s: the second measurement is often the last one before the eviction. */
const minVolumeChangeCount = 1;

/** Thresholds may be tiny: what is near is measured by this part of the filesystem at least. */
const minZoneRatio = 0.05;

export interface ForecastInput {
  readonly summary: NodeSummary;
  readonly pods: readonly PodRecord[];
  /** Of the summary before, in the same context, by UID. */
  readonly known?: ReadonlyMap<string, PodRecord> | undefined;
  readonly derived: DerivedPods;
  readonly context: PodContext;
  readonly thresholds: readonly NodeThreshold[];
}

/** A pod whose measurements are kept. */
interface FollowedPod {
  /** By container, volume, or files of a container that a limit of it counts. */
  readonly parts: ReadonlyMap<string, Measurements>;
  /** By the clock of the node. Infinity for one that was near a limit: its peaks are remembered, and its growth may be forecast. */
  readonly untilMs: number;
}

interface MeasuredThreshold {
  readonly measurements: Measurements;
  /** Since then usage is above it: a soft threshold has a grace period. Undefined below it. */
  readonly crossedAtMs: number | undefined;
}

interface MeasuredPart {
  readonly key: string;
  readonly atMs: number | undefined;
  readonly amount: number;
  readonly minChangeCount: number;
}

/**
 * The measurements of one node, of what is near a limit or a threshold. It outlives settings; what its kubelet measured is added
 * with each summary.
 */
export class NodeMeasurements {
  #pods = new Map<string, FollowedPod>();
  #measuredAtMs = 0;
  #thresholds = new Map<string, MeasuredThreshold>();

  forecasts({ summary, pods, known, derived, context, thresholds }: ForecastInput): NodeForecasts {
    const [former, formerThresholds] = [this.#pods, this.#thresholds];
    this.#pods = new Map();
    this.#thresholds = new Map();
    const measuredAtMs = newestMs(summary);
    this.#measuredAtMs = measuredAtMs;
    const ofPods = new Map<string, PodForecast>();
    const changes = { known, context, measuredAtMs };
    for (const pod of pods) {
      const { uid } = pod.summary;
      const followed = former.get(uid);
      // Of a pod whose sizes are those of before, nothing is derived: it is followed already, or not near any limit.
      const ratios = derived.get(pod)?.ratios ?? (followed && context.ratiosOf(pod));
      if (ratios === undefined) continue;
      const untilMs = followedUntilMs(pod, ratios, followed, changes);
      const forecast = untilMs > measuredAtMs ? this.#podForecast(pod, ratios, followed, untilMs) : undefined;
      if (forecast !== undefined) ofPods.set(uid, forecast);
    }
    return {
      measuredAtMs,
      pods: ofPods,
      thresholds: thresholds.flatMap(
        (threshold) => this.#thresholdForecast(threshold, summary, formerThresholds) ?? [],
      ),
    };
  }

  /**
   * Returns what was compared with a limit of a followed pod over the last ten minutes, the oldest first. Empty for other pods, and
   * for the limit of a pod as a whole, whose parts are followed. The newest time in the last summary is taken for `fetchedAtMs`.
   */
  ofLimit(pod: PodRecord, limit: LimitRatio, fetchedAtMs: number): readonly UsageSample[] {
    const parts = this.#pods.get(pod.summary.uid)?.parts;
    if (parts === undefined || limit.rule === 'pod') return [];
    const measurements = partsOf(limit, pod).flatMap(({ key }) => parts.get(key)?.recent ?? []);
    const aheadMs = fetchedAtMs - Math.max(this.#measuredAtMs, measurements.at(-1)?.atMs ?? 0);
    return measurements.map(({ atMs, amount }) => ({ atMs: Math.round(atMs + aheadMs), usedBytes: amount }));
  }

  #podForecast(
    pod: PodRecord,
    ratios: readonly LimitRatio[],
    followed: FollowedPod | undefined,
    untilMs: number,
  ): PodForecast | undefined {
    if (pod.bound === undefined) return undefined;
    const parts = new Map<string, Measurements>();
    const isNearSince = untilMs !== followed?.untilMs && untilMs === Infinity;
    let first: PodForecast | undefined;
    for (const limit of followedLimits(ratios)) {
      const forecastParts = partsOf(limit, pod).map((part) => follow(part, followed?.parts, parts, isNearSince));
      const forecast = limitForecast(limit, forecastParts);
      if (forecast !== undefined && forecast.reachedAtMs < (first?.reachedAtMs ?? Infinity)) {
        first = { ...forecast, rule: limit.rule, container: limit.container, volume: limit.volume };
      }
    }
    this.#pods.set(pod.summary.uid, { parts, untilMs });
    return first;
  }

  /**
   * The headroom within two zones above the threshold, each as large as the threshold, is looked at as usage is below a limit: 0 at
   * the far end, half of it where the headroom is as large as the threshold, all of it where the threshold is crossed.
   */
  #thresholdForecast(
    of: NodeThreshold,
    summary: NodeSummary,
    former: ReadonlyMap<string, MeasuredThreshold>,
  ): ThresholdForecast | undefined {
    const { signal, isAssumed, gracePeriodMs } = of;
    const limit = limitOf(of, summary);
    if (limit === undefined || limit.ratio < keptThresholdRatio) return undefined;
    // Another threshold, or a disk of another size, is measured from the start.
    const key = [signal, gracePeriodMs, limit.limitBytes].join('/');
    const measured = measuredThreshold(
      limit,
      summary[filesystemOf(signal)]?.timeMs ?? newestMs(summary),
      former.get(key),
    );
    this.#thresholds.set(key, measured);
    const { measurements, crossedAtMs } = measured;
    const forecast =
      crossedAtMs === undefined
        ? limitForecast(limit, [partOf(measurements, minChangeCount)])
        : { reachedAtMs: crossedAtMs, endsAtMs: Infinity };
    if (forecast === undefined) return undefined;
    const { reachedAtMs, endsAtMs } = forecast;
    return { signal, isAssumed, reachedAtMs: reachedAtMs + gracePeriodMs, endsAtMs: endsAtMs + gracePeriodMs };
  }
}

/** Once near a limit, a pod is followed below too. */
function followedUntilMs(
  pod: PodRecord,
  ratios: readonly LimitRatio[],
  followed: FollowedPod | undefined,
  { known, context, measuredAtMs }: Pick<ForecastInput, 'known' | 'context'> & Pick<NodeForecasts, 'measuredAtMs'>,
): number {
  const knownMs = followed?.untilMs ?? 0;
  if (knownMs === Infinity || ratios.some((limit) => limit.ratio >= keptRatio && canBind(limit))) return Infinity;
  const before = known?.get(pod.summary.uid);
  const hasChanged = before !== undefined && hasChangedMuch(pod, ratios, before, context);
  return hasChanged ? measuredAtMs + changedMs : knownMs;
}

/** Returns the fullest ones of those that evict, in their order. */
function followedLimits(ratios: readonly LimitRatio[]): readonly LimitRatio[] {
  const binding = ratios.filter(canBind);
  if (binding.length <= maxFollowedCount) return binding;
  const fullest = new Set(binding.toSorted((a, b) => b.ratio - a.ratio).slice(0, maxFollowedCount));
  return binding.filter((limit) => fullest.has(limit));
}

type ZoneUsage = Pick<LimitRatio, 'usedBytes' | 'limitBytes' | 'ratio'>;

/** Undefined without a threshold, or where the headroom is not known. */
function limitOf({ signal, threshold = 0, headroom }: NodeThreshold, summary: NodeSummary): ZoneUsage | undefined {
  if (headroom === undefined || threshold === 0) return undefined;
  const { total = 0 } = availableFor(signal, summary);
  const limitBytes = 2 * Math.max(threshold, total * minZoneRatio);
  const usedBytes = limitBytes - headroom;
  return { usedBytes, limitBytes, ratio: usedBytes / limitBytes };
}

function measuredThreshold(
  { usedBytes, ratio }: ZoneUsage,
  atMs: number,
  { measurements, crossedAtMs }: MeasuredThreshold = { measurements: new Measurements(false), crossedAtMs: undefined },
): MeasuredThreshold {
  measurements.add({ atMs, amount: usedBytes });
  return { measurements, crossedAtMs: ratio > 1 ? (crossedAtMs ?? atMs) : undefined };
}

function limitForecast(
  { ratio, limitBytes }: Pick<LimitRatio, 'ratio' | 'limitBytes'>,
  parts: readonly ForecastPart[],
): Forecast | undefined {
  if (ratio > 1) return { reachedAtMs: -Infinity, endsAtMs: Infinity };
  return ratio < spokenRatio ? undefined : forecastOf(parts, limitBytes);
}

/** What a limit counts: a part without time is taken to stay as it is. */
function partsOf(limit: LimitRatio, { summary, bound }: PodRecord): readonly MeasuredPart[] {
  const { rule, container, volume, usedBytes, limitBytes } = limit;
  if (rule === 'emptydir') {
    const atMs = summary.volumes?.find(({ name }) => name === volume)?.timeMs;
    return [volumePart(volume, atMs, usedBytes)];
  }
  if (rule === 'container') {
    const found = summary.containers.find(({ name }) => name === container);
    const isWhole = found !== undefined && usedBytesOf(found) === usedBytes;
    return [containerPart(isWhole ? container : `${container}/logs`, found?.timeMs, usedBytes)];
  }
  const parts = [
    ...summary.containers.map((each) => containerPart(each.name, each.timeMs, usedBytesOf(each))),
    ...volumeUsages(summary, bound?.pod)
      .filter((each) => countedComponent(each) !== undefined)
      .map((each) => volumePart(each.name, each.measuredAtMs, each.usedBytes ?? 0)),
  ].filter(({ amount }) => amount >= limitBytes * partRatio);
  const restBytes = parts.reduce((rest, { amount }) => rest - amount, usedBytes);
  return [...parts, { key: '', atMs: undefined, amount: restBytes, minChangeCount }];
}

function containerPart(name: string, atMs: number | undefined, amount: number): MeasuredPart {
  return { key: `container/${name}`, atMs, amount, minChangeCount };
}

function volumePart(name: string, atMs: number | undefined, amount: number): MeasuredPart {
  return { key: `volume/${name}`, atMs, amount, minChangeCount: minVolumeChangeCount };
}

function usedBytesOf({ rootfs, logs }: ContainerSummary): number {
  return (rootfs?.usedBytes ?? 0) + (logs?.usedBytes ?? 0);
}

/** Adds the measurement, and keeps those of the part. Growth far below all limits, such as that of a batch, is not part of a forecast. */
function follow(
  { key, atMs, amount, minChangeCount: changeCount }: MeasuredPart,
  known: FollowedPod['parts'] | undefined,
  kept: Map<string, Measurements>,
  isNearSince: boolean,
): ForecastPart {
  if (atMs === undefined) return { last: { atMs: 0, amount }, trend: undefined };
  const measurements = getOrAdd(kept, key, () => known?.get(key) ?? new Measurements());
  measurements.add({ atMs, amount });
  if (isNearSince) measurements.beginAgain();
  return partOf(measurements, changeCount);
}

function partOf(measurements: Measurements, changeCount: number): ForecastPart {
  const rise = measurements.rise();
  return { last: measurements.last ?? { atMs: 0, amount: 0 }, trend: rise && trendOf(rise, changeCount) };
}

/** A time that is far ahead of the disk's own is none: it would end all forecasts of the node. */
const maxAheadMs = 120_000;

function newestMs({ nodefs, imagefs, containerfs, pods }: NodeSummary): number {
  let newest = latestOf([nodefs, imagefs, containerfs], 0);
  const latestMs = nodefs?.timeMs === undefined ? Infinity : newest + maxAheadMs;
  for (const { containers, volumes } of pods) newest = latestOf(volumes, latestOf(containers, newest));
  return Math.min(newest, latestMs);
}

function latestOf(
  items: readonly ({ readonly timeMs?: number | undefined } | undefined)[] | undefined,
  known: number,
): number {
  let newest = known;
  for (const item of items ?? []) newest = Math.max(newest, item?.timeMs ?? 0);
  return newest;
}
