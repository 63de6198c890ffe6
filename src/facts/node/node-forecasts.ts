import { ofSamePod } from '../../cluster/kube/pod-identity.js';
import type { EvictionSignal } from '../../cluster/kubelet/eviction-signals.js';
import type { UsageSample } from '../../cluster/kubelet/lookup.js';
import { type ContainerSummary, known, type NodeSummary } from '../../cluster/kubelet/summary.js';
import { getOrAdd } from '../../lib/base/maps.js';
import { divided } from '../../lib/base/ranking.js';
import {
  type Forecast,
  forecastOf,
  type ForecastPart,
  forecastReach,
  minChangeCount,
  risingPart,
  soonMs,
} from '../forecast/forecast.js';
import { Measurements } from '../forecast/measurements.js';
import type { LimitRatio } from './limit-ratios.js';
import { hasChangedMuch } from './near-evictions.js';
import { isNearThreshold, type NodeThreshold } from './node-thresholds.js';
import { type NodeForecasts, type NodeSnapshot, type PodForecast, timeToMs } from './node-view.js';
import type { DerivedPods, PodContext, PodRecord } from './pod-record.js';
import { ThresholdMeasurements } from './threshold-forecasts.js';
import { canBind } from './unenforced-limits.js';
import { countedComponent, volumeUsages } from './volume-usage.js';

/** Returns the signals whose thresholds are forecast to be crossed within minutes. */
export function soonSignals(forecasts: NodeForecasts): readonly EvictionSignal[] {
  const soon = forecasts.thresholds.filter((of) => (timeToMs(of, forecasts, 0) ?? Infinity) <= soonMs);
  return soon.map(({ signal }) => signal);
}

/**
 * Whether a node is close to evicting pods, as of its summary: for series, whose text is kept. Pages go by `nodeStanding`: a forecast
 * comes and ends when it should, and a warning lasts through the pauses of a pull of images.
 */
export function isNearPressure({ thresholds, forecasts }: Pick<NodeSnapshot, 'thresholds' | 'forecasts'>): boolean {
  return isNearThreshold(thresholds) || soonSignals(forecasts).length > 0;
}

/** From this part of a limit on, measurements are kept: less often than from a quarter on, and nearly as many evictions are foreseen. */
const keptRatio = 0.4;
/** For so long, so are those of a pod that changed. */
const changedMs = 600_000;
/** Containers and volumes with less of the pod's limit are taken to stay as they are. */
const partRatio = 1 / 16;

/** Limits of a pod: their author decides how many there are, and each that is followed takes half a kilobyte. */
const maxFollowedCount = 16;

/** Volumes are measured each 60 to 90 s: the second measurement is often the last one before the eviction. */
const minVolumeChangeCount = 1;

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
interface FollowedPod extends Pick<PodRecord, 'summary'> {
  /** By container, volume, or files of a container that a limit of it counts. */
  readonly parts: ReadonlyMap<string, Measurements>;
  /** By the clock of the node. Infinity for one that was near a limit: its peaks are remembered, and its growth may be forecast. */
  readonly untilMs: number;
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
  readonly #thresholds = new ThresholdMeasurements();

  forecasts({ summary, pods, known, derived, context, thresholds }: ForecastInput): NodeForecasts {
    const former = this.#pods;
    this.#pods = new Map();
    const measuredAtMs = newestMs(summary);
    this.#measuredAtMs = measuredAtMs;
    const ofPods = new Map<string, PodForecast>();
    const changes = { known, context, measuredAtMs };
    for (const pod of pods) {
      const { uid } = pod.summary;
      const followed = ofSamePod(former, pod.summary);
      // Of a pod whose sizes are those of before, nothing is derived: it is followed already, or not near any limit.
      const ratios = derived.get(pod)?.ratios ?? (followed && context.ratiosOf(pod));
      if (ratios === undefined) continue;
      const untilMs = followedUntilMs(pod, ratios, followed, changes);
      const forecast = untilMs > measuredAtMs ? this.#podForecast(pod, ratios, followed, untilMs) : undefined;
      if (forecast !== undefined) ofPods.set(uid, forecast);
    }
    const { thresholds: ofThresholds, crossesInMs } = this.#thresholds.forecasts(thresholds, summary, measuredAtMs);
    return { measuredAtMs, pods: ofPods, thresholds: ofThresholds, crossesInMs };
  }

  /**
   * Returns what was compared with a limit of a followed pod over the last ten minutes, the oldest first. Empty for other pods, and
   * for the limit of a pod as a whole, whose parts are followed. The newest time in the last summary is taken for `fetchedAtMs`.
   */
  ofLimit(pod: PodRecord, limit: LimitRatio, fetchedAtMs: number): readonly UsageSample[] {
    const parts = ofSamePod(this.#pods, pod.summary)?.parts;
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
    this.#pods.set(pod.summary.uid, { summary: pod.summary, parts, untilMs });
    return first;
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
  const before = ofSamePod(known, pod.summary);
  const hasChanged = before !== undefined && hasChangedMuch(pod, ratios, before, context);
  return hasChanged ? measuredAtMs + changedMs : knownMs;
}

/** Returns the fullest ones of those that evict, in their order. */
function followedLimits(ratios: readonly LimitRatio[]): readonly LimitRatio[] {
  return divided(ratios.filter(canBind), maxFollowedCount, (a, b) => b.ratio - a.ratio).first;
}

function limitForecast(
  { ratio, limitBytes }: Pick<LimitRatio, 'ratio' | 'limitBytes'>,
  parts: readonly ForecastPart[],
): Forecast | undefined {
  if (ratio > 1) return { reachedAtMs: -Infinity, endsAtMs: Infinity };
  return ratio < forecastReach.fromRatio ? undefined : forecastOf(parts, limitBytes);
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
      .map((each) => volumePart(each.name, each.measuredAtMs, known(each.usedBytes) ?? 0)),
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
  return (known(rootfs?.usedBytes) ?? 0) + (known(logs?.usedBytes) ?? 0);
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
  return risingPart(measurements, changeCount);
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
