import { expect, it } from 'vitest';

import { listSettings } from '../../src/config/settings.js';

const rows = listSettings();

it('listSettings has a row for each setting, and for the fields of a workload', () => {
  const paths = `
      cluster.nodeSelector cluster.namespaces cluster.podSelector cluster.skipNodes
      cluster.nodeLocal cluster.node cluster.shard cluster.totalShards kubelet.access kubelet.addressTypes
      kubelet.port kubelet.requestTimeout kubelet.maxConcurrentRequests kubelet.maxBodySize kubelet.readConfig
      kubelet.bearerTokenFile kubelet.tls.caFile kubelet.tls.certFile kubelet.tls.keyFile kubelet.tls.serverName
      kubelet.tls.insecureSkipVerify cache.ttl cache.nearTtl cache.maxBackoff workloads.selectors
      workloads.selectors[].name workloads.selectors[].selector workloads.selectors[].namespaces workloads.labels
      workloads.controllers attribution evictions.retention evictions.file
      metrics.profile metrics.nodeLabels metrics.levels
      metrics.allow metrics.deny metrics.maxSeries
      metrics.compatibility scrape.timeoutOffset scrape.defaultTimeout
      scrape.maxInFlight web.listenAddresses web.telemetryPath web.configFile web.authorization
      web.status web.enableLifecycle web.clusterName web.links agent.enabled agent.sampleInterval log.level log.format
    `;
  expect(rows.map((row) => row.path)).toEqual(paths.trim().split(/\s+/));
});

it('each setting has a help text, a default and the allowed values', () => {
  for (const row of rows) {
    expect(row.help).toMatch(/^[A-Z].*[.…]$/);
    expect(row.allowed).not.toBe('');
    expect(row.defaultText).not.toBe('');
  }
});

it.each([
  ['cluster.node', { environmentName: 'EPHEMERAL_STORAGE_EXPORTER_CLUSTER_NODE', flag: '--node', defaultText: '""' }],
  [
    'cluster.shard',
    {
      environmentName: 'EPHEMERAL_STORAGE_EXPORTER_CLUSTER_SHARD',
      flag: '--shard',
      allowed: 'a whole number from 0 to 999',
      defaultText: 'the number at the end of the host name, as in a StatefulSet',
    },
  ],
  ['cluster.totalShards', { flag: '--total-shards', defaultText: '1' }],
  ['cache.ttl', { environmentName: 'EPHEMERAL_STORAGE_EXPORTER_CACHE_TTL', defaultText: '55s' }],
  ['kubelet.tls.caFile', { environmentName: 'EPHEMERAL_STORAGE_EXPORTER_KUBELET_TLS_CA_FILE', defaultText: '""' }],
  ['workloads.selectors', { environmentName: 'EPHEMERAL_STORAGE_EXPORTER_WORKLOADS_SELECTORS', defaultText: '[]' }],
  ['workloads.selectors[].selector', { environmentName: undefined, defaultText: 'required' }],
  ['workloads.selectors[].namespaces', { environmentName: undefined, defaultText: '[]' }],
  ['workloads.controllers', { defaultText: 'true when neither selectors nor labels are set, else false' }],
  ['web.listenAddresses', { flag: '--web.listen-address', defaultText: '[ :9797 ]' }],
  ['log.level', { flag: '--log.level', allowed: 'debug, info, warn or error', defaultText: 'info' }],
])('the row of %s has its names, what is allowed and its default', (path, expected) => {
  expect(rows.find((row) => row.path === path)).toMatchObject(expected);
});
