/** Which nodes are full, who uses ephemeral storage, who grows, who is near a limit, and whether to trust that. */
import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';

import { buildDashboard } from '../dashboard.js';
import { nearVariable } from '../variables.js';
import { summary } from './at-a-glance.js';
import { nodes } from './full-nodes.js';
import { nearLimits } from './near-limits.js';
import { trust } from './trust.js';
import { whoGrows } from './who-grows.js';
import { whoUses } from './who-uses.js';

export function overview(): Dashboard {
  return buildDashboard({
    name: 'overview',
    description:
      'Which nodes are full, who uses their ephemeral storage, who grows, who is near a limit, and whether the figures can be trusted.',
    variables: [nearVariable()],
    from: 'now-6h',
    sections: [summary, nodes, whoUses, whoGrows, nearLimits, trust],
  });
}
