import type { Section } from '../dashboard.js';
import { fullness, largest, nodeEvictions, series, withinRange } from '../queries.js';
import { absentNodes, dataAge, lostNodes } from '../silence.js';
import { noneSteps, oneSteps, ratioSteps, thresholds, words } from '../states.js';
import { statPanel } from '../stats.js';
import { listPanel } from '../tables.js';
import { units } from '../units.js';
import { itself, usedByPods } from './queries.js';

const skipped = { matchers: [...itself.matchers, 'reason="skipped"'] };

export const summary: Section = {
  title: 'Now',
  panels: [
    statPanel({
      title: 'Data',
      description:
        'Whether the node has data. None: the reason is beside, and all other panels show nothing from then on.',
      unit: units.none,
      span: 6,
      query: { expr: `${largest('node_data_available', ['node'], itself)} or 0 * ${lostNodes(itself)}` },
      mappings: words('fresh or stale', 'none'),
      thresholds: thresholds(oneSteps, 'critical'),
    }),
    statPanel({
      title: 'Age of the data',
      description:
        'Time since the last data was fetched from the kubelet; it grows on while there is none. Up to cache.ttl (55 s by default) plus the scrape interval is normal.',
      unit: units.seconds,
      decimals: 0,
      span: 6,
      query: { expr: dataAge(itself), legend: 'age' },
      thresholds: thresholds([
        [150, 'warning'],
        [300, 'critical'],
      ]),
    }),
    listPanel({
      title: 'Reason for missing data',
      description:
        'The reason while the node has no data. tls, unauthorized, forbidden: settings and permissions of the exporter. timeout, connection, http_status: the node or the network. skipped: excluded by cluster.skipNodes. not scraped: Prometheus has lost the exporter of the node.',
      span: 6,
      height: 3,
      noValue: 'none found',
      labels: ['reason'],
      hidden: ['node'],
      expr: `${absentNodes(itself)} or ${largest('node_absent_info', ['node', 'reason'], skipped)}`,
    }),
    listPanel({
      title: 'System',
      description: 'Operating system and kubelet version of the node, also while it has no data.',
      span: 6,
      height: 3,
      labels: ['os', 'kubelet_version'],
      hidden: ['node'],
      expr: largest('node_info', ['node', 'os', 'kubelet_version'], itself),
    }),
    statPanel({
      title: 'Fullest filesystem',
      description:
        'Share of bytes or inodes that is not available. By default the kubelet starts to evict pods at 90 % of nodefs and 85 % of imagefs. Red: free space, see the largest pods.',
      unit: units.ratio,
      decimals: 0,
      span: 6,
      query: { expr: `max by (cluster) (${fullness(itself)})` },
      thresholds: thresholds(ratioSteps),
    }),
    statPanel({
      title: 'Eviction headroom',
      description:
        'Bytes that can be written before the kubelet evicts pods, on the filesystem that is closest to its threshold. Below 0 it evicts. Assumed: above the default threshold of Kubernetes; kubelet.readConfig reads that of the kubelet. Unknown once the node shows that it has another one.',
      unit: units.bytes,
      span: 6,
      noValue: 'unknown',
      query: {
        expr: `min by (cluster, threshold) (${series('node_eviction_headroom_bytes', itself)})`,
        legend: '{{threshold}}',
      },
      thresholds: thresholds([[0, 'ok']], 'critical'),
    }),
    statPanel({
      title: 'Used by pods',
      description: 'Ephemeral storage of all pods on the node. Images, the system and other volumes are not included.',
      unit: units.bytes,
      span: 6,
      query: { expr: usedByPods },
    }),
    statPanel({
      title: 'Disk pressure',
      description:
        'Whether the kubelet reports DiskPressure: it is below an eviction threshold, or was so minutes ago, and no pods are scheduled there. As last reported to the API server.',
      unit: units.none,
      span: 6,
      query: { expr: largest('node_disk_pressure', ['node'], itself) },
      mappings: words('yes', 'no'),
      thresholds: thresholds([[1, 'critical']], 'unknown'),
    }),
    statPanel({
      title: 'Missing pods',
      description:
        'Pods that run on the node according to the API server, but are not in its summary. If this lasts, the kubelet or its container runtime does not report them, and they are missing from all totals.',
      unit: units.count,
      span: 8,
      query: { expr: largest('node_pods_missing', ['node'], itself) },
      thresholds: thresholds(noneSteps),
    }),
    statPanel({
      title: 'Dangling pods',
      description:
        'Pods of the summary that the API server does not know. If this lasts, remains of deleted pods fill the disk: see the kubelet’s log.',
      unit: units.count,
      span: 8,
      query: { expr: largest('node_pods_dangling', ['node'], itself) },
      thresholds: thresholds([[1, 'warning']]),
    }),
    statPanel({
      title: 'Evictions',
      description:
        'Pods of this node that the kubelet evicted for their storage within the time range. The last ones are listed below.',
      unit: units.count,
      decimals: 0,
      span: 8,
      query: {
        expr: `sum by (cluster) (${withinRange(nodeEvictions(itself))}) or 0 * ${largest('node_data_available', ['node'], itself)}`,
      },
      thresholds: thresholds([[1, 'warning']], 'unknown'),
    }),
  ],
};
