import type { Section } from '../dashboard.js';
import { evictionsOverTime, lastEvictions } from '../evictions.js';
import { drillDown } from '../links.js';
import { workloadEvictions } from '../queries.js';
import { evictedOfItsPods, itself } from './queries.js';

export const evictions: Section = {
  title: 'Evictions',
  panels: [
    evictionsOverTime({
      title: 'Evictions by cause',
      description:
        'Its pods that kubelets evicted for their storage. Causes with "limit": a pod exceeded one of its limits, see the table of limits. node_bytes, node_inodes: a node was low. node_admission: a pod was refused by such a node, and never ran.',
      span: 24,
      expr: workloadEvictions(itself, '$__interval'),
    }),
    lastEvictions({
      title: 'Last evictions',
      description:
        'The last 20 evictions of its pods within the last hour, with the last measured usage and the limit that was exceeded. Pods that have never been scraped are found by their names. explain eviction on the command line shows more of each.',
      span: 24,
      details: ['node', 'namespace', 'container', 'volume'],
      link: drillDown('pod', 'row'),
      restrict: evictedOfItsPods,
    }),
  ],
};
