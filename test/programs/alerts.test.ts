import { describe, expect, it } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import type { PodSpec } from '../../sim/model/specs.js';
import { staticCredentials } from '../../src/cluster/credentials/credentials.js';
import type { App } from '../../src/serve/app/app.js';
import { leastRules, settingsOf } from '../support/exporter.js';
import { containerSpec } from '../support/pod-specs.js';
import { type ActiveAlert, eventually, isInstalled, PrometheusServer, type ScrapeTarget } from '../support/programs.js';
import { describeInEachPrometheus } from '../support/prometheus-versions.js';
import { documentedQueries, readRules, type RuleFile } from '../support/rules.js';
import { startApp } from '../support/started-app.js';
import { mib } from '../support/units.js';

const usedBytesRecord = 'workload:ephemeral_storage_workload_used_bytes:sum';

/** Short times, so that a node is absent seconds after its kubelet is down. */
const shortTimes = 'cache: {ttl: 2s}\nkubelet: {requestTimeout: 1500ms}';
const settings = `
${shortTimes}
workloads: {selectors: [{name: carts, selector: app=cart}], controllers: true}
`;

const pod = (name: string, nodeName: string, bytesPerSecond = 0): PodSpec => ({
  namespace: 'shop',
  name,
  nodeName,
  labels: { app: 'cart', 'pod-template-hash': '5d4f8' },
  owner: { kind: 'ReplicaSet', name: 'cart-5d4f8' },
  containers: [containerSpec(0, mib, { rootfs: { initialBytes: 10 * mib, bytesPerSecond }, limitBytes: 64 * mib })],
});

const shop: Scenario = {
  ...emptyScenario('node-1', 'node-2', 'node-3'),
  kubeletsEvict: false,
  populate: ({ model }) => {
    model.addPod(pod('cart-5d4f8-a', 'node-1'));
    model.addPod(pod('cart-5d4f8-b', 'node-2'));
  },
};

/**
 * The shipped rules without their waiting: no `for`, no `keep_firing_for`, and every group at the server's interval.
 * Expressions, labels and annotations are as shipped.
 */
function withoutWaiting({ groups }: RuleFile): object {
  return {
    groups: groups.map(({ name, rules }) => ({
      name,
      rules: rules.map((rule) =>
        Object.fromEntries(Object.entries(rule).filter(([key]) => key !== 'for' && key !== 'keep_firing_for')),
      ),
    })),
  };
}

async function startExporter(cluster: SimulatedCluster, changed = settings): Promise<App> {
  const token = cluster.issueToken({ user: 'exporter', rules: leastRules });
  const credentials = staticCredentials({ server: new URL(cluster.apiUrl), ca: cluster.caPem, token });
  return startApp({ config: settingsOf(changed), credentials });
}

/** With the target labels of the Prometheus Operator. */
const targetOf = (app: App, name: string): ScrapeTarget => ({
  target: `127.0.0.1:${app.ports[0] ?? 0}`,
  labels: { namespace: 'monitoring', pod: name, container: 'exporter', service: 'exporter', endpoint: 'metrics' },
});

const nameOf = ({ labels }: ActiveAlert): string => labels['alertname'] ?? '';

/** Polls until exactly these alerts fire, in any order. */
async function firing(prometheus: PrometheusServer, ...names: readonly string[]): Promise<readonly ActiveAlert[]> {
  return eventually(`only ${names.join(', ') || 'no alert'} to fire`, async () => {
    const alerts = await prometheus.alerts();
    return alerts.map(nameOf).sort().join() === [...names].sort().join() ? alerts : undefined;
  });
}

