import { expect, it } from 'vitest';
import { parse } from 'yaml';

import { startDemo } from '../support/demo.js';
import { listAt } from '../support/manifests/documents.js';
import { readmeBlocks } from '../support/manifests/readme.js';
import { eventually, PrometheusServer, type ScrapeTarget } from '../support/programs.js';
import { describeInEachPrometheus } from '../support/prometheus-versions.js';

describeInEachPrometheus('Prometheus', (programs) => {
  it("Prometheus finds only the exporters' metrics ports with the scrape configuration of the README", async () => {
    const [text = ''] = readmeBlocks('Scraping without the Prometheus Operator', 'yaml');
    const [{ kubernetes_sd_configs: discovery, ...scrape } = {}] = listAt(parse(text), 'scrape_configs');
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
