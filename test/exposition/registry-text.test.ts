import { Counter, Gauge, Histogram, Registry, Summary } from 'prom-client';
import { expect, it } from 'vitest';

import { TimeSlicer } from '../../src/base/time-slicer.js';
import { registryFamilies } from '../../src/exposition/registry-text.js';
import type { ExpositionFormat } from '../../src/exposition/render.js';
import { ManualClock } from '../support/manual-clock.js';

const never = new AbortController().signal;

async function textOf(registry: Registry, format: ExpositionFormat): Promise<string> {
  const families = await registryFamilies(
    { source: registry, format, slicer: new TimeSlicer(new ManualClock()) },
    never,
  );
  return families.flatMap(({ chunks }) => chunks.map(String)).join('');
}

it('writes the buckets, the sum and the count of a histogram under their names', async () => {
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

it('leaves out what is not a number and keeps infinities', async () => {
  const registry = new Registry();
  const gauge = new Gauge({ name: 'g', help: 'G.', labelNames: ['a'], registers: [registry] });
  gauge.set({ a: 'nan' }, Number.NaN);
  gauge.set({ a: 'inf' }, Number.POSITIVE_INFINITY);
  const [family] = await registryFamilies(
    { source: registry, format: 'text', slicer: new TimeSlicer(new ManualClock()) },
    never,
  );
  expect(family?.chunks.map(String)).toEqual(['g{a="inf"} +Inf\n']);
  expect(family?.seriesCount).toBe(1);
});

it('names a counter in its samples as the registry does', async () => {
  const registry = new Registry();
  new Counter({ name: 'scrapes_total', help: 'C.', registers: [registry] }).inc(2);
  expect(await textOf(registry, 'text')).toBe('scrapes_total 2\n');
  expect(await textOf(registry, 'openmetrics')).toBe('scrapes_total 2\n');
});

it('does not vouch for types that it does not write', async () => {
  const registry = new Registry();
  new Summary({ name: 's', help: 'S.', registers: [registry] }).observe(1);
  const [family] = await registryFamilies(
    { source: registry, format: 'text', slicer: new TimeSlicer(new ManualClock()) },
    never,
  );
  expect(family?.header.type).toBe('unknown');
});

it('splits a large family without losing or repeating a series', async () => {
  const registry = new Registry();
  const gauge = new Gauge({ name: 'g', help: 'G.', labelNames: ['a'], registers: [registry] });
  for (let index = 0; index < 1_234; index += 1) gauge.set({ a: String(index) }, index);
  const lines = (await textOf(registry, 'text')).trimEnd().split('\n');
  expect(lines).toEqual(Array.from({ length: 1_234 }, (_, index) => `g{a="${index}"} ${index}`));
});

it('stops when the client has left', async () => {
  const registry = new Registry();
  new Counter({ name: 'scrapes_total', help: 'C.', registers: [registry] }).inc();
  const left = AbortSignal.abort(new Error('left'));
  const options = { source: registry, format: 'text', slicer: new TimeSlicer(new ManualClock()) } as const;
  await expect(registryFamilies(options, left)).rejects.toThrow('left');
});
