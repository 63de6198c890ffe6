import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';

import { exporterDashboard } from './exporter/exporter.js';
import { namespaceDashboard } from './namespace/namespace.js';
import { nodeDashboard } from './node/node.js';
import { overview } from './overview/overview.js';
import { podDashboard } from './pod/pod.js';
import { workloadDashboard } from './workload/workload.js';

export function allDashboards(): readonly Dashboard[] {
  return [overview(), namespaceDashboard(), workloadDashboard(), nodeDashboard(), podDashboard(), exporterDashboard()];
}

export interface DashboardFile {
  /** Relative to the folder of the dashboards. */
  readonly name: string;
  readonly text: string;
}

/** The committed files, which Grafana loads. */
export function dashboardFiles(): readonly DashboardFile[] {
  return allDashboards().map((dashboard) => ({
    name: `${dashboard.uid ?? ''}.json`,
    text: `${JSON.stringify(dashboard, undefined, 2)}\n`,
  }));
}
