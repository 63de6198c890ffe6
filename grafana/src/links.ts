import { DashboardLinkBuilder, DashboardLinkType } from '@grafana/grafana-foundation-sdk/dashboard';

import { type DashboardName, titles, uids } from './uids.js';

/** Dashboards of all clusters. The others show one: two clusters may have a node or a pod of one name. */
const ofAllClusters: readonly DashboardName[] = ['overview', 'exporter'];

/** Dashboards of a namespace or of something in it. */
const ofNamespaces: readonly DashboardName[] = ['namespace', 'workload', 'pod'];

/** Links to the other dashboards, with the time range, and the choices that are also valid there. */
export function dashboardLinks(self: DashboardName): DashboardLinkBuilder[] {
  const others = (Object.keys(uids) as DashboardName[]).filter((name) => name !== self);
  return others.map((name) =>
    new DashboardLinkBuilder(titles[name].replace(/^.* \/ /, ''))
      .type(DashboardLinkType.Link)
      .icon('dashboard')
      .url(`/d/${uids[name]}?${['${datasource:queryparam}', ...keptChoices(self, name)].join('&')}`)
      .includeVars(false)
      .keepTime(true),
  );
}

/** "All" clusters would stay all of them on a dashboard of one. */
function keptChoices(from: DashboardName, to: DashboardName): readonly string[] {
  const both = (names: readonly DashboardName[]): boolean => names.includes(from) && names.includes(to);
  const cluster = both(ofAllClusters) || !ofAllClusters.includes(from) ? ['${cluster:queryparam}'] : [];
  if (from === 'pod' && to === 'node') return [...cluster, 'var-node=${pod_node:percentencode}'];
  if (from === 'pod' && to === 'workload') return [...cluster, ...workloadOfPod];
  return both(ofNamespaces) ? [...cluster, '${namespace:queryparam}'] : cluster;
}

/** By the hidden variables of the dashboard of a pod. */
const workloadOfPod = [
  'var-namespace=${pod_workload_namespace:percentencode}',
  'var-workload=${pod_workload:percentencode}',
  'var-workload_type=${pod_workload_type:percentencode}',
];

/** The labels of the target are columns of a table, else labels of the series. */
type Source = 'row' | 'line';

/** The variables of a dashboard, and the labels with their values. */
const targets = {
  namespace: { namespace: 'namespace' },
  workload: { namespace: 'namespace', workload: 'workload', workload_type: 'workload_type' },
  /** The workload of a pod, where `namespace` is that of the pod. */
  podWorkload: { namespace: 'workload_namespace', workload: 'workload', workload_type: 'workload_type' },
  node: { node: 'node' },
  pod: { namespace: 'namespace', pod: 'pod' },
} as const;

/**
 * A link from a row or a line to the dashboard of its namespace, workload, node or pod. `given`: variables of this
 * dashboard with the values of the target; a table then needs no such columns.
 */
export function drillDown(
  target: keyof typeof targets,
  source: Source,
  given: readonly string[] = ['cluster'],
): DashboardLinkBuilder {
  const name = target === 'podWorkload' ? 'workload' : target;
  const prefix = source === 'row' ? '__data.fields' : '__field.labels';
  const variables = Object.entries({ cluster: 'cluster', ...targets[target] }).map(([variable, label]) => {
    const value = given.includes(variable) ? variable : `${prefix}.${label}`;
    return `var-${variable}=\${${value}:percentencode}`;
  });
  const kept = ['${datasource:queryparam}', '${__url_time_range}'];
  return new DashboardLinkBuilder(`Open the ${name}`).url(`/d/${uids[name]}?${[...variables, ...kept].join('&')}`);
}
