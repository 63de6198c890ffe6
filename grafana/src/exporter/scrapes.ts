import { levelColours, resultColours } from '../colours.js';
import type { Section } from '../dashboard.js';
import { timeSeriesPanel } from '../panels.js';
import { units } from '../units.js';
import { gaugeOf, legend, quantiles, rateOf } from './queries.js';

export const scrapes: Section = {
  title: 'Scrapes',
  panels: [
    timeSeriesPanel({
      title: 'Duration of scrapes',
      description:
        'Median, 90th and 99th percentile. Near the scrape timeout of Prometheus, scrapes are partial: raise the timeout, or shard the exporter.',
      unit: units.seconds,
      span: 8,
      queries: quantiles('scrape_duration_seconds'),
    }),
    timeSeriesPanel({
      title: 'Scrapes by result',
      description:
        'Result deadline: answered in time with partial data. rejected: more than scrape.maxInFlight at once. aborted: the client closed the connection.',
      unit: units.perSecond,
      span: 8,
      stacked: true,
      colours: resultColours,
      queries: [{ expr: rateOf('scrapes_total', ['result']), legend: `${legend} {{result}}` }],
    }),
    timeSeriesPanel({
      title: 'Series by level',
      description:
        'Series of the last exposition, without those about the exporter. Too many: choose a smaller metrics.profile or fewer levels (metrics.levels), or leave families out (metrics.deny).',
      unit: units.count,
      span: 8,
      stacked: true,
      colours: levelColours,
      queries: [{ expr: gaugeOf('sum', 'series', ['level']), legend: `${legend} {{level}}` }],
    }),
    timeSeriesPanel({
      title: 'Series dropped',
      description:
        'Series dropped from the exposition, per second, by reason. max_series: metrics.maxSeries is reached; the log names the families.',
      unit: units.perSecond,
      span: 8,
      queries: [{ expr: rateOf('series_dropped_total', ['reason']), legend: `${legend} {{reason}}` }],
    }),
    timeSeriesPanel({
      title: 'Pods without series',
      description: 'Pods of the summaries without storage series, by reason. no_usage: the kubelet reports no usage.',
      unit: units.count,
      decimals: 0,
      span: 8,
      queries: [{ expr: gaugeOf('sum', 'pods_skipped', ['reason']), legend: `${legend} {{reason}}` }],
    }),
    timeSeriesPanel({
      title: 'Back-off, name clashes, odd values',
      description:
        'Workloads that were not collected and back off, discovered workloads that are not exposed because a configured one has the same name, values of kubelets beyond 2^53, and containers and volumes that the specs of their pods do not have.',
      unit: units.count,
      decimals: 0,
      span: 8,
      queries: [
        { expr: gaugeOf('sum', 'workloads_backed_off'), legend: `${legend} backing off` },
        { expr: gaugeOf('max', 'workload_name_clashes'), legend: `${legend} name clashes` },
        { expr: gaugeOf('sum', 'values_saturated'), legend: `${legend} saturated values` },
        { expr: gaugeOf('sum', 'unknown_items', ['kind']), legend: `${legend} unknown {{kind}}s` },
      ],
    }),
  ],
};
