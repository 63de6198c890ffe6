import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { arrivals, found } from '../support/manifests/chart-values.js';
import { at, isObject } from '../support/manifests/documents.js';
import { chartFolder, chartValues, renderOnce } from '../support/manifests/helm.js';
import { isInstalled } from '../support/programs.js';

/** Of the values that the schema names. */
function schemaPaths(schema: unknown, prefix = ''): readonly string[] {
  const properties = at(schema, 'properties');
  if (!isObject(properties)) return [];
  return Object.entries(properties).flatMap(([key, inner]) => [
    `${prefix}${key}`,
    ...schemaPaths(inner, `${prefix}${key}.`),
  ]);
}

describe.skipIf(!isInstalled('helm4'))('the values of the chart (need helm4)', () => {
  it('the values of the chart are all in the table of where they arrive, and alone in the schema', () => {
    const values = chartValues();
    expect(arrivals.map((one) => one.path).sort()).toEqual(values.toSorted());
    const described = schemaPaths(JSON.parse(readFileSync(path.join(chartFolder, 'values.schema.json'), 'utf8')));
    const isKnown = (one: string) =>
      values.some((value) => `${one}.`.startsWith(`${value}.`) || value.startsWith(`${one}.`));
    // For charts that contain this one: the condition of their dependency.
    expect(described.filter((one) => !isKnown(one))).toEqual(['enabled']);
  });

  it.each(arrivals)('the value $path of the chart arrives at $at', ({ at: place, arrives, without, values }) => {
    const expected = isObject(arrives) ? (expect.objectContaining(arrives) as unknown) : arrives;
    expect(found(renderOnce(without), place)).not.toEqual(expected);
    expect(found(renderOnce(values), place)).toEqual(expected);
  });
});
