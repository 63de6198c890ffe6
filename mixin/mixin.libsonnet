// Imports, and which of the optional alerts are on: the rules and dashboards are plain YAML and JSON. See README.md.
local default = std.parseYaml(importstr '../charts/ephemeral-storage-exporter/rules/ephemeral-storage.yaml').groups;
local optional = std.parseYaml(importstr '../charts/ephemeral-storage-exporter/rules/optional-alerts.yaml').groups;
local nameOf(rule) = std.get(rule, 'alert');
local optionalNames = [nameOf(rule) for group in optional for rule in group.rules];
{
  _config+:: { ephemeralStorage+: { optionalAlerts: [] } },
  // With the recording rules: groups have both, in the order in which they are evaluated.
  prometheusAlerts+:: {
    local names = $._config.ephemeralStorage.optionalAlerts,
    local unknown = [name for name in names if !std.member(optionalNames, name)],
    assert unknown == [] : 'these are no optional alerts: ' + unknown,
    groups+: default + [
      group { rules: [rule for rule in group.rules if nameOf(rule) == null || std.member(names, nameOf(rule))] }
      for group in optional
      if names != []
    ],
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
