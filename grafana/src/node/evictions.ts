import type { Section } from '../dashboard.js';
import { evictionsOverTime, lastEvictions } from '../evictions.js';
import { nodeEvictions } from '../queries.js';
import { itself } from './queries.js';

export const evictions: Section = {
  title: 'Evictions',
  panels: [
    evictionsOverTime({
      title: 'Evictions by cause',
      description:
        'Pods of this node that the kubelet evicted for their storage. Causes with "limit": the pod exceeded one of its limits. node_bytes, node_inodes: the node was low. node_admission: a pod was refused while it was, and never ran.',
      span: 8,
      expr: nodeEvictions(itself, '$__interval'),
    }),
    lastEvictions({
      title: 'Last evictions',
      description:
        'The last 20 evictions on this node that the exporter lists (evictions.retention), with the last measured usage and the limit that was exceeded. explain eviction on the command line shows more of each.',
      span: 16,
      matchers: itself.matchers,
    }),
  ],
};
