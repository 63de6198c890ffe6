import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { startDemo } from '../support/demo.js';
import { type Json, listAt, manifestsFolder, readObjects } from '../support/manifests/documents.js';
import { eventually, isInstalled, PrometheusServer, temporaryFolder } from '../support/programs.js';

/** What the Prometheus operator makes of a monitor's relabelings. */
function relabelConfigs(endpoint: Json): readonly object[] {
  return listAt(endpoint, 'relabelings').map(({ sourceLabels, targetLabel, ...same }) => ({
    ...same,
    ...(sourceLabels === undefined ? {} : { source_labels: sourceLabels, target_label: targetLabel }),
  }));
}

/** The labels that the Prometheus operator gives a target, those of the exporter. */
const targetLabels = {
  namespace: 'ephemeral-storage-exporter',
  pod: 'exporter-0',
  container: 'exporter',
  service: 'exporter',
  endpoint: 'metrics',
  node: 'node-of-the-exporter',
  __meta_kubernetes_pod_name: 'exporter-0',
};

describe.skipIf(!isInstalled('prometheus'))('Prometheus (needs prometheus)', () => {
  it.each([
    { file: 'components/pod-monitor/pod-monitor.yaml', key: 'podMetricsEndpoints', kept: ['service'] },
    { file: 'components/service-monitor/service-monitor.yaml', key: 'endpoints', kept: [] },
  ])('gives no series a label of the exporter itself with $file', async ({ file, key, kept }) => {
    const [endpoint = {}] = readObjects(file).flatMap((object) => listAt(object, 'spec', key));
    const labels = Object.fromEntries(Object.entries(targetLabels).filter(([name]) => !kept.includes(name)));
    await using demo = await startDemo();
    await using prometheus = await PrometheusServer.start(demo.target, {
      honor_labels: endpoint['honorLabels'],
      static_configs: [{ targets: [demo.target], labels }],
      relabel_configs: relabelConfigs(endpoint),
    });
    const labelsOf = (expression: string): Promise<Json> =>
      eventually(expression, async () => (await prometheus.query(expression))[0]?.metric);
    const own = { instance: 'exporter-0', job: 'exporter' };
    expect(await labelsOf('up')).toEqual({ __name__: 'up', ...own });
    expect(await labelsOf('ephemeral_storage_node_up{node="node-1"}')).toEqual({
      __name__: 'ephemeral_storage_node_up',
      node: 'node-1',
      ...own,
    });
    expect(Object.keys(await labelsOf('ephemeral_storage_workload_used_bytes')).sort()).toEqual(
      ['__name__', 'instance', 'job', 'workload'].sort(),
    );
    const containers = await prometheus.query('ephemeral_storage_container_used_bytes');
    expect(containers.length).toBeGreaterThan(5);
    expect(containers.filter(({ metric }) => metric['namespace'] === targetLabels.namespace)).toEqual([]);
    expect(await prometheus.query('{__name__=~"ephemeral_storage_.*", exported_pod!=""}')).toEqual([]);
  });
});

describe.skipIf(!isInstalled('promtool'))('promtool (needs promtool)', () => {
  it('accepts the scrape configuration of the README of the manifests', async () => {
    const readme = readFileSync(path.join(manifestsFolder, 'README.md'), 'utf8');
    const [, config = ''] = /```yaml\n(scrape_configs:\n[^]*?)```/.exec(readme) ?? [];
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'prometheus.yml');
    await writeFile(file, config);
    const { status, stdout } = spawnSync('promtool', ['check', 'config', file], { encoding: 'utf8' });
    expect(stdout).toContain('SUCCESS');
    expect(status).toBe(0);
  });
});
