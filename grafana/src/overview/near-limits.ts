import type { Section } from '../dashboard.js';
import { limitsTable } from '../limits.js';
import { drillDown } from '../links.js';
import { evictable, inPool } from '../queries.js';

export const nearLimits: Section = {
  title: 'Pods near a limit',
  panels: [
    limitsTable({
      title: 'Limits nearly reached',
      description:
        'The 50 limits closest to eviction, from the share selected at the top: of a pod, of a container (only its logs on nodes with a separate filesystem for images) and of an emptyDir. The kubelet evicts pods above 100 %; static and critical pods, which it never evicts, are left out. Raise the limit, or find out what grows.',
      span: 24,
      height: 10,
      clusters: true,
      labels: ['namespace', 'pod', 'limit'],
      details: ['node'],
      link: drillDown('pod', 'row', []),
      restrict: (ratios) => inPool(evictable(ratios)),
      near: '$near',
      count: 50,
    }),
  ],
};
