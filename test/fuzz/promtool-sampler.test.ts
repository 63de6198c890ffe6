import { expect, it } from 'vitest';

import { PromtoolSampler } from '../support/fuzz/promtool-sampler.js';

const expositions = Array.from({ length: 16 }, (_, index) => Buffer.from(`a ${index}\n`));

/** The programs `true` and `false` stand for a promtool that accepts everything, or nothing. */
async function refusedBy(sampler: PromtoolSampler): Promise<readonly number[]> {
  const refused: number[] = [];
  for (const [index, exposition] of expositions.entries()) {
    await sampler.check(exposition).catch(() => refused.push(index));
  }
  return refused;
}

it('checks some of the distinct expositions, each once', async () => {
  const sampler = new PromtoolSampler(['true'], 4);
  expect([await refusedBy(sampler), await refusedBy(sampler)]).toEqual([[], []]);
  expect(sampler.counts.distinct).toBe(expositions.length);
  expect(sampler.counts.checked).toBeGreaterThan(0);
  expect(sampler.counts.checked).toBeLessThan(expositions.length);
});

it('checks all after a fault, so that its input can be shrunk', async () => {
  const sampler = new PromtoolSampler(['true', 'false'], 4);
  const [first = Infinity, ...others] = await refusedBy(sampler);
  expect(others).toEqual(Array.from(expositions.keys()).filter((index) => index > first));
  expect(await refusedBy(sampler)).toHaveLength(expositions.length);
});

it('checks none without a promtool', async () => {
  const sampler = new PromtoolSampler([], 1);
  await refusedBy(sampler);
  expect(sampler.counts).toEqual({ distinct: expositions.length, checked: 0 });
});
