import { describe, expect, it } from 'vitest';

import { allDashboards } from '../../grafana/src/dashboards.js';
import { demoScenario } from '../../sim/model/demo-scenario.js';
import { panelsOf, queriesOf } from '../support/dashboards.js';
import { Exporter, leastRules } from '../support/exporter.js';
import { readingsOf, samplesFound, type Values, type Viewed } from '../support/grafana-queries.js';
import { openMetrics, scrapedLines } from '../support/history.js';
import { isInstalled, PrometheusServer, type QueryResult } from '../support/programs.js';
import { documentedQueries } from '../support/rules.js';

const minutes = 75;
/** Without faults but those of the demo, and an hour after the start. */
const healthyMinute = 62;
const downAtMinute = 63;
const settings = 'kubelet: {readConfig: true}\nmetrics: {profile: full}';
const rules = [...leastRules, { verbs: ['get'], resources: ['nodes/configz'] }];

const programs = ['prometheus', 'promtool', 'prometheus3', 'promtool3'];

/** A scrape every minute; node-2 is silent in the end. */
async function recordDemo(): Promise<{ readonly history: string; readonly endSeconds: number }> {
  await using exporter = await Exporter.start({ scenario: demoScenario, settings, rules });
  await exporter.synced();
  // Of a sample exactly five minutes before a step of a subquery, only Prometheus 2 takes account.
  await exporter.clock.advance(7_000);
  const lines: string[] = [];
  for (let minute = 0; minute < minutes; minute++) {
    await exporter.clock.advance(60_000);
    if (minute === downAtMinute) await exporter.cluster.setFault('node-2', 'down');
    lines.push(...(await scrapedLines(exporter, { job: 'exporter', instance: 'one' })));
  }
  return { history: openMetrics(lines), endSeconds: exporter.clock.nowMs() / 1_000 };
}

const keyOf = ({ metric }: QueryResult): string => JSON.stringify(Object.entries(metric).sort());

/** Prometheus 3 extrapolates a counter that starts near 0 differently: those of waiting pods do so in the middle of a range. */
const toleranceOf = (expr: string): number => (expr.includes('rate(ephemeral_storage_pod_io_pressure_') ? 0.5 : 0.1);

const isClose = (tolerance: number, one: number, other: number): boolean =>
  Object.is(one, other) || Math.abs(one - other) <= tolerance * Math.abs(one);

/** Series that only one of the results has, or whose values differ. */
function differences(expr: string, one: readonly QueryResult[], other: readonly QueryResult[]): readonly string[] {
  const [valuesOfOne, valuesOfOther] = [one, other].map((samples) => new Map(samples.map((s) => [keyOf(s), s.value])));
  const keys = new Set([...one, ...other].map(keyOf));
  return [...keys].filter((key) => {
    const [a, b] = [valuesOfOne?.get(key), valuesOfOther?.get(key)];
    return a === undefined || b === undefined || !isClose(toleranceOf(expr), a, b);
  });
}

/** All queries of dashboards and docs with the values of their variables; in docs any value for `NODE` and the like. */
async function queriesAt(moment: Viewed): Promise<readonly (readonly [{ readonly expr: string }, Values])[]> {
  const ofDashboards = allDashboards().map(async (dashboard) => {
    const readings = await readingsOf(moment.prometheus, dashboard);
    const queries = panelsOf(dashboard).flatMap(queriesOf);
    return readings.flatMap((values) => queries.map((query) => [query, values] as const));
  });
  const documented = (await documentedQueries()).map((text) => ({ expr: text.replaceAll(/="[A-Z]+"/g, '=~".+"') }));
  return [...(await Promise.all(ofDashboards)).flat(), ...documented.map((query) => [query, {}] as const)];
}

describe.skipIf(!programs.every(isInstalled))(`Prometheus 2 and 3 (needs ${programs.join(', ')})`, () => {
  it('Prometheus 2 and 3 have the same values for all queries, with and without a silent node', async () => {
    const { history, endSeconds } = await recordDemo();
    await using two = await PrometheusServer.start({ targets: [], history });
    await using three = await PrometheusServer.start({
      program: 'prometheus3',
      promtool: 'promtool3',
      targets: [],
      history,
    });
    // Between scrapes: of a sample exactly at the start of a range, only Prometheus 2 takes account.
    for (const atSeconds of [endSeconds - (minutes - healthyMinute) * 60 - 20, endSeconds - 20]) {
      const different: string[] = [];
      let seriesCount = 0;
      for (const [query, values] of await queriesAt({ prometheus: two, atSeconds })) {
        const [ofTwo, ofThree] = await Promise.all(
          [two, three].map(async (prometheus) => samplesFound({ prometheus, atSeconds }, query, values)),
        );
        seriesCount += ofTwo?.length ?? 0;
        different.push(
          ...differences(query.expr, ofTwo ?? [], ofThree ?? []).map((series) => `${query.expr}: ${series}`),
        );
      }
      expect(seriesCount).toBeGreaterThan(500);
      expect(different).toEqual([]);
    }
  });
});
