import type { Section } from '../dashboard.js';
import { evictionsOverTime, lastEvictions } from '../evictions.js';
import { drillDown } from '../links.js';
import { nodeEvictions, podLabels, smallest } from '../queries.js';
import { tablePanel } from '../tables.js';
import { units } from '../units.js';
import { itself } from './queries.js';

const rankLabels = ['signal', ...podLabels];

export const evictions: Section = {
  title: 'Evictions',
  panels: [
    evictionsOverTime({
      title: 'Evictions by cause',
      description:
        'Pods of this node that the kubelet evicted for their storage. Causes with "limit": the pod exceeded one of its limits. node_bytes, node_inodes: the node was low. node_admission: a pod was refused while it was, and never ran.',
      span: 24,
      height: 6,
      expr: nodeEvictions(itself, '$__interval'),
    }),
    lastEvictions({
      title: 'Last evictions',
      description:
        'The last 20 evictions on this node within the last hour, with the last measured usage and the limit that was exceeded. top evictions on the command line has older ones too, explain eviction shows more of each.',
      span: 24,
      height: 6,
      matchers: itself.matchers,
      hidden: ['node'],
      details: ['container', 'volume'],
      link: drillDown('pod', 'row'),
    }),
    tablePanel({
      title: 'Next to be evicted if the node runs low',
      description:
        'The order in which the kubelet would evict, by eviction signal: pods above their requests first, lower priorities first. Known for the first pods of nodes that are near a threshold; explain node NODE on the command line lists all. Not known where the exporter reads only some namespaces or pods.',
      span: 24,
      height: 6,
      noValue: 'the node is not near a threshold, or not all of its data and pods are read',
      labels: ['signal', 'namespace', 'pod'],
      hidden: ['node'],
      link: drillDown('pod', 'row'),
      ascending: true,
      columns: [
        { title: 'Rank', expr: smallest('pod_eviction_rank', rankLabels, itself), unit: units.none, decimals: 0 },
      ],
    }),
  ],
};
