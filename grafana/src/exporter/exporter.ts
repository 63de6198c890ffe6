/** The exporter itself: whether it can be relied on, and what it costs. */
import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';

import { buildDashboard } from '../dashboard.js';
import { instanceVariable, jobVariable, linesVariable } from '../variables.js';
import { nodes } from './nodes.js';
import { state } from './now.js';
import { running } from './process.js';
import { scrapes } from './scrapes.js';
import { stores } from './stores.js';

export function exporterDashboard(): Dashboard {
  return buildDashboard({
    name: 'exporter',
    description:
      'The exporter itself: whether its data is fresh and whole, how kubelets and the API server answer it, and what it costs.',
    variables: [jobVariable(), instanceVariable(), linesVariable()],
    from: 'now-3h',
    sections: [state, nodes, scrapes, stores, running],
  });
}
