import type { Measurement, Rise } from './forecast.js';

const maxCount = 12;

/** The last ones are kept as they come; older ones are at least {@link sparseMs} apart, so that twelve cover most of {@link windowMs}. */
const denseCount = 4;
const sparseMs = 60_000;
const windowMs = 600_000;

/** Stairs rise too: a flat stretch belongs to the rise up to this multiple of the longest one before. */
const flatStretch = 1.5;
/** Before the distance between two changes is known, so much is taken for a stair. */
const maxStepMs = 120_000;

/** A fall by less than this part of the rise ends nothing: something small was deleted. */
const dip = 0.1;

/** Of a disk that has grown for so long, a fall is a cleanup: growth goes on after it where the next rate is within this factor. */
const establishedMs = 300_000;
const sameRate = 1.3;

/** After a fall, usage has to pass its highest peak by this factor: caches, queues and rotated logs fill up and empty again. */
const abovePeak = 1.02;

/**
 * The last measurements of one amount, for forecasts and curves. A rise begins after the last fall, above all peaks before,
 * and ends where the amount stays the same for longer than it did between its changes. A cleanup of a disk is taken out of a rise that
 * goes on. What was before a rise is kept while there is room.
 */
export class Measurements {
  readonly #hasPeaks: boolean;
  /** Pairs of time and amount, the oldest first: numbers alone, as thousands of pods may be near a limit. */
  readonly #kept: number[] = [];
  /** Of the first one of the rise. */
  #riseIndex = 0;
  #last: Measurement | undefined;
  /** Time of an older measurement that came after the last one; Infinity without one. */
  #olderMs = Infinity;
  #peak = -Infinity;
  #isBelowPeak = false;
  #changeCount = 0;
  #firstChangeMs = 0;
  #lastChangeMs = 0;
  #longestStepMs = 0;
  #longestFlatMs = 0;
  /** Amount in a millisecond before a cleanup, until a measurement shows whether growth goes on. */
  #rateBefore: number | undefined;

  /** `hasPeaks`: whether a fall may be that of a cache. Without it, it is a cleanup, and the next rise is trusted as the first one. */
  constructor(hasPeaks = true) {
    this.#hasPeaks = hasPeaks;
  }

  get last(): Measurement | undefined {
    return this.#last;
  }

  /**
   * Of the last ten minutes, the oldest first. Without flat stretches and dips of a rise that goes on; where there are many, the
   * last ones, the highest before each fall, and those in between that are far enough apart.
   */
  get recent(): readonly Measurement[] {
    const last = this.#last;
    if (last === undefined) return [];
    const all = this.#keptFrom(0).filter(({ atMs }) => atMs >= last.atMs - windowMs && atMs < last.atMs);
    return [...all, last];
  }

