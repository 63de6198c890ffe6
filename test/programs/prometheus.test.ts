import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';

import { expect, it } from 'vitest';

import { startDemo } from '../support/demo.js';
import { parseExposition } from '../support/exposition-parser.js';
import { eventually, PrometheusServer } from '../support/programs.js';
import { describeInEachPrometheus } from '../support/prometheus-versions.js';
import { queriesOf } from '../support/rules.js';

describeInEachPrometheus('a real Prometheus', ({ program, promtool }) => {
  it('Prometheus scrapes the demo, and its samples are those of the exposition', async () => {
    await using demo = await startDemo();
    await using prometheus = await PrometheusServer.start({ program, targets: [{ target: demo.target }] });
    await eventually('up to be 1', async () => ((await prometheus.query('up'))[0]?.value === 1 ? true : undefined));
    const families = parseExposition(await (await fetch(`http://${demo.target}/metrics`)).text(), 'text');
    const served = families.find(({ name }) => name === 'ephemeral_storage_workload_used_bytes')?.samples ?? [];
    expect(served.length).toBeGreaterThanOrEqual(6);
    const stored = await eventually('the workloads to be stored', async () => {
      const found = await prometheus.query('ephemeral_storage_workload_used_bytes > 0');
      return found.length >= served.length ? found : undefined;
    });
    const nameOf = (labels: Readonly<Record<string, string>>) =>
      ['namespace', 'workload', 'workload_type'].map((name) => labels[name]).join('/');
    expect(stored.map(({ metric }) => nameOf(metric))).toEqual(
      expect.arrayContaining(served.map(({ labels }) => nameOf(labels))),
    );
    const apart = await prometheus.query(
      'ephemeral_storage_pod_used_bytes - on (namespace, pod, node) sum by (namespace, pod, node) (ephemeral_storage_pod_component_used_bytes)',
    );
    expect(apart.length).toBeGreaterThan(0);
    expect(apart.map(({ value }) => value)).toEqual(apart.map(() => 0));
    const queries = queriesOf(await readFile('docs/queries.md', 'utf8'));
    const pods = queries.find((query) => query.includes('group_right ()')) ?? '';
    const members = await prometheus.query(pods);
    expect(members.length).toBeGreaterThan(0);
    await eventually('each pod of a workload to be measured', async () => {
      const [difference] = await prometheus.query(`count(${pods}) - count(ephemeral_storage_pod_workload_info)`);
      return difference?.value === 0 ? true : undefined;
    });
    const labelNames = ['namespace', 'pod', 'workload', 'workload_type'];
    expect(members.map(({ metric }) => Object.keys(metric).sort())).toEqual(members.map(() => labelNames));
    expect(await prometheus.query('scrape_samples_post_metric_relabeling - scrape_samples_scraped')).toMatchObject([
      { value: 0 },
    ]);
    expect((await prometheus.query('ephemeral_storage_pod_used_bytes'))[0]?.metric).not.toHaveProperty('exported_pod');
  });

  it('promtool accepts the exposition without a remark', async () => {
    await using demo = await startDemo();
    const exposition = await (await fetch(`http://${demo.target}/metrics`)).text();
    const { stdout, stderr } = spawnSync(promtool, ['check', 'metrics'], { input: exposition, encoding: 'utf8' });
    expect(stdout + stderr).toBe('');
  });
});
