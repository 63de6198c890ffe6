/** One measurement of an amount of bytes or inodes. */
export interface Measurement {
  /** Time by the clock of the machine that measured, in milliseconds. */
  readonly atMs: number;
  readonly amount: number;
}

/** The present rise of an amount. */
export interface Rise {
  /** In the order of time, over ten minutes at most: the one before the rise began, and those that were above the one before. */
  readonly measurements: readonly Measurement[];
  /** Measurements above the one before, since the rise began. */
  readonly changeCount: number;
  /** Mean distance between two changes, or two measurements while there is one change, in milliseconds. */
  readonly stepMs: number;
}

/** When an amount is expected to reach a limit. Times by the clock of the measurements, in milliseconds. */
export interface Forecast {
  readonly reachedAtMs: number;
  /** From here on it is refuted, if it has not come true. */
  readonly endsAtMs: number;
}

/** A part of what is compared with a limit. */
export interface ForecastPart {
  readonly last: Measurement;
  /** Undefined while it does not rise, as far as is known. */
  readonly trend: Trend | undefined;
}

/** How an amount goes on to rise after its last change. */
interface Trend {
  readonly last: Measurement;
  /** Amount in a millisecond at the last change; above 0. */
  readonly rate: number;
  /** By which part of it the rate falls in a millisecond; 0 for a steady rise. */
  readonly decay: number;
  /** How long it has been seen to rise, in milliseconds. */
  readonly seenMs: number;
  /** See {@link Rise}. */
  readonly stepMs: number;
}

/** Kubelets measure containers each 10 to 15 s: before the third change, growth may have been a burst. */
export const minChangeCount = 3;

/** A later half that grew by less than this part of the earlier one: growth decays. */
const decayingRatio = 0.9;
/** From here on it accelerates. */
const acceleratingRatio = 1.15;

/**
 * What a forecast is said of: usage from `fromRatio` of a limit on, and as far ahead as `lengths` of the rise, since a rise says
 * something about so many times its own length.
 */
export const forecastReach = { fromRatio: 0.5, lengths: 4 } as const;

/** What is forecast within this time is said to be soon: a limit is near, a disk has a forecast far from its threshold too. */
export const soonMs = 600_000;

/** A forecast from here on says nothing. */
const maxForecastMs = 24 * 3_600_000;

const precisionMs = 100;

/**
 * Returns how a rise goes on; undefined with fewer than `minChangeCount` changes. Growth that decays is taken for exponential
 * decay: with the rates of the two halves of the rise and their length h, it decays by ln(r1 / r2) / h.
 */
export function trendOf({ measurements, changeCount, stepMs }: Rise, minChangeCount: number): Trend | undefined {
  const [first, last] = [measurements[0], measurements.at(-1)];
  if (first === undefined || last === undefined || changeCount < minChangeCount) return undefined;
  // When growth began between the first two measurements is not known.
  const known = measurements.length > 2 ? measurements.slice(1) : measurements;
  const start = known[0] ?? first;
  const halfMs = (last.atMs - start.atMs) / 2;
  const middle = amountAt(known, start.atMs + halfMs);
  const [former, latter] = [(middle - start.amount) / halfMs, (last.amount - middle) / halfMs];
  const ratio = latter / former;
  const trend = { last, decay: 0, seenMs: last.atMs - first.atMs, stepMs };
  if (ratio > acceleratingRatio) return { ...trend, rate: latter };
  if (ratio >= decayingRatio) return { ...trend, rate: (former + latter) / 2 };
  const decay = Math.log(1 / ratio) / halfMs;
  return { ...trend, decay, rate: (latter * decay * halfMs * ratio) / (1 - ratio) };
}

/** Returns what goes on as it has risen, if it has changed often enough. */
export function risingPart(
  measurements: { readonly last: Measurement | undefined; rise(): Rise | undefined },
  changeCount: number,
): ForecastPart {
  const rise = measurements.rise();
  return { last: measurements.last ?? { atMs: 0, amount: 0 }, trend: rise && trendOf(rise, changeCount) };
}

/** Interpolates between two measurements. */
function amountAt(measurements: readonly Measurement[], atMs: number): number {
  const next = measurements.findIndex((measurement) => measurement.atMs >= atMs);
  const [before, after] = [measurements[next - 1], measurements[next]];
  if (after === undefined || before === undefined) return NaN;
  return before.amount + ((after.amount - before.amount) * (atMs - before.atMs)) / (after.atMs - before.atMs);
}

/**
 * Returns when the sum of the parts reaches the limit, each going on from its last change. Undefined when they end below it, and
 * beyond the horizon of the one that rises fastest.
 */
export function forecastOf(parts: readonly ForecastPart[], limit: number): Forecast | undefined {
  const trends = parts.flatMap(({ trend }) => trend ?? []);
  const [fastest] = trends.toSorted((a, b) => b.rate - a.rate);
  if (fastest === undefined) return undefined;
  const amount = (atMs: number): number => parts.reduce((sum, part) => sum + projected(part, atMs), 0);
  let [fromMs, toMs] = [fastest.last.atMs, fastest.last.atMs + forecastReach.lengths * fastest.seenMs];
  if (amount(toMs) < limit) return undefined;
  while (toMs - fromMs > precisionMs) {
    const middleMs = (fromMs + toMs) / 2;
    if (amount(middleMs) < limit) fromMs = middleMs;
    else toMs = middleMs;
  }
  return { reachedAtMs: toMs, endsAtMs: toMs + fastest.stepMs };
}

/** Returns the amount at a time after the last change. */
function projected({ last, trend }: ForecastPart, atMs: number): number {
  if (trend === undefined) return last.amount;
  const { rate, decay } = trend;
  const passedMs = Math.max(0, atMs - trend.last.atMs);
  return trend.last.amount + (decay === 0 ? rate * passedMs : (rate / decay) * (1 - Math.exp(-decay * passedMs)));
}

/** Returns the milliseconds from `nowMs` on, from 0 to a day; undefined for one that is refuted. */
export function timeLeftMs({ reachedAtMs, endsAtMs }: Forecast, nowMs: number): number | undefined {
  const leftMs = Math.max(0, reachedAtMs - nowMs);
  return nowMs > endsAtMs || leftMs >= maxForecastMs ? undefined : leftMs;
}
