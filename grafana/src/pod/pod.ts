/** One pod: what makes up its number, and which limits it is held against. */
import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';

import { buildDashboard } from '../dashboard.js';
import { namespaceVariable, podVariable } from '../variables.js';
import { about } from './about.js';
import { limits } from './limits.js';
import { makeUp } from './make-up.js';
import { summary } from './now.js';

export function podDashboard(): Dashboard {
  return buildDashboard({
    name: 'pod',
    description:
      'One pod: what makes up its ephemeral storage, which container and volume hold it, and how close it is to being evicted.',
    variables: [namespaceVariable(), podVariable()],
    from: 'now-6h',
    sections: [summary, makeUp, limits, about],
  });
}
