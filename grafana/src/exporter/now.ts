import type { Section } from '../dashboard.js';
import { statPanel } from '../panels.js';
import { by } from '../queries.js';
import { noneSteps, oneSteps, thresholds, words } from '../states.js';
import { tablePanel } from '../tables.js';
import { units } from '../units.js';
import { largestOfNode, processSeries, selfSeries } from './queries.js';

const instanceLabels = ['job', 'instance', 'version', 'node_version', 'shard', 'total_shards', 'node'];

export const state: Section = {
  title: 'Now',
  panels: [
    statPanel({
      title: 'Instances without scrape',
      description:
        'Instances of the chosen jobs that Prometheus could not scrape last time. Not 0: is the pod running, does it answer in the scrape’s time limit?',
      unit: units.count,
      span: 4,
      queries: [{ expr: `sum by (cluster) (1 - ${processSeries('up')})`, legend: '{{cluster}}' }],
      thresholds: thresholds(noneSteps),
    }),
    statPanel({
      title: 'Nodes without data',
      description:
        'Nodes that an instance is to measure and has no data of, skipped ones excepted. See the reasons below.',
      unit: units.count,
      span: 4,
      queries: [
        { expr: `sum by (cluster) (1 - ${largestOfNode('node_up', ['job', 'instance'])})`, legend: '{{cluster}}' },
      ],
      thresholds: thresholds(noneSteps),
    }),
    statPanel({
      title: 'Watches',
      description:
        'Whether all watches of the API server are connected. Broken for more than a minute: new pods are not seen; look at the results of lists and watches below.',
      unit: units.none,
      span: 4,
      queries: [{ expr: `min by (cluster) (${selfSeries('store_watch_connected')})`, legend: '{{cluster}}' }],
      mappings: words('connected', 'broken'),
      thresholds: thresholds(oneSteps, 'red'),
    }),
    statPanel({
      title: 'Settings',
      description:
        'Whether the last attempt to load the settings succeeded. Rejected: the former ones stay in force; the log names the fault, as check-config does.',
      unit: units.none,
      span: 4,
      queries: [{ expr: `min by (cluster) (${selfSeries('config_last_reload_successful')})`, legend: '{{cluster}}' }],
      mappings: words('in force', 'rejected'),
      thresholds: thresholds(oneSteps, 'red'),
    }),
    statPanel({
      title: 'Kubelets’ certificates',
      description:
        'Whether the kubelets’ certificates are verified. Not verified: the exporter’s token can be read by whoever sits between; set kubelet.tls.caFile.',
      unit: units.none,
      span: 4,
      queries: [
        { expr: `max by (cluster) (${selfSeries('kubelet_tls_verification_disabled')})`, legend: '{{cluster}}' },
      ],
      mappings: words('not verified', 'verified'),
      thresholds: thresholds(noneSteps),
    }),
    statPanel({
      title: 'Series dropped',
      description:
        'Series left out in the time range because of metrics.maxSeries. Not 0: whole families are missing; raise the cap or switch levels off.',
      unit: units.count,
      decimals: 0,
      span: 4,
      queries: [
        { expr: `sum by (cluster) (increase(${selfSeries('series_dropped_total')}[$__range]))`, legend: '{{cluster}}' },
      ],
      thresholds: thresholds(noneSteps),
    }),
    tablePanel({
      title: 'Instances',
      description:
        'Version of each instance, the part of the cluster that it measures (one shard of so many, or one node), and when its settings were loaded. Different hashes: not all have the same settings yet.',
      span: 24,
      height: 6,
      labels: instanceLabels,
      columns: [
        {
          title: 'Settings loaded',
          expr: `${described('config_last_reload_success_timestamp_seconds')} * 1000`,
          unit: units.timestamp,
        },
        {
          title: 'Hash of settings',
          expr: described('config_hash'),
          unit: units.none,
        },
      ],
    }),
  ],
};

/** A gauge of each instance, with its version and scope as labels. */
function described(gauge: string): string {
  const version = `* on (cluster, job, instance) group_left (version, node_version) ${selfSeries('build_info')}`;
  const scope = `* on (cluster, job, instance) group_left (shard, total_shards, node) ${selfSeries('scope_info')}`;
  return `max ${by(instanceLabels)} (${selfSeries(gauge)} ${version} ${scope})`;
}
