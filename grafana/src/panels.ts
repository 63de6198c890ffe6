/** Panels with a common look. Each describes what it shows and what to do about it. */
import * as bargauge from '@grafana/grafana-foundation-sdk/bargauge';
import {
  BarGaugeDisplayMode,
  BigValueColorMode,
  BigValueGraphMode,
  GraphDrawStyle,
  GraphThresholdsStyleConfigBuilder,
  GraphThresholdsStyleMode,
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  VizLegendOptionsBuilder,
  VizOrientation,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import type {
  DashboardLinkBuilder,
  DataSourceRef,
  DynamicConfigValue,
  ThresholdsConfigBuilder,
  ValueMapping,
} from '@grafana/grafana-foundation-sdk/dashboard';
import * as histogram from '@grafana/grafana-foundation-sdk/histogram';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import * as stat from '@grafana/grafana-foundation-sdk/stat';
import * as timeseries from '@grafana/grafana-foundation-sdk/timeseries';

import type { Colours } from './colours.js';
import { thresholds } from './states.js';
import type { Unit } from './units.js';
import { datasource } from './variables.js';

export interface PanelOptions {
  readonly title: string;
  /** What the panel shows, and what to do about it. */
  readonly description: string;
  readonly unit: Unit;
  /** Columns of the grid's 24. */
  readonly span: number;
  /** Rows of the grid; the default depends on the kind of panel. */
  readonly height?: number;
  /** Shown without data, where that has a meaning. It must also be true without any series. */
  readonly noValue?: string;
  readonly link?: DashboardLinkBuilder;
}

interface Query {
  readonly expr: string;
  /** Name of each series, with `{{label}}`. */
  readonly legend: string;
}

/** Common to all kinds of panels. */
interface PanelBuilder {
  title(title: string): this;
  description(description: string): this;
  unit(unit: string): this;
  span(columns: number): this;
  height(rows: number): this;
  noValue(text: string): this;
  datasource(datasource: DataSourceRef): this;
  dataLinks(links: DashboardLinkBuilder[]): this;
  withTarget(query: DataqueryBuilder): this;
}

export function describe<Builder extends PanelBuilder>(builder: Builder, options: PanelOptions): Builder {
  const { title, description, unit, span, height = 8, noValue, link } = options;
  builder.title(title).description(description).unit(unit).span(span).height(height).datasource(datasource);
  if (noValue !== undefined) builder.noValue(noValue);
  if (link !== undefined) builder.dataLinks([link]);
  return builder;
}

/** The current value of each series. */
function instant({ expr, legend }: Query, index: number): DataqueryBuilder {
  return target(expr, index).legendFormat(legend).instant();
}

/** One row for each series, labels as columns. */
export function table(expr: string, index: number): DataqueryBuilder {
  return target(expr, index).format(PromQueryFormat.Table).instant();
}

function range({ expr, legend }: Query, index: number): DataqueryBuilder {
  return target(expr, index).legendFormat(legend).range();
}

function target(expr: string, index: number): DataqueryBuilder {
  return new DataqueryBuilder()
    .datasource(datasource)
    .refId(String.fromCharCode('A'.charCodeAt(0) + index))
    .expr(expr);
}

export interface StatOptions extends PanelOptions {
  readonly queries: readonly Query[];
  readonly thresholds?: ThresholdsConfigBuilder;
  readonly mappings?: ValueMapping[];
  readonly decimals?: number;
}

/** One value, coloured by its thresholds. */
export function statPanel(options: StatOptions): stat.PanelBuilder {
  const { queries, mappings = [], decimals } = options;
  const panel = describe(new stat.PanelBuilder(), { height: 4, ...options })
    .thresholds(options.thresholds ?? thresholds([], 'text'))
    .mappings(mappings)
    .colorMode(BigValueColorMode.Value)
    .graphMode(BigValueGraphMode.None)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']));
  if (decimals !== undefined) panel.decimals(decimals);
  for (const [index, query] of queries.entries()) panel.withTarget(instant(query, index));
  return panel;
}

export interface BarsOptions extends PanelOptions {
  readonly query: Query;
  readonly thresholds?: ThresholdsConfigBuilder;
  readonly max?: number;
}

/** The current values as horizontal bars. */
export function barsPanel(options: BarsOptions): bargauge.PanelBuilder {
  const panel = describe(new bargauge.PanelBuilder(), options)
    .orientation(VizOrientation.Horizontal)
    .displayMode(BarGaugeDisplayMode.Basic)
    .thresholds(options.thresholds ?? thresholds([], 'blue'))
    .min(0)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']));
  if (options.max !== undefined) panel.max(options.max);
  return panel.withTarget(instant(options.query, 0));
}

export interface TimeSeriesOptions extends PanelOptions {
  readonly queries: readonly Query[];
  readonly stacked?: boolean;
  /** For counts of a step. */
  readonly bars?: boolean;
  /** Of series whose name ends with the key. */
  readonly colours?: Colours;
  /** Series of these names (a regular expression) are bounds: dashed, and not part of the stack. */
  readonly bounds?: string;
  readonly thresholds?: ThresholdsConfigBuilder;
  readonly mappings?: ValueMapping[];
  readonly max?: number;
  /** False where values below 0 have a meaning. */
  readonly fromZero?: boolean;
}

const boundProperties: DynamicConfigValue[] = [
  { id: 'custom.lineStyle', value: { fill: 'dash', dash: [8, 8] } },
  { id: 'custom.fillOpacity', value: 0 },
  { id: 'custom.stacking', value: { mode: StackingMode.None } },
];

/** Summaries do not change faster. */
const shortestStep = '1m';
/** Enough for lines. Each step of a list of the largest reads the series of the whole cluster. */
const mostSteps = 300;

export function timeSeriesPanel(options: TimeSeriesOptions): timeseries.PanelBuilder {
  const { queries, stacked = false, mappings = [], thresholds: steps } = options;
  const panel = describe(new timeseries.PanelBuilder(), options)
    .interval(shortestStep)
    .maxDataPoints(mostSteps)
    .drawStyle(options.bars === true ? GraphDrawStyle.Bars : GraphDrawStyle.Line)
    .lineWidth(1)
    .fillOpacity(fillOpacityOf(options))
    .stacking(new StackingConfigBuilder().mode(stacked ? StackingMode.Normal : StackingMode.None))
    .mappings(mappings)
    .legend(legendTable())
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending));
  scale(panel, options);
  if (steps !== undefined) {
    panel
      .thresholds(steps)
      .thresholdsStyle(new GraphThresholdsStyleConfigBuilder().mode(GraphThresholdsStyleMode.Dashed));
  }
  overrideSeries(panel, options);
  for (const [index, query] of queries.entries()) panel.withTarget(range(query, index));
  return panel;
}

