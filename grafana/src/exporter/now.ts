import type { Section } from '../dashboard.js';
import { by } from '../queries.js';
import { lostInCluster } from '../silence.js';
import { noneSteps, oneSteps, thresholds, words } from '../states.js';
import { statPanel, type Unknown } from '../stats.js';
import { tablePanel } from '../tables.js';
import { units } from '../units.js';
import { largestOfNode, processSeries, selfSeries } from './queries.js';

const instanceLabels = ['job', 'instance', 'version', 'node_version', 'shard', 'total_shards', 'node'];

const notScraped = `sum by (cluster) (1 - ${processSeries('up')})`;
const unknown: Unknown = { on: ['cluster'], parts: [{ expr: `${notScraped} > 0`, what: 'instances not scraped' }] };

export const state: Section = {
  title: 'Now',
  panels: [
    statPanel({
      title: 'Instances without scrape',
      description:
        'Instances of the selected jobs whose last scrape failed. Not 0: check whether the pod is running and answers within the scrape timeout.',
      unit: units.count,
      span: 8,
      query: { expr: notScraped, legend: '{{cluster}}' },
      thresholds: thresholds(noneSteps),
    }),
    statPanel({
      title: 'Nodes without data',
      description: 'Nodes without data, by instance; skipped nodes do not count. See the reasons below.',
      unit: units.count,
      span: 8,
      query: {
        expr: `sum by (cluster) (1 - ${largestOfNode('node_data_available', ['job', 'instance'])})`,
        legend: '{{cluster}}',
      },
      thresholds: thresholds(noneSteps),
      unknown: lostInCluster,
    }),
    statPanel({
      title: 'Watches',
      description:
        'Whether all watches are connected. Broken for more than a minute: new pods are not seen, or a minute late while lists replace a watch; check the results of lists and watches below.',
      unit: units.none,
      span: 8,
      query: { expr: `min by (cluster) (${selfSeries('store_watch_connected')})`, legend: '{{cluster}}' },
      mappings: words('connected', 'broken'),
      thresholds: thresholds(oneSteps, 'critical'),
      unknown,
    }),
    statPanel({
      title: 'Settings',
      description:
        'Whether the last reload of the settings succeeded. Rejected: the previous settings stay active; the log contains the errors.',
      unit: units.none,
      span: 8,
      query: { expr: `min by (cluster) (${selfSeries('config_last_reload_successful')})`, legend: '{{cluster}}' },
      mappings: words('loaded', 'rejected'),
      thresholds: thresholds(oneSteps, 'critical'),
      unknown,
    }),
    statPanel({
      title: 'Kubelet certificates',
      description:
        'Whether kubelet certificates are verified. Not verified: a machine in the middle can read the exporter’s token; set kubelet.tls.caFile.',
      unit: units.none,
      span: 8,
      query: { expr: `max by (cluster) (${selfSeries('kubelet_tls_verification_disabled')})`, legend: '{{cluster}}' },
      mappings: words('not verified', 'verified'),
      thresholds: thresholds(noneSteps),
      unknown,
    }),
    statPanel({
      title: 'Series dropped',
      description:
        'Series dropped in the time range because of metrics.maxSeries. Not 0: whole families are missing; raise it, or choose a smaller metrics.profile.',
      unit: units.count,
      decimals: 0,
      span: 8,
      query: {
        expr: `sum by (cluster) (increase(${selfSeries('series_dropped_total')}[$__range]))`,
        legend: '{{cluster}}',
      },
      thresholds: thresholds(noneSteps),
      unknown,
    }),
    tablePanel({
      title: 'Instances',
      description:
        'Version, scope (shard or node) and time of the last reload of each instance. Different hashes: the instances do not have the same settings yet.',
      span: 24,
      height: 6,
      noValue: 'none found',
      clusters: true,
      labels: ['instance', 'job', 'version', 'node_version'],
      details: ['shard', 'total_shards', 'node'],
      columns: [
        {
          title: 'Settings loaded',
          expr: `${described('config_last_reload_success_timestamp_seconds')} * 1000`,
          unit: units.timestamp,
        },
        {
          title: 'Settings hash',
          expr: described('config_hash'),
          unit: units.none,
        },
      ],
    }),
  ],
};

/** A gauge of each instance with its version and scope as labels. */
function described(gauge: string): string {
  const version = `* on (cluster, job, instance) group_left (version, node_version) ${selfSeries('build_info')}`;
  const scope = `* on (cluster, job, instance) group_left (shard, total_shards, node) ${selfSeries('scope_info')}`;
  return `max ${by(instanceLabels)} (${selfSeries(gauge)} ${version} ${scope})`;
}
