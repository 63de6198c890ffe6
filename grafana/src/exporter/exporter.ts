/** The exporter: its state and its cost. */
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
      'The exporter: freshness and completeness of its data, requests to kubelets and the API server, and resource usage.',
    variables: [jobVariable(), instanceVariable(), linesVariable()],
    clusters: true,
    from: 'now-1h',
    sections: [state, nodes, scrapes, stores, running],
  });
}
