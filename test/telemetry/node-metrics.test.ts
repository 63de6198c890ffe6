import { Gauge, Registry } from 'prom-client';
import { expect, it } from 'vitest';

import { collectNodeMetrics } from '../../src/metrics/telemetry/self-metrics.js';

const registry = new Registry();
collectNodeMetrics(registry);

it.each([
  [0.5, 0],
  [0.499, 0],
  [0.75, 0.25],
  [NaN, NaN],
])('of %d s between two runs of the event-loop monitor, %d s are lag', async (seconds, lag) => {
  const gauge = registry.getSingleMetric('nodejs_eventloop_lag_p99_seconds');
  if (!(gauge instanceof Gauge)) throw new Error('the gauge is missing');
  gauge.set({}, seconds);
  const [sample] = (await gauge.get()).values;
  expect(Number(sample?.value.toFixed(9))).toBe(lag);
});

it('the metrics of Node.js leave out what promtool objects to', () => {
  expect(registry.getSingleMetric('nodejs_active_handles_total')).toBeUndefined();
  expect(registry.getSingleMetric('nodejs_active_resources')).toBeDefined();
});
