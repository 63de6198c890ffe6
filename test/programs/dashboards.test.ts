import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import type { dataquery } from '@grafana/grafana-foundation-sdk/prometheus';
import { beforeAll, expect, it } from 'vitest';

import { allDashboards } from '../../grafana/src/dashboards.js';
import { itself, ownersOf } from '../../grafana/src/node/queries.js';
import {
  acrossShards,
  fullness,
  largest,
  nodeEvictions,
  podGrowth,
  podsUsed,
  secondsToFirstLimit,
  secondsToLimit,
  withinRange,
  workloadEvictions,
  workloadLabels,
} from '../../grafana/src/queries.js';
import { uids } from '../../grafana/src/uids.js';
import { demoScenario } from '../../sim/model/demo-scenario.js';
import type { PodSpec } from '../../sim/model/specs.js';
import { dataLinksOf, panelsOf, queriesIn, queriesOf } from '../support/dashboards.js';
import { Exporter, leastRules } from '../support/exporter.js';
import { greenPanels, readingsOf, seriesFound, valuesFound } from '../support/grafana-queries.js';
import { openMetrics, scrapedLines } from '../support/history.js';
import { eventually, PrometheusServer } from '../support/programs.js';
import { describeInEachPrometheus } from '../support/prometheus-versions.js';

/** An hour for `[1h:5m]`, and some samples before. */
const minutes = 75;

/** Together they have data of each kind: requests and limits; an emptyDir with a limit; no data. */
const choices: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  [uids.overview]: { node_label: ['os', 'kubelet_version'] },
  [uids.namespace]: { namespace: ['media', 'search'] },
  [uids.workload]: { namespace: ['media', 'search'] },
  [uids.node]: { node: ['node-2', 'node-4'] },
  [uids.pod]: { namespace: ['search', 'shop'] },
  [uids.exporter]: { lines: ['cluster', 'job, instance'] },
};

/** Without requests between those of the cache, so that node-4 is requested while its volumes are not measured. */
const settings = 'kubelet: {readConfig: true}\ncache: {nearTtl: 0}';
const rules = [...leastRules, { verbs: ['get'], resources: ['nodes/configz'] }];

/** In front of the demo's cluster; its clock is `minutes` behind the real one. */
async function startExporter(): Promise<Exporter> {
  const nowMs = Date.now() - (minutes + 1) * 60_000;
  const exporter = await Exporter.start({ scenario: demoScenario, settings, rules, nowMs });
  return exporter.synced();
}

/** Panels without all of their data on the demo with default settings, and why: nothing is wrong there. */
const emptyOnDemo: Readonly<Record<string, string>> = {
  'Overview: Silent nodes': 'all nodes have data',
  'Overview: Partial workloads': 'all pods are measured',
  'Node: Reason for missing data': 'the nodes have data',
  'Exporter: Nodes by state': 'no node is without data',
};

/** An hour, whose first minutes are yesterday's too: a day is slow. */
async function pastOfDemo(): Promise<{ readonly history: string; readonly atSeconds: number }> {
  const nowMs = Date.now() - minutes * 60_000;
  await using exporter = await Exporter.start({ scenario: demoScenario, nowMs });
  await exporter.synced();
  const atSeconds = nowMs / 1_000 + minutes * 60;
  const lines: string[] = [];
  for (let minute = 1; minute <= minutes; minute++) {
    await exporter.clock.advance(60_000);
    const up = `up{job="exporter",instance="one"} 1 ${exporter.clock.nowMs() / 1_000}`;
    const scraped = [...(await scrapedLines(exporter, { job: 'exporter', instance: 'one' })), up];
    lines.push(...scraped);
    if (minute === 2) lines.push(...scraped.map((line) => line.replace(/\S+$/, String(atSeconds - 86_400))));
  }
  return { history: openMetrics(lines), atSeconds };
}

/** Nearly fills node-4. */
const filler: PodSpec = {
  namespace: 'ops',
  name: 'filler',
  nodeName: 'node-4',
  containers: [{ name: 'app', rootfs: { initialBytes: 0 }, logs: { initialBytes: 40 * 2 ** 30 } }],
};

