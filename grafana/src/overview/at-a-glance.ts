import type { Section } from '../dashboard.js';
import { evictable, fullness, inPool, limitRatios, podsUsed, series, total, workloadComplete } from '../queries.js';
import { dataAge, lostInPool, silentInPool, silentNodes } from '../silence.js';
import { noneSteps, ratioSteps, thresholds, word, wordFrom } from '../states.js';
import { statPanel } from '../stats.js';
import { units } from '../units.js';

/** Exporters whose labels Prometheus overwrites. */
const overwritten = ['namespace', 'pod', 'container', 'node']
  .map((label) => series('exporter_labels_info', { matchers: [`${label}!="_kept_"`] }))
  .join(' or ');
const scraped = `0 * ${total('count', series('exporter_labels_info'))}`;

export const summary: Section = {
  title: 'At a glance',
  panels: [
    statPanel({
      title: 'Used by pods',
      description:
        'Ephemeral storage of all measured pods of the selected clusters and pools of nodes: writable layers, logs, emptyDirs, configMaps. Images and the system are not included. No data in any panel: select another data source at the top, or check that Prometheus scrapes the exporter (docs/operate.md).',
      unit: units.bytes,
      span: 6,
      query: { expr: total('sum', inPool(podsUsed())), legend: 'used' },
      unknown: silentInPool,
    }),
    statPanel({
      title: 'Fullest filesystem',
      description:
        'The filesystem with the smallest available share of bytes or inodes of all nodes. By default kubelets start to evict pods at 90 % of nodefs and 85 % of imagefs. Red: see the fullest filesystems below.',
      unit: units.ratio,
      decimals: 0,
      span: 6,
      query: { expr: total('max', inPool(fullness())), legend: 'fullest' },
      thresholds: thresholds(ratioSteps),
      unknown: silentInPool,
    }),
    statPanel({
      title: 'Near a limit',
      description:
        'Number of limits (of pods, containers and emptyDirs) whose usage is above the share selected at the top. The kubelet evicts pods above 100 %; static and critical pods, which it never evicts, are left out. Not 0: see the table of limits below.',
      unit: units.count,
      decimals: 0,
      span: 6,
      noValue: 'none found',
      query: { expr: total('sum', `${inPool(evictable(limitRatios()))} >= bool $near`), legend: 'limits' },
      thresholds: thresholds([[1, 'warning']]),
      unknown: silentInPool,
    }),
    statPanel({
      title: 'Nodes without data',
      description:
        'Nodes whose kubelet could not be scraped, or whose exporter was scraped within the last day and is not now. Their pods are missing from all totals. Not 0: the reasons are beside.',
      unit: units.count,
      decimals: 0,
      span: 6,
      query: { expr: total('sum', inPool(silentNodes())), legend: 'nodes' },
      thresholds: thresholds(noneSteps),
    }),
    statPanel({
      title: 'Partial workloads',
      description:
        'Workloads with at least one running pod that is not measured: their totals are too low. Not 0: see "Data quality".',
      unit: units.count,
      decimals: 0,
      span: 8,
      query: { expr: total('sum', `1 - ${workloadComplete()}`), legend: 'workloads' },
      thresholds: thresholds(noneSteps),
      unknown: lostInPool,
    }),
    statPanel({
      title: 'Oldest data',
      description:
        'Age of the oldest data of a node. Up to cache.ttl (55 s by default) plus the scrape interval is normal. Above that, the last request to the kubelet failed.',
      unit: units.seconds,
      decimals: 0,
      span: 8,
      query: { expr: total('max', inPool(dataAge())), legend: 'oldest' },
      thresholds: thresholds([
        [150, 'warning'],
        [300, 'critical'],
      ]),
      unknown: lostInPool,
    }),
    statPanel({
      title: 'Labels of the exporter',
      description:
        'Whether Prometheus keeps the labels namespace, pod, container and node of the exporter. Overwritten: all panels about pods are wrong or empty. The scrape lacks honor_labels: true (honorLabels of a ServiceMonitor), or a namespace is enforced on it (excludedFromEnforcement): see EphemeralStorageLabelsOverwritten in docs/paged.md.',
      unit: units.count,
      decimals: 0,
      span: 8,
      query: { expr: `${total('count', overwritten)} or ${scraped}`, legend: 'exporters' },
      mappings: [word(0, 'kept', 'ok'), wordFrom(1, 'overwritten', 'critical')],
      thresholds: thresholds(noneSteps),
    }),
  ],
};
