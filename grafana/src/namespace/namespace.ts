/** One namespace: its workloads and pods, the limits closest to eviction, and evictions. */
import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';

import { buildDashboard } from '../dashboard.js';
import { namespaceVariable, nearVariable } from '../variables.js';
import { evictions } from './evictions.js';
import { summary } from './now.js';
import { itself } from './queries.js';
import { whoUses } from './who-uses.js';

export function namespaceDashboard(): Dashboard {
  return buildDashboard({
    name: 'namespace',
    description: 'One namespace: usage of its workloads and pods, limits nearly reached, and evictions.',
    variables: [namespaceVariable(), nearVariable()],
    from: 'now-3h',
    sections: [summary, whoUses, evictions],
    evictions: itself.matchers,
  });
}
