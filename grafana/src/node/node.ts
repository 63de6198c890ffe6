/** One node: its filesystems, its eviction headroom, evictions, and its largest pods. */
import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';

import { buildDashboard } from '../dashboard.js';
import { nodeVariable } from '../variables.js';
import { evictions } from './evictions.js';
import { filesystems } from './filesystems.js';
import { summary } from './now.js';
import { itself } from './queries.js';
import { whoFillsIt } from './who-fills-it.js';

export function nodeDashboard(): Dashboard {
  return buildDashboard({
    name: 'node',
    description: 'One node: usage of its filesystems, eviction headroom, evictions, and its largest pods.',
    variables: [nodeVariable()],
    from: 'now-3h',
    sections: [summary, whoFillsIt, evictions, filesystems],
    evictions: itself.matchers,
  });
}
