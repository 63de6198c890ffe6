import type * as table from '@grafana/grafana-foundation-sdk/table';

import { by, largest, workloadLabels } from '../queries.js';
import { tablePanel } from '../tables.js';
import { units } from '../units.js';
import { itself } from './queries.js';

const labels = [...workloadLabels, 'container'];

/** The largest container of each name, every 10 minutes for 7 days. */
const week = `(${largest('workload_container_max_used_bytes', labels, itself)})[7d:10m]`;
const usual = `max ${by(['container'])} (quantile_over_time(0.95, ${week}))`;
const most = `max ${by(['container'])} (max_over_time(${week}))`;

/** Recommended requests and limits of each container. */
export function rightSizing(): table.PanelBuilder {
  return tablePanel({
    title: 'Right-sizing',
    description:
      'Recommended requests and limits, from the largest container of each name every 10 minutes of the past 7 days (or of the available history). Advised request: the 95th percentile (p95) times the headroom selected at the top. Advised limit: the maximum times the headroom. The values include shares of emptyDirs, which count towards the limit of the pod. An emptyDir may also need a sizeLimit. Pods that live shorter than a scrape interval are not seen.',
    span: 24,
    noValue: 'none found',
    labels: ['container'],
    columns: [
      { title: 'Advised request', expr: `${usual} * $headroom`, unit: units.bytes },
      { title: 'Advised limit', expr: `${most} * $headroom`, unit: units.bytes },
      { title: 'p95', expr: usual, unit: units.bytes },
      { title: 'Max', expr: most, unit: units.bytes },
    ],
  });
}
