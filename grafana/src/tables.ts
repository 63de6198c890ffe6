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

import { titleOf, widthOf } from './label-columns.js';
import { describe, type PanelOptions, table as tableQuery } from './panels.js';
import { withoutValue } from './states.js';
import { type Unit, units } from './units.js';

interface Column {
  readonly title: string;
  readonly expr: string;
  readonly unit: Unit;
  readonly decimals?: number;
  /** `share`: a bar from 0 to 1; `bar`: a bar from 0 to the largest of the column. Coloured by the thresholds. */
  readonly cell?: 'share' | 'bar' | 'coloured';
  readonly thresholds?: ThresholdsConfigBuilder;
  readonly mappings?: readonly ValueMapping[];
}

interface Rows extends Omit<PanelOptions, 'unit'> {
  /** Columns of the rows' labels, left to right. The first whose width is not fixed is the key, with the link. */
  readonly labels: readonly string[];
  /** Labels of the rows that follow the values. */
  readonly details?: readonly string[];
  /** Labels of the rows without a column. */
  readonly hidden?: readonly string[];
  /** Whether the rows are of several clusters: `cluster`, where there is one, is then the first column. */
  readonly clusters?: boolean;
}

export interface TableOptions extends Rows {
  /** Columns of values: the first has a value in every row, and the rows are sorted by it. */
  readonly columns: readonly [Column, ...Column[]];
  /** Smallest value first. */
  readonly ascending?: boolean;
}

/** For single cells: otherwise each cell without a value would show the panel's `noValue`. */
const noCellValue: DynamicConfigValue = { id: 'noValue', value: '–' };

/**
 * One row for each combination of labels; each column is a query, joined by the labels. Grafana shows `noValue` only for
 * tables of one query, so the description of the others says what no rows mean.
 */
export function tablePanel(options: TableOptions): table.PanelBuilder {
  const { columns, ascending = false, noValue, description } = options;
  const isMerged = columns.length > 1;
  const empty = isMerged && noValue !== undefined ? ` No rows: ${noValue}.` : '';
  const panel = describe(new table.PanelBuilder(), {
    ...options,
    description: `${description}${empty}`,
    unit: units.none,
    link: undefined,
  })
    .sortBy([new TableSortByFieldStateBuilder().displayName(columns[0].title).desc(!ascending)])
    .overrideByFieldType('string', [noCellValue]);
  if (isMerged) panel.withTransformation({ id: 'merge', options: {} });
  panel.withTransformation({ id: 'organize', options: arrangement(options, columns) });
  arrangeLabels(panel, options);
  for (const [index, column] of columns.entries()) {
    panel.withTarget(tableQuery(column.expr, index)).overrideByName(column.title, propertiesOf(column, index === 0));
  }
  return panel;
}

export interface ListOptions extends Rows {
  readonly expr: string;
}

/** One row for each series, without its value. */
export function listPanel({ expr, ...options }: ListOptions): table.PanelBuilder {
  const panel = describe(new table.PanelBuilder(), { ...options, unit: units.none, link: undefined })
    .withTransformation({ id: 'organize', options: arrangement(options, []) })
    .overrideByFieldType('string', [noCellValue])
    .withTarget(tableQuery(expr, 0));
  arrangeLabels(panel, options);
  return panel;
}

function shownLabels({ labels, details = [], clusters = false }: Rows): readonly string[] {
  return [...(clusters ? ['cluster'] : []), ...labels, ...details];
}

/** The values of a single query are in the column `Value`, those of several in `Value #A`, `Value #B`, … */
function arrangement(rows: Rows, columns: readonly Column[]): object {
  const { details = [], hidden = [], clusters = false } = rows;
  const fields = columns.map(({ title }, index): [string, string] => {
    const name = columns.length > 1 ? `Value #${String.fromCharCode('A'.charCodeAt(0) + index)}` : 'Value';
    return [name, title];
  });
  const shown = shownLabels(rows);
  const excluded = ['Time', ...hidden, ...(clusters ? [] : ['cluster']), ...(columns.length === 0 ? ['Value'] : [])];
  const before = shown.filter((label) => !details.includes(label));
  const order = [...before, ...fields.map(([name]) => name), ...details];
  return {
    excludeByName: Object.fromEntries(excluded.map((name) => [name, true])) as Record<string, true>,
    indexByName: Object.fromEntries(order.map((name, index) => [name, index])) as Record<string, number>,
    renameByName: Object.fromEntries([...shown.map((label) => [label, titleOf(label)]), ...fields]) as Record<
      string,
      string
    >,
  };
}

function arrangeLabels(panel: table.PanelBuilder, rows: Rows): void {
  const key = rows.labels.find((label) => !widthOf(label).isFixed) ?? rows.labels[0] ?? 'cluster';
  for (const label of shownLabels(rows)) {
    const { px, isFixed } = widthOf(label);
    const id = isFixed && label !== key ? 'custom.width' : 'custom.minWidth';
    const width: DynamicConfigValue = { id, value: px };
    const properties: DynamicConfigValue[] = [noCellValue, width];
    if (label === key) properties.push({ id: 'custom.filterable', value: true });
    if (label === key && rows.link !== undefined) properties.push({ id: 'links', value: [rows.link.build()] });
    panel.overrideByName(titleOf(label), properties);
  }
}

/** Pixels of a column of values. The first is sorted: an arrow is beside its title. */
function valueWidth({ title, unit, cell }: Column, isSorted: boolean): number {
  if (unit === units.timestamp) return 160;
  const least = cell === 'share' || cell === 'bar' ? 110 : 80;
  return Math.max(least, Math.ceil(title.length * 8.2) + (isSorted ? 40 : 22));
}

function propertiesOf(column: Column, isSorted: boolean): DynamicConfigValue[] {
  const { unit, decimals, cell, thresholds, mappings = [] } = column;
  const properties: DynamicConfigValue[] = [
    { id: 'custom.width', value: valueWidth(column, isSorted) },
    { id: 'unit', value: unit },
    { id: 'mappings', value: [...mappings, withoutValue('–')] },
  ];
  if (decimals !== undefined) properties.push({ id: 'decimals', value: decimals });
  if (thresholds !== undefined) properties.push({ id: 'thresholds', value: thresholds.build() });
  if (cell === 'coloured') {
    properties.push({ id: 'custom.cellOptions', value: { type: TableCellDisplayMode.ColorText } });
  } else if (cell !== undefined) {
    const type = { type: TableCellDisplayMode.Gauge, mode: BarGaugeDisplayMode.Basic };
    properties.push({ id: 'min', value: 0 }, { id: 'custom.cellOptions', value: type });
    // Without `fieldMinMax`, the largest value of all columns is the end of the bar.
    properties.push(cell === 'share' ? { id: 'max', value: 1 } : { id: 'fieldMinMax', value: true });
  }
  return properties;
}
