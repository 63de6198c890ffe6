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
import { evictions } from './evictions.js';
import { summary } from './now.js';
import { overTime } from './over-time.js';
import { itsPods } from './pods.js';
import { ofItsNames } from './queries.js';

export function workloadDashboard(): Dashboard {
  return buildDashboard({
    name: 'workload',
    description:
      'One workload: usage in total and by pod, completeness of the data, growth, the closest limit, evictions, and recommended requests.',
    variables: [
      namespaceVariable(),
      workloadVariable(),
      workloadTypeVariable(),
      headroomVariable(),
      podNamespacesVariable(),
    ],
    from: 'now-6h',
    sections: [summary, overTime, itsPods, evictions, containers],
    evictions: ofItsNames.matchers,
  });
}
