/** Panels with a common look. Each describes what it shows and what to do about it. */
import {
  GraphDrawStyle,
  GraphThresholdsStyleConfigBuilder,
  GraphThresholdsStyleMode,
  LegendDisplayMode,
  LegendPlacement,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import {
  type DashboardLinkBuilder,
  type DataSourceRef,
  type DynamicConfigValue,
  FieldColorBuilder,
  FieldColorModeId,
  type ThresholdsConfigBuilder,
  type ValueMapping,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import * as timeseries from '@grafana/grafana-foundation-sdk/timeseries';

import type { Colours } from './colours.js';
import { type Unit, units } from './units.js';
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
  readonly link?: DashboardLinkBuilder | undefined;
}

export interface Query {
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
export function instant({ expr, legend }: Query, index: number): DataqueryBuilder {
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
  return new DataqueryBuilder().datasource(datasource).refId(refIdOf(index)).expr(expr);
}

export function refIdOf(index: number): string {
  return String.fromCharCode('A'.charCodeAt(0) + index);
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
  readonly decimals?: number;
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
/** A gap of a few minutes is a line: stripes would look like the dashes of bounds. A longer one stays a gap. */
const longestLineMs = 360_000;
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
    .spanNulls(longestLineMs)
    .showPoints(VisibilityMode.Never)
    .colorScheme(new FieldColorBuilder().mode(FieldColorModeId.PaletteClassicByName))
    .legend(legendOf(options))
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
    panel.overrideByRegexp(`/(^| )${name}$/`, [{ id: 'color', value: { mode: 'fixed', fixedColor } }]);
  }
}

function scale(panel: timeseries.PanelBuilder, { unit, max, decimals, fromZero = true }: TimeSeriesOptions): void {
  if (fromZero) panel.min(0);
  if (max !== undefined) panel.max(max);
  if (decimals !== undefined) panel.decimals(decimals);
  // Without it, an axis of zeros ends at 100.
  if (unit === units.count || unit === units.perSecond) panel.axisSoftMax(1);
}

/** Figures beside wide charts; in narrow ones they would take the place of the lines. */
function legendOf({ span }: TimeSeriesOptions): VizLegendOptionsBuilder {
  const legend = new VizLegendOptionsBuilder().showLegend(true);
  if (span < 12) return legend.displayMode(LegendDisplayMode.List).placement(LegendPlacement.Bottom).calcs([]);
  return legend
    .displayMode(LegendDisplayMode.Table)
    .placement(LegendPlacement.Right)
    .calcs(['lastNotNull', 'max'])
    .sortBy('Last *')
    .sortDesc(true);
}
