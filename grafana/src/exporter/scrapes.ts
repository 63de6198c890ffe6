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
        'Median, 90th and 99th percentile. Near Prometheus’ scrape timeout, answers are cut: raise it, or shard the exporter.',
      unit: units.seconds,
      span: 8,
      queries: quantiles('scrape_duration_seconds'),
    }),
    timeSeriesPanel({
      title: 'Scrapes by result',
      description:
        'Result deadline: answered in time with what there was, some nodes may be missing. rejected: more than scrape.maxInFlight at once. aborted: the client left first.',
      unit: units.perSecond,
      span: 8,
      stacked: true,
      queries: [{ expr: rateOf('scrapes_total', ['result']), legend: `${legend} {{result}}` }],
    }),
    timeSeriesPanel({
      title: 'Series by level',
      description:
        'Series of the last exposition, without those about the exporter. Too many: switch levels off, or keep to the biggest pods (metrics.top).',
      unit: units.count,
      span: 8,
      stacked: true,
      queries: [{ expr: gaugeOf('sum', 'series', ['level']), legend: `${legend} {{level}}` }],
    }),
    timeSeriesPanel({
      title: 'Series dropped',
      description:
        'Series left out of expositions, per second, by reason. max_series: metrics.maxSeries is reached; the log names the families.',
      unit: units.perSecond,
      span: 8,
      queries: [{ expr: rateOf('series_dropped_total', ['reason']), legend: `${legend} {{reason}}` }],
    }),
    timeSeriesPanel({
      title: 'Pods without series',
      description:
        'Pods of the summaries without storage series, by reason. no_usage: the kubelet has no figure of them; top: left out by metrics.top.',
      unit: units.count,
      span: 8,
      queries: [{ expr: gaugeOf('sum', 'pods_skipped', ['reason']), legend: `${legend} {{reason}}` }],
    }),
    timeSeriesPanel({
      title: 'Odd figures and names',
      description:
        'Figures of kubelets that are no real sizes, and discovered workloads that are not served because another has their name: rename the configured one.',
      unit: units.count,
      span: 8,
      queries: [
        { expr: gaugeOf('sum', 'values_saturated'), legend: `${legend} saturated values` },
        { expr: gaugeOf('max', 'workload_name_clashes'), legend: `${legend} clashing names` },
      ],
    }),
  ],
};
