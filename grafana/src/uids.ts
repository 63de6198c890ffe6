/** The addresses of the dashboards. They are stable, because users bookmark them. */
export const uids = {
  overview: 'ephemeral-storage-overview',
  namespace: 'ephemeral-storage-namespace',
  workload: 'ephemeral-storage-workload',
  node: 'ephemeral-storage-node',
  pod: 'ephemeral-storage-pod',
  exporter: 'ephemeral-storage-exporter',
} as const;

export type DashboardName = keyof typeof uids;

export const titles: Readonly<Record<DashboardName, string>> = {
  overview: 'Ephemeral storage / Overview',
  namespace: 'Ephemeral storage / Namespace',
  workload: 'Ephemeral storage / Workload',
  node: 'Ephemeral storage / Node',
  pod: 'Ephemeral storage / Pod',
  exporter: 'Ephemeral storage / Exporter',
};
