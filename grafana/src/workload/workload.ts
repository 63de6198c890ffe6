/** One workload: its totals, pods and containers, and recommended requests. */
import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';

import { buildDashboard } from '../dashboard.js';
import {
  headroomVariable,
  namespaceVariable,
  podNamespacesVariable,
  workloadTypeVariable,
  workloadVariable,
} from '../variables.js';
import { containers } from './containers.js';
import { summary } from './now.js';
import { overTime } from './over-time.js';
import { itsPods } from './pods.js';

export function workloadDashboard(): Dashboard {
  return buildDashboard({
    name: 'workload',
    description:
      'One workload: usage in total and by pod, completeness of the data, growth, the closest limit, and recommended requests.',
    variables: [
      namespaceVariable(),
      workloadVariable(),
      workloadTypeVariable(),
      headroomVariable(),
      podNamespacesVariable(),
    ],
    from: 'now-24h',
    sections: [summary, overTime, itsPods, containers],
  });
}