/** Volumes that are not measured; later a node without data, and one that is near a threshold, to the end. */
async function changeNodes({ cluster }: Exporter, minute: number): Promise<void> {
  if (minute === 40) await cluster.setFault('node-4', 'restarted');
  if (minute === 50) await cluster.setFault('node-4', undefined);
  if (minute === 60) await cluster.setFault('node-2', 'down');
  if (minute === 70) cluster.model.addPod(filler);
}

/** The manual clock catches up with the real one, by which Prometheus scrapes. */
async function catchUp({ clock }: Exporter): Promise<void> {
  await clock.advance(Math.max(0, Date.now() - clock.nowMs()));
}

/**
 * The labels have all values of the panel's links; only workloads of selectors and label keys have no namespace, and a
 * server for one cluster has no label of it.
 */
function expectDrillDown(panel: Panel, labels: Readonly<Record<string, string>>): void {
  for (const url of dataLinksOf(panel)) {
    const named = [...url.matchAll(/\$\{__(?:data\.fields|field\.labels)\.(\w+)/g)].map(([, label = '']) => label);
    const hasNamespace = !/^(?:selector|labels)$/.test(labels['workload_type'] ?? '');
    const required = named.filter((label) => label !== 'cluster' || 'cluster' in labels);
    const wanted = required.filter((label) => hasNamespace || !label.endsWith('namespace'));
    expect(Object.keys(labels), panel.title ?? '').toEqual(expect.arrayContaining(wanted));
  }
}

/** Values over all clusters have no label of one. */
function expectClusters(
  { expr }: dataquery,
  found: readonly Readonly<Record<string, string>>[],
  clusters: readonly string[],
): void {
  for (const { cluster } of expr.includes('by ()') ? [] : found) expect(clusters, expr).toContain(cluster);
}

/** Whether each query of the panel has data. The links from the data are checked. */
async function queriesWithData(
  moment: Parameters<typeof seriesFound>[0],
  panel: Panel,
  readings: Awaited<ReturnType<typeof readingsOf>>,
): Promise<readonly boolean[]> {
  const withData: boolean[] = [];
  for (const query of queriesOf(panel)) {
    const found = (await Promise.all(readings.map((values) => seriesFound(moment, query, values)))).flat();
    withData.push(found.length > 0);
    for (const labels of found) expectDrillDown(panel, labels);
  }
  return withData;
}

/** One query of a value that may be partly unknown has data at a time. */
function isEmpty(panel: Panel, withData: readonly boolean[]): boolean {
  const isEither = queriesOf(panel).some(({ legendFormat }) => legendFormat?.endsWith('known') === true);
  return isEither ? !withData.includes(true) : withData.includes(false);
}

/** Returns `Dashboard: Panel` of each. */
async function panelsWithoutData(
  moment: Parameters<typeof seriesFound>[0],
  chosen: typeof choices,
): Promise<readonly string[]> {
  const withoutData: string[] = [];
  for (const dashboard of allDashboards()) {
    const readings = await readingsOf(moment.prometheus, dashboard, chosen[dashboard.uid ?? '']);
    for (const panel of panelsOf(dashboard)) {
      const withData = await queriesWithData(moment, panel, readings);
      const name = `${dashboard.title?.replace(/^.* \/ /, '') ?? ''}: ${panel.title ?? ''}`;
      if (isEmpty(panel, withData)) withoutData.push(name);
    }
  }
  return withoutData;
}

/** Of a whole cluster, and of one with two shards, a replica and the first instance of a roll-out to three. */
async function pastOfShards(): Promise<{ readonly history: string; readonly atSeconds: number }> {
  await using whole = await startExporter();
  const ofShard = async (shard: number, totalShards = 2): Promise<Exporter> => {
    const scope = `cluster: {shard: ${shard}, totalShards: ${totalShards}}`;
    return (await whole.another({ settings: `${settings}\n${scope}`, rules })).synced();
  };
  await using first = await ofShard(0);
  await using second = await ofShard(1);
  await using replica = await ofShard(1);
  // The first instance of a roll-out to three shards.
  await using rolledOut = await ofShard(2, 3);
  const instances = { first, second, replica, rolledOut };
  const lines: string[] = [];
  for (let minute = 0; minute < minutes; minute++) {
    await whole.clock.advance(60_000);
    lines.push(...(await scrapedLines(whole, { cluster: 'whole', job: 'exporter', instance: 'one' })));
    for (const [instance, exporter] of Object.entries(instances)) {
      lines.push(...(await scrapedLines(exporter, { cluster: 'shared', job: 'exporter', instance })));
    }
  }
  const atSeconds = whole.clock.nowMs() / 1_000;
  return { history: openMetrics(lines), atSeconds };
}

// Both versions have the same past.
let shardsPast: Awaited<ReturnType<typeof pastOfShards>>;
let demosPast: Awaited<ReturnType<typeof pastOfDemo>>;
beforeAll(async () => {
  shardsPast = await pastOfShards();
});
beforeAll(async () => {
  demosPast = await pastOfDemo();
});

describeInEachPrometheus('the dashboards', (programs) => {
  it('dashboards of the demo at its defaults lack no data but of what is not wrong there', async () => {
    const { history, atSeconds } = demosPast;
    await using prometheus = await PrometheusServer.start({ ...programs, targets: [], history });
    const ofDemo = { ...choices, [uids.node]: { node: ['node-1', 'node-2', 'node-4'] } };
    const withoutData = await panelsWithoutData({ prometheus, atSeconds }, ofDemo);
    expect(withoutData.toSorted()).toEqual(Object.keys(emptyOnDemo).toSorted());
  });

  it('dashboards of a cluster with silent nodes and kubelets that are read lack data of yesterday alone', async () => {
    await using exporter = await startExporter();
    const instance = `127.0.0.1:${exporter.app.ports[0] ?? 0}`;
    const lines: string[] = [];
    for (let minute = 0; minute < minutes; minute++) {
      await exporter.clock.advance(60_000);
      await changeNodes(exporter, minute);
      lines.push(...(await scrapedLines(exporter, { job: 'exporter', instance })));
    }
    await catchUp(exporter);
    await using prometheus = await PrometheusServer.start({
      ...programs,
      targets: [{ target: instance }],
      history: openMetrics(lines),
    });
    // The last successful scrape: one that fails, on a busy machine, ends all series.
    const atSeconds = await eventually('scrapes', async () => {
      await catchUp(exporter);
      // Its volumes are not measured yet when it is requested, whenever that is.
      await exporter.cluster.setFault('node-4', 'restarted');
      const [scrape] = await prometheus.query('timestamp(up == 1) and count_over_time(up[1m]) > 1');
      return scrape?.value;
    });
    // Scraped samples continue the series of the past.
    expect(await prometheus.query('count(ephemeral_storage_exporter_build_info)', atSeconds)).toMatchObject([
      { value: 1 },
    ]);

    expect(await panelsWithoutData({ prometheus, atSeconds }, choices)).toEqual([
      'Overview: What grew since yesterday: workloads',
      'Overview: What grew since yesterday: nodes',
    ]);
    // node-2 has no data: what it may hide is not green.
    const [overview, , , ofNode] = allDashboards();
    const green = await greenPanels({ prometheus, atSeconds }, overview);
    expect(green.filter((title) => title !== 'Labels of the exporter')).toEqual([]);
    expect(await greenPanels({ prometheus, atSeconds }, ofNode, { node: ['node-2'] })).toEqual([]);
    expect(await greenPanels({ prometheus, atSeconds }, ofNode, { node: ['node-1'] })).toContain('Data');
  });

  it('dashboards have no green and no failed query without any series', async () => {
    await using prometheus = await PrometheusServer.start({ ...programs, targets: [] });
    const viewed = { prometheus, atSeconds: Date.now() / 1_000 };
    for (const dashboard of allDashboards()) {
      expect(await greenPanels(viewed, dashboard)).toEqual([]);
      for (const values of await readingsOf(prometheus, dashboard))
        for (const { query } of queriesIn(dashboard)) await valuesFound(viewed, query, values);
    }
  });

  it('dashboards count values of shards, replicas and clusters once, and keep the clusters separate', async () => {
    const { history, atSeconds } = shardsPast;
    await using prometheus = await PrometheusServer.start({ ...programs, targets: [], history });

    for (const query of [
      acrossShards('workload_used_bytes', workloadLabels),
      acrossShards('workload_pods', workloadLabels),
      acrossShards('workload_container_used_bytes', [...workloadLabels, 'container']),
      podsUsed(),
      withinRange(workloadEvictions()),
      withinRange(nodeEvictions()),
    ]) {
      const text = query.replaceAll('$cluster', '.*').replaceAll('$__range', '1h');
      const found = await prometheus.query(text, atSeconds);
      const of = (cluster: string): readonly object[] =>
        found
          .filter(({ metric }) => metric['cluster'] === cluster)
          .map(({ metric, value }) => ({ ...metric, cluster: undefined, value }));
      expect(of('whole').length).toBeGreaterThan(0);
      expect(new Set(of('shared'))).toEqual(new Set(of('whole')));
      expect(found.some(({ value }) => value > 0)).toBe(true);
    }

    // Images share the disk of the first node, and have a separate disk on the second.
    for (const node of ['node-1', 'node-4']) {
      const ask = async (query: string) =>
        prometheus.query(query.replaceAll('$cluster', 'whole|shared').replaceAll('$node', node), atSeconds);
      const owners = ownersOf([...itself.matchers, 'filesystem="nodefs"']).filter(
        ({ legend }) => !legend.endsWith('free'),
      );
      const parts = await Promise.all(owners.map(({ expr }) => ask(expr)));
      expect(parts.map(({ length }) => length)).toEqual([2, 2, 2]);
      const used = await ask(
        largest('node_used_bytes', ['node'], { matchers: [`node="${node}",filesystem="nodefs"`] }),
      );
      for (const { metric, value } of used) {
        const ofCluster = parts.flat().filter((part) => part.metric['cluster'] === metric['cluster']);
        expect(ofCluster.reduce((sum, part) => sum + part.value, 0)).toBe(value);
      }
    }

    for (const dashboard of allDashboards()) {
      const readings = await readingsOf(prometheus, dashboard, choices[dashboard.uid ?? '']);
      for (const { query } of queriesIn(dashboard)) {
        const found = await Promise.all(
          readings.map((values) => seriesFound({ prometheus, atSeconds }, query, values)),
        );
        expectClusters(query, found.flat(), ['whole', 'shared']);
      }
    }
  });

  it('dashboards calculate the growth of a pod over its whole past hour, also with a new instance', async () => {
    const atSeconds = Math.floor(Date.now() / 60_000) * 60;
    const labels = 'namespace="shop",pod="cart-0",node="node-1"';
    const lines = Array.from({ length: 76 }, (_, minute) => {
      const instance = minute < 74 ? 'old' : 'new';
      const time = atSeconds + (minute - 75) * 60;
      const jitterBytes = minute === 75 ? 60_000 : 0;
      return [
        `ephemeral_storage_pod_used_bytes{${labels},instance="${instance}"} ${minute * 1_000 + jitterBytes} ${time}`,
        `ephemeral_storage_limit_ratio{${labels},rule="pod",instance="${instance}"} ${(minute * 1_000 + jitterBytes) / 1e6} ${time}`,
      ];
    });
    await using prometheus = await PrometheusServer.start({
      ...programs,
      targets: [],
      history: openMetrics(
        ['ephemeral_storage_pod_used_bytes', 'ephemeral_storage_limit_ratio'].flatMap((family) =>
          lines.flat().filter((line) => line.startsWith(family)),
        ),
      ),
    });
    const ask = async (query: string) => prometheus.query(query.replaceAll('$cluster', '.*'), atSeconds);
    const [growth, ...others] = await ask(podGrowth());
    expect(others).toEqual([]);
    expect(growth?.metric).toEqual({ namespace: 'shop', pod: 'cart-0', node: 'node-1' });
    // 60,000 an hour, and a little more for the last sample; 3,660,000 by the two samples of the new instance.
    expect(growth?.value).toBeGreaterThan(60_000);
    expect(growth?.value).toBeLessThan(70_000);
    const [left] = await ask(secondsToLimit());
    expect(left?.value).toBeGreaterThan(12 * 3_600);
  });

  it('dashboards show a filesystem that is out of inodes as a full one', async () => {
    const atSeconds = Math.floor(Date.now() / 60_000) * 60;
    const of = (node: string): string => `{node="${node}",filesystem="nodefs"}`;
    const lines = [
      ['available_bytes', 90, 30],
      ['capacity_bytes', 100, 100],
      ['inodes', 1_000, 0],
      ['inodes_free', 50, 0],
    ].flatMap(([name, first, second]) => [
      `ephemeral_storage_node_${String(name)}${of('inodes')} ${String(first)} ${atSeconds}`,
      `ephemeral_storage_node_${String(name)}${of('bytes')} ${String(second)} ${atSeconds}`,
    ]);
    await using prometheus = await PrometheusServer.start({ ...programs, targets: [], history: openMetrics(lines) });
    const found = await prometheus.query(fullness().replaceAll('$cluster', '.*'), atSeconds);
    expect(new Map(found.map(({ metric, value }) => [metric['node'], Math.round(value * 100)]))).toEqual(
      new Map([
        ['inodes', 95],
        ['bytes', 70],
      ]),
    );
  });

  it('dashboards predict nothing for pods that shrink, whose growth has ended, or that have just started', async () => {
    const atSeconds = Math.floor(Date.now() / 60_000) * 60;
    /** Ratio of the limit in each minute; the limit is 100 bytes. */
    const ratios: Readonly<Record<string, (minute: number) => number | undefined>> = {
      shrinks: (minute) => 0.9 - minute / 200,
      ended: (minute) => Math.min(minute, 40) / 100,
      young: (minute) => (minute < 73 ? undefined : (minute - 72) / 10),
      grows: (minute) => minute / 100,
    };
    const past = Array.from({ length: 76 }, (_, minute) => minute);
    const linesOf = (family: string, limit: number): readonly string[] =>
      Object.entries(ratios).flatMap(([pod, ratioAt]) =>
        past
          .filter((minute) => ratioAt(minute) !== undefined)
          .map((minute) => {
            const value = (ratioAt(minute) ?? Number.NaN) * limit;
            return `${family}{namespace="shop",pod="${pod}",node="node-1"} ${value} ${atSeconds + (minute - 75) * 60}`;
          }),
      );
    const lines = [...linesOf('ephemeral_storage_pod_used_bytes', 100), ...linesOf('ephemeral_storage_limit_ratio', 1)];
    await using prometheus = await PrometheusServer.start({ ...programs, targets: [], history: openMetrics(lines) });
    const podsIn = async (query: string) =>
      (await prometheus.query(query.replaceAll('$cluster', '.*'), atSeconds)).map(({ metric }) => metric['pod']);
    expect(await podsIn(secondsToLimit())).toEqual(['grows']);
    expect(await podsIn(`topk(10, ${podGrowth()} > 0)`)).toEqual(['grows']);
    expect((await podsIn(podGrowth())).toSorted()).toEqual(['ended', 'grows', 'shrinks']);
    // Known not to be reached, which is not the same as unknown.
    const first = async (pod: string) =>
      prometheus.query(secondsToFirstLimit([`pod="${pod}"`]).replaceAll('$cluster', '.*'), atSeconds);
    expect(await first('ended')).toMatchObject([{ value: -1 }]);
    expect(await first('young')).toEqual([]);
  });
});
