import type { Section } from '../dashboard.js';
import { evictionsOverTime, lastEvictions } from '../evictions.js';
import { drillDown } from '../links.js';
import { workloadEvictions } from '../queries.js';
import { itself } from './queries.js';

export const evictions: Section = {
  title: 'Evictions',
  panels: [
    evictionsOverTime({
      title: 'Evictions by cause',
      description:
        'Pods of the namespace that kubelets evicted for their storage. Causes with "limit": a pod exceeded one of its limits. node_bytes, node_inodes: a node was low. node_admission: a pod was refused by such a node, and never ran.',
      span: 24,
      expr: workloadEvictions(itself, '$__interval'),
    }),
    lastEvictions({
      title: 'Last evictions',
      description:
        'The last 20 evictions in the namespace within the last hour, with the last measured usage and the limit that was exceeded. Click to open the pod.',
      span: 24,
      matchers: itself.matchers,
      hidden: ['namespace'],
      details: ['node', 'container', 'volume'],
      link: drillDown('pod', 'row', ['cluster', 'namespace']),
    }),
  ],
};
