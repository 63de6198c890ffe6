import { describe, expect, it } from 'vitest';

import { costPerPod, derivedFigures } from '../../scripts/bench/derived.js';
import { shapes } from '../../scripts/bench/shapes.js';
import { median } from '../../scripts/bench/statistics.js';
import { figureTable, growthTable } from '../../scripts/bench/table.js';

describe('figureTable', () => {
  it('says which targets are met, and shows figures without one', () => {
    const figures = { warmToNaive: 1 / 80, steadyWall: 600, warmCpu: 12.345, hangingMissing: 0 };
    const [, ...lines] = figureTable({ shape: 'normal-100', figures });
    expect(lines.map((line) => line.trim().split(/ {2,}/))).toEqual([
      ['warm scrape, CPU to the last byte', '12.35 ms'],
      ['warm scrape ÷ naive prom-client, CPU', '1/80', '1/40', '0.50', 'met'],
      ['steady scrape, wall', '600 ms', '300 ms', '2.00', 'missed'],
      ['10 % of the kubelets hang: other nodes without data', '0', '0', 'met'],
    ]);
  });
});

describe('growthTable', () => {
  it('compares each shape with the one before, in figures that both have', () => {
    const lines = growthTable([
      { shape: 'normal-100', figures: { steadyWall: 200, warmCpu: 1 } },
      { shape: 'large-1000', figures: { steadyWall: 900 } },
    ]);
    expect(lines.map((line) => line.trim().split(/ {2,}/))).toEqual([
      ['growth', 'normal-100', 'large-1000'],
      ['steady scrape, wall', '200 ms', '900 ms ×4.50'],
    ]);
  });
});

describe('derived figures', () => {
  const figures = { steadyCpu: 1, warmCpu: 10, gzipToPlain: 1, seriesCount: 45_000 };

  it('derived figures compare a scrape every 15 s: one refreshes, three do not', () => {
    expect(derivedFigures(shapes['normal-100'], figures).toEphemeralStorageMetrics).toBeCloseTo(630 / 5_400);
  });

  it('derived figures are without what was not measured', () => {
    expect(derivedFigures(shapes['normal-100'], { steadyCpu: 1 })).toEqual({});
  });

  it('derived figures compare the cost for a pod with that of normal-100', () => {
    const normal = { shape: shapes['normal-100'], figures };
    expect(costPerPod(shapes['large-1000'], { steadyCpu: 12 }, normal).costPerPod).toBeCloseTo(1.2);
  });
});

describe('median', () => {
  it.each([
    [[3, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
  ])('the median of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected);
  });
});
