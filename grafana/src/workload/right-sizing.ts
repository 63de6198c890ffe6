import type * as table from '@grafana/grafana-foundation-sdk/table';

import { by, largest, smallest } from '../queries.js';
import { thresholds } from '../states.js';
import { tablePanel } from '../tables.js';
import { units } from '../units.js';
import { inNamespaces, itself, ofItsPods } from './queries.js';

const labels = ['workload', 'container'];

/** The largest container of each name, at every 10 minutes of 7 days. */
const week = `(${largest('workload_container_max_used_bytes', labels, itself)})[7d:10m]`;
const usual = `max ${by(['container'])} (quantile_over_time(0.95, ${week}))`;
const most = `max ${by(['container'])} (max_over_time(${week}))`;

const podContainer = ['namespace', 'pod', 'container'];
const requests = `min ${by(['container'])} (${ofItsPods(largest('container_request_bytes', podContainer, inNamespaces))})`;
const limits = `min ${by(['container'])} (${ofItsPods(smallest('container_limit_bytes', podContainer, inNamespaces))})`;

/** Too little below 1, generous above 4. */
const share = {
  unit: units.ratio,
  decimals: 0,
  cell: 'coloured',
  thresholds: thresholds(
    [
      [1, 'green'],
      [4, 'blue'],
    ],
    'red',
  ),
} as const;

/** What each container should request and be limited to. */
export function rightSizing(): table.PanelBuilder {
  return tablePanel({
    title: 'Right-sizing',
    description:
      'What to request and to allow. Of each container name the largest value among all pods is taken every 10 minutes of the past 7 days (or of as much as there is). Recommended request: its 95th percentile times the headroom chosen at the top. Recommended limit: its maximum times the headroom. Requests and limits in force are the smallest among the pods. Shares of emptyDirs are in the values, as they count against the pod’s limit, which is the sum of its containers’. An emptyDir with a sizeLimit needs that besides. Not for pods that live shorter than a scrape interval.',
    span: 24,
    labels: ['container'],
    columns: [
      { title: 'Recommended request', expr: `${usual} * $headroom`, unit: units.bytes },
      { title: 'Request', expr: requests, unit: units.bytes },
      { title: 'Request, of recommended', expr: `${requests} / (${usual} * $headroom)`, ...share },
      { title: 'Recommended limit', expr: `${most} * $headroom`, unit: units.bytes },
      { title: 'Limit', expr: limits, unit: units.bytes },
      { title: 'Limit, of recommended', expr: `${limits} / (${most} * $headroom)`, ...share },
      { title: '95 % of the time below', expr: usual, unit: units.bytes },
      { title: 'Maximum', expr: most, unit: units.bytes },
    ],
  });
}
