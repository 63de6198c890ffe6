import type { SettingFault } from './faults.js';

/**
 * Settings, or sections with all that was in them, that the version before had; what to do now ends the line of the error. A row
 * is kept for one version.
 */
export const removedSettings: readonly { readonly path: string; readonly instead: string }[] = [
  ...['workload', 'node', 'pod', 'container', 'volume'].map((level) => ({
    path: `metrics.levels.${level}`,
    instead: 'set metrics.levels to the list of the levels to serve',
  })),
  { path: 'metrics.top', instead: 'delete it: use metrics.profile, metrics.levels or metrics.deny for fewer series' },
  { path: 'cache.refresh', instead: 'delete it: nodes are refreshed ahead from 100 nodes on' },
  {
    path: 'enforcement',
    instead: "delete it: each node's kubelet version says whether sidecars are held to their own limits",
  },
  {
    path: 'cluster.ownNamespace',
    instead:
      'set cluster.namespaces: in a pod by EPHEMERAL_STORAGE_EXPORTER_CLUSTER_NAMESPACES from the field metadata.namespace',
  },
  { path: 'evictions.maxRecords', instead: 'delete it: the last 1,000 evictions are listed' },
  {
    path: 'kubelet.maxKeptConnections',
    instead: 'delete it: connections to at most 1,024 nodes are kept, as the limit of open files allows',
  },
  { path: 'scrape.maxDuration', instead: 'delete it: no scrape takes more than 1m' },
  {
    path: 'web.audiences',
    instead: 'delete it, and let clients send tokens for the API server, as the one that is mounted in every pod',
  },
  { path: 'workloads.onMissingNode', instead: 'delete it: incomplete sums have workload_complete 0' },
  {
    path: 'agent.hostRoot',
    instead:
      'delete it: the agent reads cgroups alone, in /host/sys/fs/cgroup where that is mounted, else in /sys/fs/cgroup',
  },
  {
    path: 'agent.directories',
    instead:
      'delete it: the agent no longer reads disks; explain pod --directories and explain node --directories measure them when they are run',
  },
];

/** Returns what to do about a setting that was removed; undefined for one that never was. */
export function removedFault(path: string, source: string): SettingFault | undefined {
  const removed = removedSettings.find((setting) => path === setting.path || path.startsWith(`${setting.path}.`));
  return removed && { path, problem: 'was removed', source, hint: removed.instead };
}
