import { type EvictionSignal, filesystemOf } from '../../cluster/kubelet/eviction-signals.js';
import type { NodeSummary } from '../../cluster/kubelet/summary.js';
import { leastKnown } from '../../lib/base/maps.js';
import {
  type Forecast,
  forecastOf,
  forecastReach,
  type Measurement,
  minChangeCount,
  risingPart,
  soonMs,
} from '../forecast/forecast.js';
import { Measurements } from '../forecast/measurements.js';
import type { LimitRatio } from './limit-ratios.js';
import { availableFor, type NodeThreshold } from './node-thresholds.js';
import type { ThresholdForecast } from './node-view.js';

/** From this part of a zone on, measurements are kept. */
const keptThresholdRatio = 0.25;
/** Farther away, those of a disk that would cross it within this time. */
const keptAheadMs = 3_600_000;

/** Thresholds may be tiny: what is near is measured by this part of the filesystem at least. */
const minZoneRatio = 0.05;

interface MeasuredThreshold {
  readonly measurements: Measurements;
  /** Since then usage is above it: a soft threshold has a grace period. Undefined below it. */
  readonly crossedAtMs: number | undefined;
}

type Disks = Pick<NodeSummary, 'nodefs' | 'imagefs' | 'containerfs'>;

/** How a disk fills up, from one summary to the next. */
interface Approach {
  readonly before: Measurement;
  readonly crossesInMs: number;
}

/** The measurements of what is available on the disks of one node. */
export class ThresholdMeasurements {
  #thresholds = new Map<string, MeasuredThreshold>();
  /** Of the last two summaries that differ. */
  #disks: readonly [before: Disks | undefined, last: Disks | undefined] = [undefined, undefined];

  forecasts(
    thresholds: readonly NodeThreshold[],
    summary: Disks,
    measuredAtMs: number,
  ): { readonly thresholds: readonly ThresholdForecast[]; readonly crossesInMs: number | undefined } {
    const former = this.#thresholds;
    this.#thresholds = new Map();
    this.#disks = nextDisks(this.#disks, summary);
    const approached = thresholds.map((of) => ({ of, approach: approachTo(of, this.#disks) }));
    return {
      thresholds: approached.flatMap((each) => this.#forecast(each, summary, measuredAtMs, former) ?? []),
      crossesInMs: approached.map(({ approach }) => approach?.crossesInMs).reduce(leastKnown, undefined),
    };
  }

  /**
   * The headroom within two zones above the threshold, each as large as the threshold, is looked at as usage is below a limit: 0 at
   * the far end, half of it where the headroom is as large as the threshold, all of it where the threshold is crossed.
   */
  #forecast(
    { of, approach }: { readonly of: NodeThreshold; readonly approach: Approach | undefined },
    summary: Disks,
    measuredAtMs: number,
    former: ReadonlyMap<string, MeasuredThreshold>,
  ): ThresholdForecast | undefined {
    const { signal, isAssumed, gracePeriodMs } = of;
    const zone = zoneOf(of, summary);
    if (zone === undefined) return undefined;
    const key = [signal, gracePeriodMs].join('/');
    const known = former.get(key);
    if (zone.ratio < keptThresholdRatio && !isApproached(approach, known)) return undefined;
    const atMs = summary[filesystemOf(signal)]?.timeMs ?? measuredAtMs;
    const measured = measuredThreshold(zone, atMs, known ?? newlyMeasured(approach));
    this.#thresholds.set(key, measured);
    const { crossedAtMs } = measured;
    const forecast =
      crossedAtMs === undefined ? zoneForecast(zone, measured, atMs) : { reachedAtMs: crossedAtMs, endsAtMs: Infinity };
    if (forecast === undefined) return undefined;
    const { reachedAtMs, endsAtMs } = forecast;
    return { signal, isAssumed, reachedAtMs: reachedAtMs + gracePeriodMs, endsAtMs: endsAtMs + gracePeriodMs };
  }
}

interface ZoneUsage extends Pick<LimitRatio, 'ratio'> {
  /** What is available, below 0 so that it rises as the disk fills up: neither moves with the threshold. */
  readonly amount: number;
  readonly limit: number;
}

/** Undefined without a threshold, or where the headroom is not known. */
function zoneOf({ signal, threshold = 0, headroom }: NodeThreshold, summary: Disks): ZoneUsage | undefined {
  if (headroom === undefined || threshold === 0) return undefined;
  const { total = 0 } = availableFor(signal, summary);
  const size = 2 * Math.max(threshold, total * minZoneRatio);
  return { amount: -headroom - threshold, limit: -threshold, ratio: 1 - headroom / size };
}

function nextDisks([before, last]: readonly [Disks | undefined, Disks | undefined], summary: Disks) {
  if (last !== undefined && last.nodefs?.timeMs === summary.nodefs?.timeMs) return [before, last] as const;
  const { nodefs, imagefs, containerfs } = summary;
  return [last, { nodefs, imagefs, containerfs }] as const;
}

/** Undefined while it does not fill up, as far as is known. */
function approachTo(
  { signal, headroom }: NodeThreshold,
  disks: readonly [Disks | undefined, Disks | undefined],
): Approach | undefined {
  const [before, last] = disks.map((each) => each && lookAt(signal, each));
  if (before === undefined || last === undefined || headroom === undefined) return undefined;
  const [ms, amount] = [last.atMs - before.atMs, last.amount - before.amount];
  return ms > 0 && amount > 0 ? { before, crossesInMs: (headroom * ms) / amount } : undefined;
}

function lookAt(signal: EvictionSignal, disks: Disks): Measurement | undefined {
  const { available } = availableFor(signal, disks);
  const atMs = disks[filesystemOf(signal)]?.timeMs;
  return atMs === undefined || available === undefined ? undefined : { atMs, amount: -available };
}

/** Once it is, it is followed as long as it rises: stairs are flat for a while. */
function isApproached(approach: Approach | undefined, known: MeasuredThreshold | undefined): boolean {
  return (approach?.crossesInMs ?? Infinity) <= keptAheadMs || known?.measurements.rise() !== undefined;
}

function newlyMeasured(approach: Approach | undefined): MeasuredThreshold {
  const measurements = new Measurements(false);
  if (approach !== undefined) measurements.add(approach.before);
  return { measurements, crossedAtMs: undefined };
}

function measuredThreshold(
  { amount, ratio }: ZoneUsage,
  atMs: number,
  { measurements, crossedAtMs }: MeasuredThreshold,
): MeasuredThreshold {
  measurements.add({ atMs, amount });
  return { measurements, crossedAtMs: ratio > 1 ? (crossedAtMs ?? atMs) : undefined };
}

function zoneForecast(
  { ratio, limit }: ZoneUsage,
  { measurements }: MeasuredThreshold,
  atMs: number,
): Forecast | undefined {
  const forecast = forecastOf([risingPart(measurements, minChangeCount)], limit);
  const isSoon = forecast !== undefined && forecast.reachedAtMs - atMs <= soonMs;
  return ratio >= forecastReach.fromRatio || isSoon ? forecast : undefined;
}
