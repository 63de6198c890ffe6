import type { Section } from '../dashboard.js';
import { statPanel } from '../panels.js';
import { filesystemLabels, filesystemRatio, largest } from '../queries.js';
import { filesystemSteps, noneSteps, oneSteps, thresholds, words } from '../states.js';
import { units } from '../units.js';
import { itself, usedByPods } from './queries.js';

export const summary: Section = {
  title: 'Now',
  panels: [
    statPanel({
      title: 'Data',
      description:
        'Whether the node has data. None: see the reason under "Data of the node". All other panels show nothing from then on.',
      unit: units.none,
      span: 4,
      queries: [{ expr: largest('node_data_available', ['node'], itself), legend: '{{cluster}}' }],
      mappings: words('fresh or stale', 'none'),
      thresholds: thresholds(oneSteps, 'red'),
    }),
    statPanel({
      title: 'Fullest filesystem',
      description:
        'Share that is not available. By default the kubelet starts to evict pods at 90 % of nodefs and 85 % of imagefs. Red: free space, see the largest pods.',
      unit: units.ratio,
      decimals: 0,
      span: 4,
      queries: [{ expr: `max by (cluster) (${filesystemRatio(itself)})`, legend: '{{cluster}}' }],
      thresholds: thresholds(filesystemSteps),
    }),
    statPanel({
      title: 'Eviction headroom',
      description:
        'Bytes that can be written before the kubelet evicts pods, on the filesystem that is closest to its threshold. Below 0 it evicts. Known where kubelet.readConfig is on and permitted.',
      unit: units.bytes,
      span: 4,
      noValue: 'unknown',
      queries: [
        {
          expr: `min by (cluster) (${largest('node_eviction_headroom_bytes', filesystemLabels, itself)})`,
          legend: '{{cluster}}',
        },
      ],
      thresholds: thresholds([[1, 'green']], 'red'),
    }),
    statPanel({
      title: 'Used by pods',
      description: 'Ephemeral storage of all pods on the node. Images, the system and other volumes are not included.',
      unit: units.bytes,
      span: 4,
      queries: [{ expr: usedByPods, legend: '{{cluster}}' }],
    }),
    statPanel({
      title: 'Missing pods',
      description:
        'Pods that run on the node according to the API server, but are not in its summary. If this lasts, the kubelet or its container runtime does not report them, and they are missing from all totals.',
      unit: units.count,
      span: 4,
      queries: [{ expr: largest('node_pods_missing', ['node'], itself), legend: '{{cluster}}' }],
      thresholds: thresholds(noneSteps),
    }),
    statPanel({
      title: 'Dangling pods',
      description:
        'Pods of the summary that the API server does not know. If this lasts, remains of deleted pods fill the disk: see the kubelet’s log.',
      unit: units.count,
      span: 4,
      queries: [{ expr: largest('node_pods_dangling', ['node'], itself), legend: '{{cluster}}' }],
      thresholds: thresholds([[1, 'orange']]),
    }),
  ],
};
