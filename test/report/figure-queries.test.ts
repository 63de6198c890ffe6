import { expect, it } from 'vitest';

import { familyTable } from '../../src/exposition/families.js';
import { type Figure, figureFamilies, figureQueries, fullFamilies } from '../../src/report/figure-queries.js';
import { selfFamilies } from '../../src/telemetry/self-families.js';

const families = new Map(familyTable(Object.values(selfFamilies)).map(({ name, labels }) => [name, labels]));
const figures = Object.keys(figureFamilies) as Figure[];

it.each(figures)('the series of %s are of families that exist, and have the labels that name the thing', (figure) => {
  const named = figure.startsWith('pod') ? ['namespace', 'pod'] : ['namespace', 'workload', 'workload_type'];
  for (const family of figureFamilies[figure]) {
    expect([family, families.get(`ephemeral_storage_${family}`)]).toEqual([family, expect.arrayContaining(named)]);
  }
});

it('series that need the profile full say so', () => {
  const profiles = new Map(
    familyTable(Object.values(selfFamilies)).map((row) => [row.name, 'profile' in row && row.profile]),
  );
  const named = Object.values(figureFamilies).flat();
  expect([...fullFamilies].sort()).toEqual(
    named.filter((family) => profiles.get(`ephemeral_storage_${family}`) === 'full').sort(),
  );
  expect(figureQueries({ figure: 'podLimits', labels: {} }).at(-1)).toBe(
    'ephemeral_storage_pod_request_bytes # with metrics.profile: full',
  );
});

it('each family is selected by what names the thing', () => {
  expect(figureQueries({ figure: 'podForecast', labels: { namespace: 'shop', pod: 'cart-0' } })).toEqual([
    'ephemeral_storage_pod_time_to_limit_seconds{namespace="shop",pod="cart-0"}',
  ]);
});

it('a hostile name stays a value of its label', () => {
  expect(figureQueries({ figure: 'podForecast', labels: { pod: 'a"} or vector(1) #\\\n' } })).toEqual([
    String.raw`ephemeral_storage_pod_time_to_limit_seconds{pod="a\"} or vector(1) #\\\n"}`,
  ]);
});

it('series of an eviction that have ended are asked for in the hour after it', () => {
  const endedAtMs = Date.UTC(2026, 0, 1, 3, 0, 0, 500);
  expect(figureQueries({ figure: 'podEvictions', labels: { pod: 'cart-0' }, endedAtMs })[0]).toBe(
    `last_over_time(ephemeral_storage_pod_evicted_timestamp_seconds{pod="cart-0"}[1h] @ ${Date.UTC(2026, 0, 1, 4) / 1_000 + 1})`,
  );
});
