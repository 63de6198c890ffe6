import { type Dashboard, type VariableModel, VariableType } from '@grafana/grafana-foundation-sdk/dashboard';
import type { dataquery } from '@grafana/grafana-foundation-sdk/prometheus';
import { expect } from 'vitest';

import { labelQueryOf, variablesOf } from './dashboards.js';
import type { PrometheusServer } from './programs.js';

type Values = Readonly<Record<string, string>>;

/** The user's choices by variable: for a variable with a query, values of the query. */
type Choices = Readonly<Record<string, readonly string[]>>;

/**
 * The values of all variables as Grafana inserts them into queries: once for each choice of the user, with the first
 * value where there is none. The intervals are those of a range of one hour with a scrape every minute.
 */
export async function readingsOf(
  prometheus: PrometheusServer,
  dashboard: Dashboard,
  choices: Choices = {},
): Promise<readonly Values[]> {
  let readings: readonly Values[] = [{ __interval: '1m', __rate_interval: '4m', __range: '1h' }];
  for (const variable of variablesOf(dashboard)) {
    const next = await Promise.all(
      readings.map(async (values) => {
        const texts = await textsOf(prometheus, variable, { values, chosen: choices[variable.name] });
        return texts.map((text) => ({ ...values, [variable.name]: text }));
      }),
    );
    readings = next.flat();
  }
  return readings;
}

interface Circumstances {
  /** Of the variables before. */
  readonly values: Values;
  readonly chosen: readonly string[] | undefined;
}

async function textsOf(
  prometheus: PrometheusServer,
  variable: VariableModel,
  { values, chosen }: Circumstances,
): Promise<readonly string[]> {
  if (variable.type === VariableType.Datasource) return [''];
  const current = variable.current?.value;
  const source = labelQueryOf(variable);
  if (source === undefined) return chosen ?? [String(current)];
  const options = await prometheus.labelValues(source.label, substitute(source.selector, values));
  if (current === '$__all') return [variable.allValue ?? anyOf(options)];
  expect(options, variable.name).not.toEqual([]);
  if (chosen !== undefined) expect(options).toEqual(expect.arrayContaining([...chosen]));
  return chosen ?? options.slice(0, 1);
}

/** A regular expression in a string of PromQL. */
function anyOf(options: readonly string[]): string {
  const escaped = options.map((option) => option.replaceAll(/[$()*+./?[\\\]^{|}-]/g, String.raw`\\$&`));
  return escaped.length === 1 ? (escaped[0] ?? '') : `(${escaped.join('|')})`;
}

function substitute(query: string, values: Values): string {
  return query.replaceAll(/\$(\w+)/g, (_match, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`no value of $${name}`);
    return value;
  });
}

/** A Prometheus server, and the user's current Unix time. */
export interface Viewed {
  readonly prometheus: PrometheusServer;
  readonly atSeconds: number;
}

/** The labels of the series for which a query returns a number. Rejects when Prometheus rejects the query. */
export async function seriesFound(
  { prometheus, atSeconds }: Viewed,
  query: dataquery,
  values: Values,
): Promise<readonly Readonly<Record<string, string>>[]> {
  const expression = substitute(query.expr, values);
  if (query.instant === true) {
    const samples = await prometheus.query(expression, atSeconds);
    return samples.filter(({ value }) => !Number.isNaN(value)).map(({ metric }) => metric);
  }
  const series = await prometheus.queryHour(expression, atSeconds);
  return series.filter((one) => one.values.some((value) => !Number.isNaN(value))).map(({ metric }) => metric);
}
