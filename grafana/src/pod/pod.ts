/** One pod: the components of its usage, and its limits. */
import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';

import { buildDashboard } from '../dashboard.js';
import { namespaceVariable, podNodeVariable, podVariable, podWorkloadVariables } from '../variables.js';
import { about } from './about.js';
import { limits } from './limits.js';
import { makeUp } from './make-up.js';
import { summary } from './now.js';

export function podDashboard(): Dashboard {
  return buildDashboard({
    name: 'pod',
    description:
      'One pod: the components of its ephemeral storage, its containers and volumes, and how close it is to eviction.',
    variables: [namespaceVariable(), podVariable(), podNodeVariable(), ...podWorkloadVariables()],
    from: 'now-3h',
    sections: [summary, makeUp, limits, about],
  });
}
