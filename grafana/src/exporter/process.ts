import type { Section } from '../dashboard.js';
import { timeSeriesPanel } from '../panels.js';
import { units } from '../units.js';
import { largestOf, legend, processSeries } from './queries.js';

export const running: Section = {
  title: 'Process',
  isCollapsed: true,
  panels: [
    timeSeriesPanel({
      title: 'Memory',
      description:
        'Resident memory and used heap of the largest instance. Resident memory near the limit of the container: raise the limit, or shard the exporter.',
      unit: units.bytes,
      span: 8,
      queries: [
        { expr: largestOf(processSeries('process_resident_memory_bytes')), legend: `${legend} resident` },
        { expr: largestOf(processSeries('nodejs_heap_size_used_bytes')), legend: `${legend} heap` },
      ],
    }),
    timeSeriesPanel({
      title: 'CPU',
      description: 'Share of one core, for the busiest instance. Near 1: the CPU limits scrapes; shard the exporter.',
      unit: units.ratio,
      span: 8,
      queries: [
        {
          expr: largestOf(`rate(${processSeries('process_cpu_seconds_total')}[$__rate_interval])`),
          legend: `${legend} busiest`,
        },
      ],
    }),
    timeSeriesPanel({
      title: 'Event loop lag',
      description:
        'Median and 99th percentile of the delay of the event loop, for the slowest instance. Above about 100 ms, probes and scrapes wait.',
      unit: units.seconds,
      span: 8,
      queries: [
        { expr: largestOf(processSeries('nodejs_eventloop_lag_p50_seconds')), legend: `${legend} median` },
        { expr: largestOf(processSeries('nodejs_eventloop_lag_p99_seconds')), legend: `${legend} 99 %` },
      ],
    }),
  ],
};