describeInEachPrometheus('the shipped rules', (programs) => {
  it('alerts fire for a node and a pod while they have a problem, once for two exporters, for nothing else', async () => {
    await using cluster = await SimulatedCluster.start({ scenario: shop });
    await using one = await startExporter(cluster);
    await using other = await startExporter(cluster);
    await using prometheus = await PrometheusServer.start({
      ...programs,
      targets: [targetOf(one, 'exporter-a'), targetOf(other, 'exporter-b')],
      rules: withoutWaiting(await readRules()),
    });

    const sums = await eventually('both exporters to count as one', async () => {
      const sums = await prometheus.query(usedBytesRecord);
      const scopes = await prometheus.query('count(instance:ephemeral_storage_exporter_scope_info:max)');
      const usedBytes = 2 * (11 * mib + 4096);
      const areComplete = sums.length === 2 && sums.every(({ value }) => value === usedBytes);
      return scopes[0]?.value === 2 && areComplete ? sums : undefined;
    });
    expect(new Set(sums.map(({ metric }) => metric))).toEqual(
      new Set([
        { __name__: usedBytesRecord, namespace: 'shop', workload: 'cart', workload_type: 'deployment' },
        { __name__: usedBytesRecord, workload: 'carts', workload_type: 'selector' },
      ]),
    );
    await firing(prometheus);

    await cluster.setFault('node-3', 'down');
    const [absent] = await firing(prometheus, 'EphemeralStorageNodeAbsent');
    expect(absent?.labels).toEqual({ alertname: 'EphemeralStorageNodeAbsent', node: 'node-3', severity: 'warning' });
    expect(absent?.annotations['description']).toMatch(/^No data from node-3 \(\w+\)\. /);
    await cluster.setFault('node-3', undefined);
    await firing(prometheus);

    cluster.model.addPod(pod('cart-5d4f8-c', 'node-3', 30 * mib));
    const near = ['EphemeralStorageNearLimit', 'EphemeralStoragePodEvictionSoon'];
    const over = await firing(prometheus, ...near);
    const labels = { namespace: 'shop', pod: 'cart-5d4f8-c', node: 'node-3', severity: 'warning' };
    for (const alert of over) expect(alert.labels).toEqual({ alertname: nameOf(alert), ...labels });

    await cluster.setFault('node-3', 'down');
    await firing(prometheus, ...near, 'EphemeralStorageNodeAbsent');
    await eventually('the alert to tell that its values are the last ones', async () => {
      const alert = (await prometheus.alerts()).find((active) => nameOf(active) === 'EphemeralStoragePodEvictionSoon');
      return alert?.annotations['description']?.includes('last values. Next step: ') === true ? alert : undefined;
    });
    cluster.model.completePod('shop', 'cart-5d4f8-c');
    await firing(prometheus, 'EphemeralStorageNodeAbsent');
    await cluster.setFault('node-3', undefined);
    await firing(prometheus);

    const rules = await prometheus.rules();
    expect(rules.length).toBeGreaterThan(40);
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
    for (const query of await documentedQueries()) await prometheus.query(query);
  });

  it('an alert fires once for an eviction that two exporters see, with the next step for the evicted pod', async () => {
    await using cluster = await SimulatedCluster.start({ scenario: { ...shop, kubeletsEvict: true } });
    await using one = await startExporter(cluster);
    await using other = await startExporter(cluster);
    await using prometheus = await PrometheusServer.start({
      ...programs,
      targets: [targetOf(one, 'exporter-a'), targetOf(other, 'exporter-b')],
      rules: withoutWaiting(await readRules()),
    });
    await eventually('counters at 0', async () => {
      const counters = await prometheus.query(
        'count(ephemeral_storage_workload_evictions_total{workload="cart"} == 0)',
      );
      return (counters[0]?.value ?? 0) >= 2 ? counters : undefined;
    });

    cluster.model.addPod(pod('cart-5d4f8-c', 'node-3', 30 * mib));
    const alerts = await firing(prometheus, 'EphemeralStoragePodEvicted', 'EphemeralStoragePodEvicted');
    const labels = { alertname: 'EphemeralStoragePodEvicted', cause: 'pod_limit', severity: 'info' };
    expect(new Set(alerts.map((alert) => alert.labels))).toEqual(
      new Set([
        { ...labels, namespace: 'shop', workload: 'cart', workload_type: 'deployment' },
        { ...labels, workload: 'carts', workload_type: 'selector' },
      ]),
    );
    const ofCart = alerts.find((alert) => alert.labels['workload'] === 'cart');
    expect(ofCart?.annotations['description']).toMatch(
      /^1 pod of shop\/cart \(deployment\) was evicted [^]* on node node-3\. Next step: kubectl ephemeral-storage explain eviction -n shop cart-5d4f8-c$/,
    );
  });
});

// How Prometheus sets labels does not depend on its version.
describe.skipIf(!isInstalled('prometheus'))('the shipped rules (need prometheus)', () => {
  const targetReplaces = /Those of the target replace them: set honor_labels /;
  const enforced = { target_label: 'namespace', replacement: 'monitoring' };
  const namespaceIsEnforced = /The namespace monitoring is enforced on them: /;
  it.each([
    { way: 'honor_labels', scrape: { honor_labels: true } },
    { way: 'no honor_labels', scrape: { honor_labels: false }, wrong: targetReplaces },
    {
      way: 'no honor_labels, with the labels of the target dropped',
      scrape: {
        honor_labels: false,
        relabel_configs: [{ action: 'labeldrop', regex: 'namespace|pod|container|node|service|endpoint' }],
      },
    },
    {
      way: 'honor_labels and an enforced namespace',
      scrape: { honor_labels: true, metric_relabel_configs: [enforced] },
      wrong: namespaceIsEnforced,
    },
    {
      way: 'an enforced namespace, and workloads of selectors only',
      moreSettings: 'workloads: {selectors: [{name: all, selector: {matchLabels: {}}}]}',
      scrape: { honor_labels: true, metric_relabel_configs: [enforced] },
      wrong: namespaceIsEnforced,
    },
    {
      way: 'an enforced namespace, and the smallest profile',
      moreSettings: 'metrics: {profile: minimal}',
      scrape: { honor_labels: true, metric_relabel_configs: [enforced] },
      wrong: namespaceIsEnforced,
    },
    {
      way: 'a relabeling that drops the pods',
      scrape: { honor_labels: true, metric_relabel_configs: [{ action: 'labeldrop', regex: 'pod' }] },
      wrong: /A relabeling of metrics changes them: /,
    },
  ])('shipped rules are right, or say what overwrites labels: $way', async ({ scrape, moreSettings = '', wrong }) => {
    await using cluster = await SimulatedCluster.start({ scenario: shop });
    await using app = await startExporter(cluster, `${shortTimes}\n${moreSettings}`);
    await using prometheus = await PrometheusServer.start({
      targets: [targetOf(app, 'exporter-a')],
      rules: withoutWaiting(await readRules()),
      scrape,
    });
    cluster.model.addPod(pod('cart-5d4f8-c', 'node-3', 30 * mib));
    await cluster.setFault('node-2', 'down');
    if (wrong === undefined) {
      const names = ['EphemeralStorageNearLimit', 'EphemeralStorageNodeAbsent', 'EphemeralStoragePodEvictionSoon'];
      await firing(prometheus, ...names);
      return;
    }
    const [alert] = await firing(prometheus, 'EphemeralStorageLabelsOverwritten');
    expect(alert?.annotations['description']).toMatch(wrong);
  });
});
