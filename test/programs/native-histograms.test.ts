import { describe, expect, it } from 'vitest';

import { allDashboards } from '../../grafana/src/dashboards.js';
import { demoScenario } from '../../sim/model/demo-scenario.js';
import { panelsOf, queriesOf } from '../support/dashboards.js';
import { Exporter } from '../support/exporter.js';
import { readingsOf, valuesFound, type Viewed } from '../support/grafana-queries.js';
import { eventually, isInstalled, PrometheusServer } from '../support/programs.js';
import { documentedQueries } from '../support/rules.js';

const isQuantile = (expression: string): boolean => expression.includes('histogram_quantile');

interface Quantile {
  readonly expression: string;
  /** Values of the two parts of the expression, and of the whole. */
  readonly classic: readonly number[];
  readonly native: readonly number[];
  readonly shown: readonly number[];
}

/** Those of the dashboards, for each instance. */
async function quantilesShown(moment: Viewed): Promise<readonly Quantile[]> {
  const quantiles: Quantile[] = [];
  for (const dashboard of allDashboards()) {
    const expressions = panelsOf(dashboard).flatMap((panel) => queriesOf(panel).map(({ expr }) => expr));
    const [reading = {}] = await readingsOf(moment.prometheus, dashboard, { lines: ['job, instance'] });
    for (const expression of expressions.filter(isQuantile)) {
      const ask = async (expr: string) => valuesFound(moment, { expr }, reading);
      const [classic = '', native = ''] = expression.split(' or ');
      quantiles.push({
        expression,
        classic: await ask(classic),
        native: await ask(native),
        shown: await ask(expression),
      });
    }
  }
  return quantiles;
}

describe.skipIf(!isInstalled('prometheus3'))('quantiles in Prometheus 3 (needs prometheus3)', () => {
  it.each([
    { stored: 'classic histograms', scrape: {}, has: { classic: 1, native: 0 } },
    {
      stored: 'classic histograms as native ones',
      scrape: { convert_classic_histograms_to_nhcb: true },
      has: { classic: 0, native: 1 },
    },
    {
      stored: 'both',
      scrape: { convert_classic_histograms_to_nhcb: true, always_scrape_classic_histograms: true },
      has: { classic: 1, native: 1 },
    },
  ])('quantiles have one value for each instance, with $stored', async ({ scrape, has }) => {
    await using exporter = await Exporter.start({ scenario: demoScenario, settings: 'cache: {ttl: 1s}' });
    await exporter.synced();
    await using prometheus = await PrometheusServer.start({
      program: 'prometheus3',
      targets: [{ target: `127.0.0.1:${exporter.app.ports[0] ?? 0}` }],
      scrape,
    });
    // The time of a complete scrape: one that is still running is stored with an earlier time than now.
    const atSeconds = await eventually('requests to kubelets between scrapes', async () => {
      await exporter.clock.advance(2_000);
      const [scrape] = await prometheus.query('timestamp(up) and sum_over_time(up[1m]) > 2');
      return scrape?.value;
    });
    const quantiles = await quantilesShown({ prometheus, atSeconds });
    expect(quantiles.length).toBeGreaterThan(5);
    for (const { expression, classic, native, shown } of quantiles) {
      expect({ classic: classic.length, native: native.length }, expression).toEqual(has);
      const [value = Number.NaN] = [...classic, ...native];
      expect(value, expression).toBeGreaterThan(0);
      // The order in which buckets are added makes a difference.
      expect(shown, expression).toEqual([expect.closeTo(value, 9)]);
    }
    for (const query of (await documentedQueries()).filter(isQuantile)) {
      expect(await prometheus.query(query), query).toHaveLength(1);
    }
  });
});