  /** The same measurement seen again changes nothing, nor does an older one, unless others follow it: the clock was set back. */
  add(measurement: Measurement): void {
    const former = this.#last;
    const afterMs = measurement.atMs - (former?.atMs ?? -Infinity);
    if (afterMs === 0 || (afterMs < 0 && !this.#isSetBack(measurement.atMs, afterMs))) return;
    this.#olderMs = Infinity;
    this.#last = measurement;
    if (afterMs < 0) this.#kept.length = 0;
    if (former === undefined || afterMs < 0) this.#begin(measurement);
    else this.#follow(measurement, former);
  }

  #isSetBack(atMs: number, afterMs: number): boolean {
    const isSetBack = afterMs < -windowMs || atMs > this.#olderMs;
    this.#olderMs = atMs;
    return isSetBack;
  }

  /** Begins a rise with the last measurement, as if it were the first one. What was before stays for curves. */
  beginAgain(): void {
    if (this.#last === undefined) return;
    if (this.#count > 0 && this.#at(this.#count - 1).atMs === this.#last.atMs) this.#drop(this.#count - 1);
    this.#peak = -Infinity;
    this.#isBelowPeak = false;
    this.#begin(this.#last);
  }

  /** What is below the highest of the rise is no change: it may be a dip, which is flat, or the way back from one. */
  #follow(measurement: Measurement, former: Measurement): void {
    if (this.#rateBefore !== undefined && this.#goesOnToFall(measurement, former, this.#rateBefore)) return;
    const { amount: highest } = this.#at(this.#count - 1);
    const isFall = highest - measurement.amount > dip * (highest - this.#at(this.#riseIndex).amount);
    if (isFall && this.#isEstablished()) this.#skipCleanup(measurement);
    else if (this.#isBelowPeak || isFall) this.#addBelowPeak(measurement);
    else if (measurement.amount > highest) this.#addChange(measurement, former);
    else if (this.#isOverAt(measurement.atMs)) this.#begin(measurement);
  }

  #isEstablished(): boolean {
    return !this.#hasPeaks && this.#at(this.#count - 1).atMs - this.#at(this.#riseIndex).atMs >= establishedMs;
  }

  /** Lowers what is kept by what was deleted, as if growth had gone on meanwhile. */
  #skipCleanup(measurement: Measurement): void {
    const last = this.#at(this.#count - 1);
    const rate = rateBetween(this.#at(this.#riseIndex), last);
    const deleted = last.amount + rate * (measurement.atMs - last.atMs) - measurement.amount;
    for (let index = 1; index < this.#kept.length; index += 2) this.#kept[index] = (this.#kept[index] ?? 0) - deleted;
    this.#addChange(measurement, last);
    this.#rateBefore = rate;
  }

  /** After a cleanup, whether that has not ended. Growth at another rate is a rise of its own. */
  #goesOnToFall(measurement: Measurement, former: Measurement, rateBefore: number): boolean {
    const ratio = rateBetween(former, measurement) / rateBefore;
    if (ratio < 0) this.#skipCleanup(measurement);
    else if (ratio < 1 / sameRate || ratio > sameRate) this.#begin(former);
    else this.#rateBefore = undefined;
    return ratio < 0;
  }

  /** Undefined while the amount does not rise, as far as is known. */
  rise(): Rise | undefined {
    if (this.#rateBefore !== undefined) return undefined;
    const flatMs = (this.#last?.atMs ?? 0) - this.#lastChangeMs;
    if (this.#changeCount === 0 || flatMs > flatStretch * this.#longestFlatMs) return undefined;
    return {
      measurements: this.#keptFrom(this.#riseIndex),
      changeCount: this.#changeCount,
      stepMs: this.#stepMs(),
    };
  }

  /** With one change, the distance between the two measurements. */
  #stepMs(): number {
    if (this.#changeCount < 2) return this.#lastChangeMs - this.#at(this.#riseIndex).atMs;
    return (this.#lastChangeMs - this.#firstChangeMs) / (this.#changeCount - 1);
  }

  #addBelowPeak(measurement: Measurement): void {
    this.#isBelowPeak = this.#hasPeaks && measurement.amount <= this.#peak * abovePeak;
    this.#begin(measurement);
  }

  #isOverAt(atMs: number): boolean {
    const longestMs = flatStretch * Math.max(this.#longestStepMs, this.#longestFlatMs);
    return this.#changeCount === 0 || atMs - this.#lastChangeMs > (this.#changeCount === 1 ? maxStepMs : longestMs);
  }

  #begin({ atMs, amount }: Measurement): void {
    this.#peak = Math.max(this.#peak, amount);
    this.#rateBefore = undefined;
    this.#changeCount = 0;
    this.#longestStepMs = 0;
    this.#longestFlatMs = 0;
    this.#riseIndex = this.#count;
    this.#keep(atMs, amount);
  }

  #addChange({ atMs, amount }: Measurement, former: Measurement): void {
    this.#peak = Math.max(this.#peak, amount);
    if (this.#changeCount === 0) {
      this.#firstChangeMs = atMs;
    } else {
      this.#longestStepMs = Math.max(this.#longestStepMs, atMs - this.#lastChangeMs);
      this.#longestFlatMs = Math.max(this.#longestFlatMs, former.atMs - this.#lastChangeMs);
    }
    this.#changeCount += 1;
    this.#lastChangeMs = atMs;
    this.#keep(atMs, amount);
  }

  get #count(): number {
    return this.#kept.length / 2;
  }

  #at(index: number): Measurement {
    return { atMs: this.#kept[2 * index] ?? 0, amount: this.#kept[2 * index + 1] ?? 0 };
  }

  #keptFrom(start: number): readonly Measurement[] {
    return Array.from({ length: this.#count - start }, (_, index) => this.#at(start + index));
  }

  #keep(atMs: number, amount: number): void {
    if (this.#count === maxCount) this.#drop(0);
    this.#kept.push(atMs, amount);
    this.#thin(atMs);
  }

  /** The first one of the rise, and the highest one before a fall, stay until they are the oldest. */
  #thin(nowMs: number): void {
    while ((this.#riseIndex > 0 || this.#count > 2) && this.#at(0).atMs < nowMs - windowMs) this.#drop(0);
    const index = this.#count - 1 - denseCount;
    if (index <= 0 || index === this.#riseIndex) return;
    const [former, { atMs, amount }, next] = [this.#at(index - 1), this.#at(index), this.#at(index + 1)];
    const isPeak = amount > former.amount && amount > next.amount;
    if (atMs - former.atMs < sparseMs && !isPeak) this.#drop(index);
  }

  #drop(index: number): void {
    this.#kept.splice(2 * index, 2);
    if (index < this.#riseIndex) this.#riseIndex -= 1;
  }
}

/** Amount in a millisecond. */
function rateBetween(from: Measurement, to: Measurement): number {
  return (to.amount - from.amount) / (to.atMs - from.atMs);
}
