import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';

/**
 * Gauges of prom-client that `promtool check metrics` objects to (`_total` belongs to counters; they are the sums of
 * `nodejs_active_*`), and one whose value is a bound of an empty histogram, 292 years, when two scrapes follow closely.
 */
const unwantedDefaults = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
  'nodejs_eventloop_lag_min_seconds',
];

/** The monitor wakes an idle process so often: at 100 ms for 20 ms of CPU a minute, half of what an idle exporter takes. */
const lagPeriodMs = 500;

const lagGauges = ['max', 'mean', 'p50', 'p90', 'p99'].map((statistic) => `nodejs_eventloop_lag_${statistic}_seconds`);

/** prom-client's metrics of the process and of Node.js. Each call starts a monitor of the event loop, which nothing ends. */
export function collectNodeMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagPeriodMs });
  for (const name of unwantedDefaults) registry.removeSingleMetric(name);
  for (const name of lagGauges) withoutPeriod(registry.getSingleMetric(name));
}

/** The monitor measures from one run of its timer to the next, so that its period would count as lag. */
function withoutPeriod(gauge: unknown): void {
  if (!(gauge instanceof Gauge)) throw new Error('prom-client has no gauge of the lag of the event loop');
  const set = gauge.set.bind(gauge) as (labels: unknown, seconds: number) => void;
  const setWithout = (labels: unknown, seconds: number): void => {
    set(labels, Math.max(0, seconds - lagPeriodMs / 1_000));
  };
  gauge.set = setWithout as typeof gauge.set;
}
