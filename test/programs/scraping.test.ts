import { readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, it } from 'vitest';

import { startDemo } from '../support/demo.js';
import { documentsOf, type Json, listAt, manifestsFolder, readObjects } from '../support/manifests/documents.js';
import { eventually, PrometheusServer, type ScrapeTarget } from '../support/programs.js';
import { describeInEachPrometheus } from '../support/prometheus-versions.js';

/** A monitor's relabelings in the form of Prometheus, as the operator converts them. */
function relabelConfigs(endpoint: Json): readonly object[] {
  return listAt(endpoint, 'relabelings').map(({ sourceLabels, targetLabel, ...same }) => ({
    ...same,
    ...(sourceLabels === undefined ? {} : { source_labels: sourceLabels, target_label: targetLabel }),
  }));
}

/** The target labels of the Prometheus Operator, for the exporter. */
const targetLabels = {
  namespace: 'ephemeral-storage-exporter',
  pod: 'exporter-0',
  container: 'exporter',
  service: 'exporter',
  endpoint: 'metrics',
  node: 'node-of-the-exporter',
  __meta_kubernetes_pod_name: 'exporter-0',
};

function readmeScrapeConfigs(): readonly Json[] {
  const readme = readFileSync(path.join(manifestsFolder, 'README.md'), 'utf8');
  const [, text = ''] = /```yaml\n(scrape_configs:\n[^]*?)```/.exec(readme) ?? [];
  return listAt(documentsOf(text, 'README.md')[0], 'scrape_configs');
}

describeInEachPrometheus('Prometheus', (programs) => {
  it('Prometheus adds no label of the exporter to other series with the ServiceMonitor', async () => {
    const [monitor] = readObjects('components/service-monitor/service-monitor.yaml');
    const [endpoint = {}] = listAt(monitor, 'spec', 'endpoints');
    await using demo = await startDemo();
    await using prometheus = await PrometheusServer.start({
      ...programs,
      targets: [{ target: demo.target, labels: targetLabels }],
      scrape: { honor_labels: endpoint['honorLabels'], relabel_configs: relabelConfigs(endpoint) },
    });
    const labelsOf = (expression: string): Promise<Json> =>
      eventually(expression, async () => (await prometheus.query(expression))[0]?.metric);
    const own = { instance: 'exporter-0', job: 'exporter' };
    expect(await labelsOf('up')).toEqual({ __name__: 'up', ...own });
    expect(await labelsOf('ephemeral_storage_node_data_available{node="node-1"}')).toEqual({
      __name__: 'ephemeral_storage_node_data_available',
      node: 'node-1',
      ...own,
    });
    expect(Object.keys(await labelsOf('ephemeral_storage_workload_used_bytes')).sort()).toEqual(
      ['__name__', 'instance', 'job', 'namespace', 'workload', 'workload_type'].sort(),
    );
    // The exporter's own pod is one of the measured ones.
    const ofExporter = `ephemeral_storage_container_used_bytes{namespace="${targetLabels.namespace}"}`;
    expect(await labelsOf(ofExporter)).toMatchObject({ node: 'node-2' });
    expect((await prometheus.query('ephemeral_storage_container_used_bytes')).length).toBeGreaterThan(5);
    expect(await prometheus.query('{__name__=~"ephemeral_storage_.*", exported_pod!=""}')).toEqual([]);
  });

  it("Prometheus finds only the exporters' metrics ports with the scrape configuration of the README", async () => {
    const [{ kubernetes_sd_configs: discovery, ...scrape } = {}] = readmeScrapeConfigs();
    expect(discovery).toEqual([{ role: 'pod', namespaces: { names: ['ephemeral-storage-exporter'] } }]);
    await using demo = await startDemo();
    const target = (pod: string, name: string, port: string): ScrapeTarget => ({
      target: demo.target,
      labels: {
        __meta_kubernetes_pod_label_app_kubernetes_io_name: name,
        __meta_kubernetes_pod_container_port_name: port,
        __meta_kubernetes_pod_name: pod,
      },
    });
    await using prometheus = await PrometheusServer.start({
      ...programs,
      targets: [
        target('exporter-0', 'ephemeral-storage-exporter', 'metrics'),
        target('other-0', 'other', 'metrics'),
        target('exporter-1', 'ephemeral-storage-exporter', 'health'),
      ],
      scrape: { ...scrape, scrape_interval: '1s', scrape_timeout: '1s' },
    });
    const nodes = await eventually('the nodes', async () => {
      const found = await prometheus.query('ephemeral_storage_node_data_available{node="node-1"}');
      return found.length > 0 ? found : undefined;
    });
    const job = 'ephemeral-storage-exporter';
    expect(nodes.map(({ metric }) => metric)).toEqual([
      { __name__: 'ephemeral_storage_node_data_available', node: 'node-1', instance: 'exporter-0', job },
    ]);
    expect((await prometheus.query('up')).map(({ metric }) => metric)).toEqual([
      { __name__: 'up', instance: 'exporter-0', job },
    ]);
  });
});
