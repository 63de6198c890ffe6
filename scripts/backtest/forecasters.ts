import { forecastOf, type Measurement, timeLeftMs, trendOf } from '../../src/facts/forecast/forecast.js';
import { Measurements } from '../../src/facts/forecast/measurements.js';
import type { Life } from './lives.js';

/** Says when a limit of 1 is reached. */
export interface Forecaster {
  add(measurement: Measurement): void;
  /** Milliseconds from `nowMs` on; undefined without a forecast. */
  timeMs(nowMs: number): number | undefined;
}

const spokenRatio = 0.5;

/** By name, those that are compared. */
export const forecasters: Readonly<Record<string, (life: Pick<Life, 'part'>) => Forecaster>> = {
  exporter: ({ part }) => {
    const measurements = new Measurements(part !== 'node');
    return {
      add: (measurement) => {
        measurements.add(measurement);
      },
      timeMs: (nowMs) => {
        const { last } = measurements;
        if (last === undefined || last.amount < spokenRatio) return undefined;
        if (last.amount > 1) return 0;
        const rise = measurements.rise();
        const forecast = forecastOf([{ last, trend: rise && trendOf(rise, part === 'emptydir' ? 1 : 3) }], 1);
        return forecast && timeLeftMs(forecast, nowMs);
      },
    };
  },
  'predict_linear over 10 min': () => predictLinear(600_000),
  'predict_linear over 1 h': () => predictLinear(3_600_000),
  none: () => ({ add: () => undefined, timeMs: () => undefined }),
};

/** Prometheus' linear regression over the values of all scrapes. */
function predictLinear(windowMs: number): Forecaster {
  let last: Measurement | undefined;
  let samples: readonly Measurement[] = [];
  return {
    add: (measurement) => {
      last = measurement;
    },
    timeMs: (nowMs) => {
      if (last === undefined) return undefined;
      samples = [...samples.filter(({ atMs }) => atMs > nowMs - windowMs), { atMs: nowMs, amount: last.amount }];
      const slope = slopeOf(samples);
      return last.amount < spokenRatio || slope <= 0 ? undefined : Math.max(0, (1 - last.amount) / slope);
    },
  };
}

function slopeOf(samples: readonly Measurement[]): number {
  const meanMs = samples.reduce((sum, { atMs }) => sum + atMs, 0) / samples.length;
  const mean = samples.reduce((sum, { amount }) => sum + amount, 0) / samples.length;
  let [covariance, variance] = [0, 0];
  for (const { atMs, amount } of samples) {
    covariance += (atMs - meanMs) * (amount - mean);
    variance += (atMs - meanMs) ** 2;
  }
  return variance === 0 ? 0 : covariance / variance;
}
