import { Gauge, Histogram, Registry } from 'prom-client';
import { expect, it } from 'vitest';

import { registryFamilies } from '../../src/metrics/exposition/registry-text.js';
import type { ExpositionFormat } from '../../src/metrics/exposition/render.js';

async function textOf(registry: Registry, format: ExpositionFormat): Promise<string> {
  const families = await registryFamilies(registry, () => true, format);
  return families.flatMap(({ pieces }) => pieces.map(({ chunk }) => String(chunk))).join('');
}

it('a histogram has its buckets, sum and count under their names', async () => {
  const registry = new Registry();
  const histogram = new Histogram({
    name: 'duration_seconds',
    help: 'H.',
    labelNames: ['kind'],
    buckets: [0.5, 1],
    registers: [registry],
  });
  histogram.observe({ kind: 'a' }, 0.75);
  expect(await textOf(registry, 'text')).toBe(`duration_seconds_bucket{le="0.5",kind="a"} 0
duration_seconds_bucket{le="1",kind="a"} 1
duration_seconds_bucket{le="+Inf",kind="a"} 1
duration_seconds_sum{kind="a"} 0.75
duration_seconds_count{kind="a"} 1
`);
  expect(await textOf(registry, 'openmetrics')).toContain('duration_seconds_bucket{le="1.0",kind="a"} 1\n');
});

it('what is not a number is left out, and infinities are kept', async () => {
  const registry = new Registry();
  const gauge = new Gauge({ name: 'g', help: 'G.', labelNames: ['a'], registers: [registry] });
  gauge.set({ a: 'nan' }, Number.NaN);
  gauge.set({ a: 'inf' }, Number.POSITIVE_INFINITY);
  expect(await textOf(registry, 'text')).toBe('g{a="inf"} +Inf\n');
});