function fillOpacityOf({ bars = false, stacked = false }: TimeSeriesOptions): number {
  if (bars) return 80;
  return stacked ? 30 : 5;
}

function overrideSeries(panel: timeseries.PanelBuilder, { bounds, colours = {} }: TimeSeriesOptions): void {
  if (bounds !== undefined) panel.overrideByRegexp(`/${bounds}/`, boundProperties);
  for (const [name, fixedColor] of Object.entries(colours)) {
    panel.overrideByRegexp(`/${name}$/`, [{ id: 'color', value: { mode: 'fixed', fixedColor } }]);
  }
}

function scale(panel: timeseries.PanelBuilder, { max, fromZero = true }: TimeSeriesOptions): void {
  if (fromZero) panel.min(0);
  if (max !== undefined) panel.max(max);
}

function legendTable(): VizLegendOptionsBuilder {
  return new VizLegendOptionsBuilder()
    .displayMode(LegendDisplayMode.Table)
    .placement(LegendPlacement.Bottom)
    .showLegend(true)
    .calcs(['lastNotNull', 'max'])
    .sortBy('Last *')
    .sortDesc(true);
}

export interface HistogramOptions extends PanelOptions {
  readonly query: Query;
}

/** Distribution of the current values. */
export function histogramPanel(options: HistogramOptions): histogram.PanelBuilder {
  return describe(new histogram.PanelBuilder(), options)
    .combine(true)
    .fillOpacity(60)
    .legend(new VizLegendOptionsBuilder().displayMode(LegendDisplayMode.Hidden).showLegend(false))
    .withTarget(instant(options.query, 0));
}
