import {
  BarGaugeDisplayMode,
  TableCellDisplayMode,
  TableSortByFieldStateBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import type {
  DynamicConfigValue,
  ThresholdsConfigBuilder,
  ValueMapping,
} from '@grafana/grafana-foundation-sdk/dashboard';
import * as table from '@grafana/grafana-foundation-sdk/table';

import { describe, type PanelOptions, table as tableQuery } from './panels.js';
import { type Unit, units } from './units.js';

interface Column {
  readonly title: string;
  readonly expr: string;
  readonly unit: Unit;
  readonly decimals?: number;
  /** `gauge`: a bar from 0 to 1, coloured by the thresholds. */
  readonly cell?: 'gauge' | 'coloured';
  readonly thresholds?: ThresholdsConfigBuilder;
  readonly mappings?: ValueMapping[];
}

export interface TableOptions extends Omit<PanelOptions, 'unit'> {
  /** Columns of the rows' labels, left to right; `cluster`, where there is one, comes first. */
  readonly labels: readonly string[];
  /** Columns of values: the first has a value in every row, and the rows are sorted by it. */
  readonly columns: readonly [Column, ...Column[]];
  /** Smallest value first. */
  readonly ascending?: boolean;
}

/** For single cells: otherwise each cell without a value would show the panel's `noValue`. */
const noCellValue: DynamicConfigValue = { id: 'noValue', value: '–' };

/** One row for each combination of labels; each column is a query, joined by the labels. */
export function tablePanel(options: TableOptions): table.PanelBuilder {
  const { labels, columns, ascending = false } = options;
  const panel = describe(new table.PanelBuilder(), { ...options, unit: units.none })
    .filterable(true)
    .sortBy([new TableSortByFieldStateBuilder().displayName(columns[0].title).desc(!ascending)])
    .withTransformation({ id: 'merge', options: {} })
    .withTransformation({ id: 'organize', options: arrangement(labels, columns) })
    .overrideByFieldType('string', [noCellValue]);
  for (const [index, column] of columns.entries()) {
    panel.withTarget(tableQuery(column.expr, index)).overrideByName(column.title, propertiesOf(column));
  }
  return panel;
}

export interface ListOptions extends Omit<PanelOptions, 'unit'> {
  readonly labels: readonly string[];
  readonly expr: string;
}

/** One row for each series, without its value. */
export function listPanel({ labels, expr, ...options }: ListOptions): table.PanelBuilder {
  return describe(new table.PanelBuilder(), { ...options, unit: units.none })
    .filterable(true)
    .withTransformation({
      id: 'organize',
      options: { excludeByName: { Time: true, Value: true }, indexByName: ranks(labels), renameByName: {} },
    })
    .overrideByFieldType('string', [noCellValue])
    .withTarget(tableQuery(expr, 0));
}

/** The values of a single query are in the column `Value`, those of several in `Value #A`, `Value #B`, … */
function arrangement(labels: readonly string[], columns: TableOptions['columns']): object {
  const fields = columns.map(({ title }, index) => [`Value #${String.fromCharCode('A'.charCodeAt(0) + index)}`, title]);
  return {
    excludeByName: { Time: true },
    indexByName: ranks([...labels, 'Value', ...fields.map(([field]) => field ?? '')]),
    renameByName: Object.fromEntries([['Value', columns[0].title], ...fields]) as Record<string, string>,
  };
}

function ranks(names: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries(['cluster', ...names].map((name, index) => [name, index]));
}

function propertiesOf({ unit, decimals, cell, thresholds, mappings }: Column): DynamicConfigValue[] {
  const properties: DynamicConfigValue[] = [noCellValue, { id: 'unit', value: unit }];
  if (decimals !== undefined) properties.push({ id: 'decimals', value: decimals });
  if (mappings !== undefined) properties.push({ id: 'mappings', value: mappings });
  if (thresholds !== undefined) properties.push({ id: 'thresholds', value: thresholds.build() });
  if (cell === 'coloured') {
    properties.push({ id: 'custom.cellOptions', value: { type: TableCellDisplayMode.ColorText } });
  }
  if (cell === 'gauge') {
    properties.push(
      { id: 'min', value: 0 },
      { id: 'max', value: 1 },
      {
        id: 'custom.cellOptions',
        value: { type: TableCellDisplayMode.Gauge, mode: BarGaugeDisplayMode.Basic },
      },
    );
  }
  return properties;
}
