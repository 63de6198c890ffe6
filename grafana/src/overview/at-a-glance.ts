import type { Section } from '../dashboard.js';
import { statPanel } from '../panels.js';
import { filesystemRatio, largest, limitRatios, podsUsed, smallest, workloadComplete } from '../queries.js';
import { filesystemSteps, noneSteps, thresholds } from '../states.js';
import { units } from '../units.js';

export const summary: Section = {
  title: 'At a glance',
  panels: [
    statPanel({
      title: 'Used by pods',
      description:
        'Ephemeral storage of all measured pods: writable layers, logs, emptyDirs, configMaps. What else fills a node (images, the system) is not in it. Compare with the nodes below.',
      unit: units.bytes,
      span: 4,
      queries: [{ expr: `sum by (cluster) (${podsUsed()})`, legend: '{{cluster}}' }],
    }),
    statPanel({
      title: 'Fullest filesystem',
      description:
        'The least available filesystem of all nodes. By default kubelets begin to evict pods at 90 % of nodefs and 85 % of imagefs. Red: look at the fullest nodes below.',
      unit: units.ratio,
      decimals: 0,
      span: 4,
      queries: [{ expr: `max by (cluster) (${filesystemRatio()})`, legend: '{{cluster}}' }],
      thresholds: thresholds(filesystemSteps),
    }),
    statPanel({
      title: 'Limits nearly reached',
      description:
        'Limits (of pods, containers and emptyDirs) whose usage is above the share chosen at the top. Above 1 the kubelet evicts the pod. Not 0: see the table of limits below.',
      unit: units.count,
      span: 4,
      noValue: 'none known',
      queries: [{ expr: `sum by (cluster) (${limitRatios()} >= bool $near)`, legend: '{{cluster}}' }],
      thresholds: thresholds([[1, 'orange']]),
    }),
    statPanel({
      title: 'Nodes without data',
      description:
        'Nodes whose kubelet gave nothing that is still good. Their pods are in no sum. Not 0: see the reasons under "Can this be trusted?".',
      unit: units.count,
      span: 4,
      queries: [{ expr: `sum by (cluster) (1 - ${largest('node_up', ['node'])})`, legend: '{{cluster}}' }],
      thresholds: thresholds(noneSteps),
    }),
    statPanel({
      title: 'Partial workloads',
      description:
        'Workloads of which at least one running pod was not measured: their sums are too small. Not 0: see "Can this be trusted?".',
      unit: units.count,
      span: 4,
      queries: [{ expr: `sum by (cluster) (1 - ${workloadComplete()})`, legend: '{{cluster}}' }],
      thresholds: thresholds(noneSteps),
    }),
    statPanel({
      title: 'Oldest data',
      description:
        'Age of the oldest data of a node that is served. Up to the TTL of the cache (55 s by default) is as it should be; up to twice that is stale: the kubelet did not answer the last request.',
      unit: units.seconds,
      decimals: 0,
      span: 4,
      queries: [
        { expr: `max by (cluster) (${smallest('node_summary_age_seconds', ['node'])})`, legend: '{{cluster}}' },
      ],
      thresholds: thresholds([
        [70, 'orange'],
        [120, 'red'],
      ]),
    }),
  ],
};
