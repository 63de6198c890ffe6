import type { Random } from '../../sim/model/random.js';
import type { Measurement } from '../../src/facts/forecast/forecast.js';
import type { Forecaster } from './forecasters.js';
import { type Life, lifeMs } from './lives.js';

/** What is said at one scrape. Times in milliseconds since the start of the pod. */
export interface Said {
  readonly atMs: number;
  /** From then on; undefined without a forecast. */
  readonly timeMs: number | undefined;
  /** Whether a measurement that the exporter had received showed that growth had ended. */
  readonly hasSeenEnd: boolean;
  /** Of the last measurement that the exporter had received. */
  readonly measuredAtMs: number;
}

interface Received extends Measurement {
  readonly receivedAtMs: number;
}

export interface Observed {
  /** When usage passed the limit; undefined for a pod that lived on. */
  readonly reachedAtMs: number | undefined;
  /** From 40 % of the limit on, before that. */
  readonly measurements: readonly Received[];
  readonly said: readonly Said[];
  /** Between two measurements. */
  readonly distanceMs: number;
}

const measuringMs = { container: 12_000, emptydir: 75_000, node: 10_000 };
const scrapeMs = 15_000;
const ttlMs = 55_000;
const nearTtlMs = 10_000;
const keptRatio = { container: 0.4, emptydir: 0.4, node: 0.25 };
/** Of nodes: headroom below a quarter of the threshold. */
const nearRatio = { container: 0.8, emptydir: 0.8, node: 0.875 };

/** Passes through one life as an exporter does that is scraped each 15 s. */
export function observe(life: Life, random: Random, forecaster: Forecaster): Observed {
  const distanceMs = measuringMs[life.part];
  const exporter = new Exporter(life, measure(life, distanceMs, random), forecaster);
  const passedAtMs = reachedAt(life);
  const endMs = Math.min(life.deletedAtMs, passedAtMs ?? Infinity, lifeMs);
  const said: Said[] = [];
  for (let atMs = life.phaseMs; atMs < endMs; atMs += scrapeMs) said.push(exporter.scrape(atMs));
  const reachedAtMs = endMs === passedAtMs ? passedAtMs : undefined;
  return { reachedAtMs, measurements: exporter.received, said, distanceMs };
}

class Exporter {
  readonly received: Received[] = [];
  readonly #life: Life;
  readonly #measurements: readonly Measurement[];
  readonly #forecaster: Forecaster;
  #fetchedAtMs = -Infinity;
  #isNear = false;
  #hasSeenEnd = false;

  constructor(life: Life, measurements: readonly Measurement[], forecaster: Forecaster) {
    this.#life = life;
    this.#measurements = measurements;
    this.#forecaster = forecaster;
  }

  scrape(atMs: number): Said {
    const { fromMs, toMs } = this.#life.silence;
    const isDue = atMs - this.#fetchedAtMs >= (this.#isNear ? nearTtlMs : ttlMs);
    if (isDue && (atMs < fromMs || atMs >= toMs)) this.#fetch(atMs);
    const isAbsent = atMs - this.#fetchedAtMs >= 2 * ttlMs;
    return {
      atMs,
      timeMs: isAbsent ? undefined : this.#forecaster.timeMs(atMs),
      hasSeenEnd: this.#hasSeenEnd,
      measuredAtMs: this.received.at(-1)?.atMs ?? 0,
    };
  }

  #fetch(atMs: number): void {
    const before = this.received.at(-1);
    const measurement = this.#measurements.findLast((each) => each.atMs <= atMs);
    if (
      measurement !== undefined &&
      measurement.atMs !== before?.atMs &&
      measurement.amount >= keptRatio[this.#life.part]
    ) {
      this.received.push({ ...measurement, receivedAtMs: atMs });
      this.#forecaster.add(measurement);
      const hasEnded = before !== undefined && measurement.amount <= before.amount;
      if (hasEnded && measurement.atMs > this.#life.growthEndsMs) this.#hasSeenEnd = true;
    }
    this.#isNear = measurement !== undefined && this.#isNearLimit(measurement, before, atMs);
    this.#fetchedAtMs = atMs;
  }

  /** As kubelets are asked more often: from a part of a limit on, or where a pod reaches it within two TTLs at its last growth. */
  #isNearLimit({ amount }: Measurement, before: Measurement | undefined, atMs: number): boolean {
    const { part } = this.#life;
    if (part === 'node' || before === undefined) return amount >= nearRatio[part];
    const rate = (amount - before.amount) / (atMs - this.#fetchedAtMs);
    return amount >= nearRatio[part] || (rate > 0 && (1 - amount) / rate <= 2 * ttlMs);
  }
}

function measure({ usedAt }: Life, distanceMs: number, random: Random): readonly Measurement[] {
  const measurements: Measurement[] = [];
  for (let atMs = random.between(0, distanceMs); atMs < lifeMs; atMs += distanceMs * random.between(0.8, 1.2)) {
    measurements.push({ atMs, amount: usedAt(atMs) });
  }
  return measurements;
}

function reachedAt({ usedAt }: Life): number | undefined {
  for (let atMs = 0; atMs < lifeMs; atMs += 250) if (usedAt(atMs) > 1) return atMs;
  return undefined;
}
