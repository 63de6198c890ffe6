// Imports, nothing else: the rules and dashboards are plain YAML and JSON. See README.md.
{
  // With the recording rules: groups have both, in the order in which they are evaluated.
  prometheusAlerts+:: {
    groups+: std.parseYaml(importstr '../charts/ephemeral-storage-exporter/rules/ephemeral-storage.yaml').groups,
  },
  grafanaDashboards+:: {
    'ephemeral-storage-exporter.json': import '../charts/ephemeral-storage-exporter/dashboards/ephemeral-storage-exporter.json',
    'ephemeral-storage-namespace.json': import '../charts/ephemeral-storage-exporter/dashboards/ephemeral-storage-namespace.json',
    'ephemeral-storage-node.json': import '../charts/ephemeral-storage-exporter/dashboards/ephemeral-storage-node.json',
    'ephemeral-storage-overview.json': import '../charts/ephemeral-storage-exporter/dashboards/ephemeral-storage-overview.json',
    'ephemeral-storage-pod.json': import '../charts/ephemeral-storage-exporter/dashboards/ephemeral-storage-pod.json',
    'ephemeral-storage-workload.json': import '../charts/ephemeral-storage-exporter/dashboards/ephemeral-storage-workload.json',
  },
}
