import { DashboardLinkBuilder, DashboardLinkType } from '@grafana/grafana-foundation-sdk/dashboard';

import { type DashboardName, titles, uids } from './uids.js';

/** To the other dashboards, with time range and variables. */
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

/** Where a row or a line leads; what it is about is read from labels: columns of a table, else labels of the series. */
type Source = 'row' | 'line';

const targets = {
  workload: ['workload'],
  node: ['node'],
  pod: ['namespace', 'pod'],
} as const;

/** From a row or a line to the dashboard of the workload, node or pod that it is about. */
export function drillDown(name: keyof typeof targets, source: Source): DashboardLinkBuilder {
  const prefix = source === 'row' ? '__data.fields' : '__field.labels';
  const variables = targets[name].map((label) => `var-${label}=\${${prefix}.${label}:percentencode}`);
  const kept = ['${datasource:queryparam}', '${cluster:queryparam}', '${__url_time_range}'];
  return new DashboardLinkBuilder(`Open the ${name}`).url(`/d/${uids[name]}?${[...variables, ...kept].join('&')}`);
}
