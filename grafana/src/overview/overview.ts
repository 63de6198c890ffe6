/** Full nodes, the largest and fastest growing workloads and pods, pods near a limit, evictions, and data quality. */
import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';

import { buildDashboard } from '../dashboard.js';
import { nearVariable, nodeLabelVariable, poolVariable } from '../variables.js';
import { summary } from './at-a-glance.js';
import { causes } from './clusters.js';
import { evictions } from './evictions.js';
import { nodes } from './full-nodes.js';
import { nearLimits } from './near-limits.js';
import { trust } from './trust.js';
import { whoGrows } from './who-grows.js';
import { whoUses } from './who-uses.js';

export function overview(): Dashboard {
  return buildDashboard({
    name: 'overview',
    description:
      'Full nodes, the largest and fastest growing workloads and pods, pods near a limit, evictions, and the quality of the data.',
    variables: [nodeLabelVariable(), poolVariable(), nearVariable()],
    clusters: true,
    from: 'now-3h',
    sections: [summary, causes, nodes, whoUses, whoGrows, nearLimits, evictions, trust],
    evictions: [],
  });
}
