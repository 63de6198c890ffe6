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
        'Whether there is data of the node. None: the reason is under "Data of the node"; all other panels then stop where it did.',
      unit: units.none,
      span: 4,
      queries: [{ expr: largest('node_up', ['node'], itself), legend: '{{cluster}}' }],
      mappings: words('fresh or stale', 'none'),
      thresholds: thresholds(oneSteps, 'red'),
    }),
    statPanel({
      title: 'Fullest filesystem',
      description:
        'Share that is not available. By default the kubelet evicts from 90 % of nodefs and 85 % of imagefs on. Red: free space now, see the biggest pods.',
      unit: units.ratio,
      decimals: 0,
      span: 4,
      queries: [{ expr: `max by (cluster) (${filesystemRatio(itself)})`, legend: '{{cluster}}' }],
      thresholds: thresholds(filesystemSteps),
    }),
    statPanel({
      title: 'Eviction headroom',
      description:
        'Bytes that can still be written before the kubelet evicts pods, on the filesystem that is closest to it. Below 0 it evicts. Known where kubelet.readConfig is on and granted.',
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
      description:
        'Ephemeral storage of all pods on the node. What the filesystems hold besides: images, the system, other volumes.',
      unit: units.bytes,
      span: 4,
      queries: [{ expr: usedByPods, legend: '{{cluster}}' }],
    }),
    statPanel({
      title: 'Missing pods',
      description:
        'Pods that run on the node, as the API server says, and that its summary lacks. Lasting: the kubelet or its container runtime does not report them; their bytes are in no sum.',
      unit: units.count,
      span: 4,
      queries: [{ expr: largest('node_pods_missing', ['node'], itself), legend: '{{cluster}}' }],
      thresholds: thresholds(noneSteps),
    }),
    statPanel({
      title: 'Dangling pods',
      description:
        'Pods in the summary that the API server does not know. Lasting: remains of deleted pods that still fill the disk; look at the kubelet’s log.',
      unit: units.count,
      span: 4,
      queries: [{ expr: largest('node_pods_dangling', ['node'], itself), legend: '{{cluster}}' }],
      thresholds: thresholds([[1, 'orange']]),
    }),
  ],
};
