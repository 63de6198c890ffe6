import { DashboardLinkBuilder, DashboardLinkType } from '@grafana/grafana-foundation-sdk/dashboard';

import { type DashboardName, titles, uids } from './uids.js';

/** Links to the other dashboards, with time range and variables. */
export function dashboardLinks(self: DashboardName): DashboardLinkBuilder[] {
  const others = (Object.keys(uids) as DashboardName[]).filter((name) => name !== self);
  return others.map((name) =>
    new DashboardLinkBuilder(titles[name].replace(/^.* \/ /, ''))
      .type(DashboardLinkType.Link)
      .icon('dashboard')
      .url(`/d/${uids[name]}`)
      .includeVars(true)
      .keepTime(true),
  );
}

/** The labels of the target are columns of a table, else labels of the series. */
type Source = 'row' | 'line';

/** The variables of a dashboard, and the labels with their values. */
const targets = {
  workload: { namespace: 'namespace', workload: 'workload', workload_type: 'workload_type' },
  /** The workload of a pod, where `namespace` is that of the pod. */
  podWorkload: { namespace: 'workload_namespace', workload: 'workload', workload_type: 'workload_type' },
  node: { node: 'node' },
  pod: { namespace: 'namespace', pod: 'pod' },
} as const;

/** A link from a row or a line to the dashboard of its workload, node or pod. */
export function drillDown(target: keyof typeof targets, source: Source): DashboardLinkBuilder {
  const name = target === 'podWorkload' ? 'workload' : target;
  const prefix = source === 'row' ? '__data.fields' : '__field.labels';
  const variables = Object.entries(targets[target]).map(
    ([variable, label]) => `var-${variable}=\${${prefix}.${label}:percentencode}`,
  );
  const kept = ['${datasource:queryparam}', '${cluster:queryparam}', '${__url_time_range}'];
  return new DashboardLinkBuilder(`Open the ${name}`).url(`/d/${uids[name]}?${[...variables, ...kept].join('&')}`);
}
