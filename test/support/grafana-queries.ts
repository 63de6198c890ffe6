import {
  type Dashboard,
  type Panel,
  type VariableModel,
  VariableType,
} from '@grafana/grafana-foundation-sdk/dashboard';
import type { dataquery } from '@grafana/grafana-foundation-sdk/prometheus';
import { expect } from 'vitest';

import { stateColours } from '../../grafana/src/colours.js';
import { labelQueryOf, queriesIn, variablesOf } from './dashboards.js';
import type { PrometheusServer, QueryResult } from './programs.js';

export type Values = Readonly<Record<string, string>>;

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
  const source = labelQueryOf(variable);
  if (source === undefined) return chosen ?? [String(variable.current?.value)];
  const options = await prometheus.labelValues(substitute(source.label, values), substitute(source.selector, values));
  if (chosen !== undefined) expect(options, variable.name).toEqual(expect.arrayContaining([...chosen]));
  return chosen ?? preselected(variable, options);
}

function preselected(variable: VariableModel, options: readonly string[]): readonly string[] {
  if (variable.current?.value === '$__all') return [variable.allValue ?? anyOf(options)];
  // Without options the value is empty. A server for one cluster has no label of it.
  return [options[0] ?? ''];
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

/** The samples of a query at the end. Rejects when Prometheus rejects it. */
export async function samplesFound(
  { prometheus, atSeconds }: Viewed,
  query: Pick<dataquery, 'expr'>,
  values: Values,
): Promise<readonly QueryResult[]> {
  return prometheus.query(substitute(query.expr, values), atSeconds);
}

/** The same, but only the values. */
export async function valuesFound(...query: Parameters<typeof samplesFound>): Promise<readonly number[]> {
  return (await samplesFound(...query)).map(({ value }) => value);
}

/** Panels with one value that shows green. */
export async function greenPanels(
  viewed: Viewed,
  dashboard: Dashboard | undefined,
  choices?: Choices,
): Promise<readonly string[]> {
  if (dashboard === undefined) throw new Error('no dashboard');
  const green = new Set<string>();
  for (const values of await readingsOf(viewed.prometheus, dashboard, choices)) {
    for (const { panel, query } of queriesIn(dashboard)) {
      if (panel.type !== 'stat') continue;
      const found: readonly (number | undefined)[] = await valuesFound(viewed, query, values);
      // A panel without series has no value.
      const colours = [...found, undefined].map((value) => colourShown(panel, query.refId, value));
      if (colours.includes(stateColours.ok)) green.add(panel.title ?? '');
    }
  }
  return [...green];
}

interface Thresholds {
  readonly steps: readonly { readonly value: number | null; readonly color: string }[];
}

interface Mapping {
  readonly type: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** The colour in which a panel of one value shows it, or that there is none. Mappings come before thresholds. */
function colourShown(panel: Panel, refId: string, value: number | undefined): string | undefined {
  return mappedColour(panel, value) ?? thresholdColour(panel, refId, value ?? 0);
}

function mappedColour({ fieldConfig }: Panel, value: number | undefined): string | undefined {
  const mappings = (fieldConfig?.defaults.mappings ?? []) as unknown as readonly Mapping[];
  const results = mappings.map(({ type, options }) => {
    if (type !== 'special') return options[String(value)];
    return value === undefined ? options['result'] : undefined;
  });
  return (results as readonly ({ readonly color?: string } | undefined)[]).find((result) => result?.color !== undefined)
    ?.color;
}

/** Those of the query come before those of the panel. */
function thresholdColour({ fieldConfig }: Panel, refId: string, value: number): string | undefined {
  const override = fieldConfig?.overrides.find(
    ({ matcher }) => matcher.id === 'byFrameRefID' && matcher.options === refId,
  );
  const own = override?.properties.find(({ id }) => id === 'thresholds')?.value as unknown;
  const { steps } = (own ?? fieldConfig?.defaults.thresholds ?? { steps: [] }) as Thresholds;
  return steps.findLast((step) => step.value === null || value >= step.value)?.color;
}
