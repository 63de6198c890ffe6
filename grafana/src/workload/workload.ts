/** One workload: its sum, its pods, its containers, and what it should request. */
import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';

import { buildDashboard } from '../dashboard.js';
import { headroomVariable, workloadNamespacesVariable, workloadVariable } from '../variables.js';
import { containers } from './containers.js';
import { summary } from './now.js';
import { overTime } from './over-time.js';
import { itsPods } from './pods.js';

export function workloadDashboard(): Dashboard {
  return buildDashboard({
    name: 'workload',
    description:
      'One workload: how much its pods use together and each, whether the sum is whole, what grows, which limit comes first, and what to request.',
    variables: [workloadVariable(), headroomVariable(), workloadNamespacesVariable()],
    from: 'now-24h',
    sections: [summary, overTime, itsPods, containers],
  });
}
