import type { Section } from '../dashboard.js';
import { statPanel } from '../panels.js';
import { dataAge, evictable, filesystemRatio, largest, limitRatios, podsUsed, workloadComplete } from '../queries.js';
import { filesystemSteps, noneSteps, thresholds } from '../states.js';
import { units } from '../units.js';

export const summary: Section = {
  title: 'At a glance',
  panels: [
    statPanel({
      title: 'Used by pods',
      description:
        'Ephemeral storage of all measured pods: writable layers, logs, emptyDirs, configMaps. Images and the system are not included. Compare with the nodes below.',
      unit: units.bytes,
      span: 4,
      queries: [{ expr: `sum by (cluster) (${podsUsed()})`, legend: '{{cluster}}' }],
    }),
    statPanel({
      title: 'Fullest filesystem',
      description:
        'The filesystem with the smallest available share of all nodes. By default kubelets start to evict pods at 90 % of nodefs and 85 % of imagefs. Red: see the fullest filesystems below.',
      unit: units.ratio,
      decimals: 0,
      span: 4,
      queries: [{ expr: `max by (cluster) (${filesystemRatio()})`, legend: '{{cluster}}' }],
      thresholds: thresholds(filesystemSteps),
    }),
    statPanel({
      title: 'Limits nearly reached',
      description:
        'Number of limits (of pods, containers and emptyDirs) whose usage is above the share selected at the top. The kubelet evicts pods above 100 %; static and critical pods, which it never evicts, are left out. Not 0: see the table of limits below.',
      unit: units.count,
      span: 4,
      noValue: 'none found',
      queries: [{ expr: `sum by (cluster) (${evictable(limitRatios())} >= bool $near)`, legend: '{{cluster}}' }],
      thresholds: thresholds([[1, 'orange']]),
    }),
    statPanel({
      title: 'Nodes without data',
      description:
        'Nodes whose kubelet could not be scraped. Their pods are missing from all totals. Not 0: see the reasons under "Data quality".',
      unit: units.count,
      span: 4,
      queries: [{ expr: `sum by (cluster) (1 - ${largest('node_data_available', ['node'])})`, legend: '{{cluster}}' }],
      thresholds: thresholds(noneSteps),
    }),
    statPanel({
      title: 'Partial workloads',
      description:
        'Workloads with at least one running pod that is not measured: their totals are too low. Not 0: see "Data quality".',
      unit: units.count,
      span: 4,
      queries: [{ expr: `sum by (cluster) (1 - ${workloadComplete()})`, legend: '{{cluster}}' }],
      thresholds: thresholds(noneSteps),
    }),
    statPanel({
      title: 'Oldest data',
      description:
        'Age of the oldest data of a node. Up to cache.ttl (55 s by default) plus the scrape interval is normal. Above that, the last request to the kubelet failed.',
      unit: units.seconds,
      decimals: 0,
      span: 4,
      queries: [{ expr: `max by (cluster) (${dataAge()})`, legend: '{{cluster}}' }],
      thresholds: thresholds([
        [150, 'orange'],
        [300, 'red'],
      ]),
    }),
  ],
};
