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
  ],
};
