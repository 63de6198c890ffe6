/** Evictions for local storage, on several dashboards. */
import type { AnnotationQuery } from '@grafana/grafana-foundation-sdk/dashboard';
import type * as table from '@grafana/grafana-foundation-sdk/table';
import type * as timeseries from '@grafana/grafana-foundation-sdk/timeseries';

import { causeColours } from './colours.js';
import { timeSeriesPanel } from './panels.js';
import { by, largest, type Selection, series } from './queries.js';
import { type ListOptions, tablePanel } from './tables.js';
import { units } from './units.js';
import { datasource } from './variables.js';

/** A mark in all panels over time for each eviction that is still listed, at its time. */
export function evictionAnnotation(matchers: readonly string[]): AnnotationQuery {
  const expr = `max ${by(evictionLabels)} (${series('pod_evicted_timestamp_seconds', { matchers })}) * 1000`;
  const annotation = {
    name: 'Evictions',
    datasource,
    enable: true,
    iconColor: 'red',
    expr,
    // Versions of Grafana read one or the other.
    target: { refId: 'Evictions', expr, range: true, limit: 100, matchAny: false, tags: [], type: 'dashboard' },
    step: '1m',
    useValueForTime: 'on',
    titleFormat: 'Evicted: {{namespace}}/{{pod}}',
    textFormat: '{{cause}} {{container}}{{volume}} on {{node}}',
  };
  return annotation;
}

const evictionLabels = ['namespace', 'pod', 'node', 'cause', 'container', 'volume'] as const;

/** Evictions of each step, stacked by cause. The query keeps the cause. */
export function evictionsOverTime({
  expr,
  ...panel
}: Omit<ListOptions, 'labels' | 'details' | 'hidden' | 'clusters'>): timeseries.PanelBuilder {
  return timeSeriesPanel({
    ...panel,
    unit: units.count,
    noValue: 'none found',
    stacked: true,
    bars: true,
    colours: causeColours,
    queries: [{ expr: `sum ${by(['cause'])} (${expr})`, legend: '{{cluster}} {{cause}}' }],
  });
}

export interface LastEvictionsOptions extends Omit<ListOptions, 'expr' | 'labels'> {
  readonly matchers?: readonly string[];
  /** Filters the evictions; without it all are kept. */
  readonly restrict?: (query: string) => string;
}

/** The last evictions that the exporter lists, newest first, with what the pod used last and the limit that it broke. */
export function lastEvictions(options: LastEvictionsOptions): table.PanelBuilder {
  const { matchers = [], restrict = (query: string) => query, ...panel } = options;
  const selection: Selection = { matchers };
  const last = `topk(20, ${restrict(largest('pod_evicted_timestamp_seconds', evictionLabels, selection))})`;
  const beside = (name: string): string =>
    `0 * ${last} + on (cluster, namespace, pod, node, cause) group_left () ${largest(name, ['namespace', 'pod', 'node', 'cause'], selection)}`;
  return tablePanel({
    ...panel,
    noValue: 'none found',
    labels: evictionLabels.filter(
      (label) => !(panel.hidden ?? []).includes(label) && !(panel.details ?? []).includes(label),
    ),
    columns: [
      { title: 'Evicted', expr: `${last} * 1000`, unit: units.timestamp },
      { title: 'Last used', expr: beside('pod_evicted_used_bytes'), unit: units.bytes },
      { title: 'Limit', expr: beside('pod_evicted_limit_bytes'), unit: units.bytes },
    ],
  });
}
