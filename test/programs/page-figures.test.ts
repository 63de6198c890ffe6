// @module-tag sockets

import { expect, it } from 'vitest';

import type { Status } from '../../src/status/status.js';
import type { Exporter } from '../support/exporter.js';
import { figuresIn } from '../support/page-figures.js';
import type { QueryResult } from '../support/programs.js';
import { describeInEachPrometheus } from '../support/prometheus-versions.js';
import { hostileValue, scrapedExporter, silentNode } from '../support/scraped-exporter.js';

type Item = Readonly<Record<string, unknown>>;

/** By the values of the labels that tell the items apart, sorted. */
type Values = readonly (readonly [names: string, value: number])[];

interface Column {
  readonly path: string;
  readonly figure: string;
  /** Which of its expressions. */
  readonly index?: number;
  readonly labels: readonly string[];
  /** Undefined: the page shows no such value of it. */
  readonly valueOf: (item: Item) => number | undefined;
}

const ofPods = ['namespace', 'pod', 'node'];
const used = (item: Item): number | undefined => item['usedBytes'] as number | undefined;
const nearest = (item: Item): number | undefined =>
  (item['nearestLimit'] as { readonly ratio: number } | undefined)?.ratio;
const field =
  (name: string) =>
  (item: Item): number | undefined =>
    item[name] as number | undefined;

const seconds =
  (name: string) =>
  (item: Item): number | undefined =>
    item[name] === undefined ? undefined : Math.round((item[name] as number) / 1_000);
const ofPressure =
  (name: string) =>
  (item: Item): number | undefined =>
    (item['pressure'] as Readonly<Record<string, number>> | undefined)?.[name];
const fullest = (item: Item): number | undefined => {
  const all = (item['filesystems'] ?? []) as readonly { readonly fullRatio: number }[];
  return all.length === 0 ? undefined : Math.max(...all.map(({ fullRatio }) => fullRatio));
};

const searches = ['', 'search=cart', 'search=SHOP+Cart'];
const hostileSearch = `search=${encodeURIComponent(hostileValue.slice(1))}`;
const hostileJoined = `search=${encodeURIComponent(`${hostileValue.slice(2)}/${hostileValue.slice(0, 4)}`)}`;
const hostileNamespace = `namespace=${encodeURIComponent(hostileValue)}`;
const hostileWorkload = `workload=${encodeURIComponent(`${hostileValue}/statefulset/${hostileValue}`)}`;
const questions = [
  ...searches,
  'search=op/car',
  'namespace=shop',
  'node=node-1&search=cart+0',
  'workload=shop/statefulset/cart',
  'workload=shop/statefulset/cart&search=shop+1',
  hostileSearch,
  hostileJoined,
  hostileNamespace,
  hostileWorkload,
];

const podColumns = questions.flatMap((question): readonly Column[] => [
  { path: `/pods?${question}`, figure: 'Used', labels: ofPods, valueOf: used },
  { path: `/pods?${question}`, figure: 'Nearest limit', labels: ofPods, valueOf: nearest },
  { path: `/containers?${question}`, figure: 'Used', labels: [...ofPods, 'container'], valueOf: used },
  { path: `/volumes?${question}`, figure: 'Used', labels: [...ofPods, 'volume'], valueOf: used },
]);

const ofWorkload = { labels: ['namespace', 'workload_type', 'workload'] };
const workloadQuestions = [
  ...searches,
  'search=op/statefulset/car',
  'search=/statefulset/c',
  'search=-',
  hostileSearch,
  hostileNamespace,
];

const columns: readonly Column[] = [
  ...podColumns,
  { path: '/containers?', figure: 'Writable layer', labels: [...ofPods, 'container'], valueOf: field('rootfsBytes') },
  { path: '/containers?', figure: 'Logs', labels: [...ofPods, 'container'], valueOf: field('logsBytes') },
  { path: '/containers?', figure: 'Limit', labels: [...ofPods, 'container'], valueOf: nearest },
  { path: '/containers?', figure: 'Limit', index: 1, labels: [...ofPods, 'container'], valueOf: field('limitBytes') },
  { path: '/volumes?', figure: 'Size limit', labels: [...ofPods, 'volume'], valueOf: nearest },
  { path: '/volumes?', figure: 'Size limit', index: 1, labels: [...ofPods, 'volume'], valueOf: field('limitBytes') },
  ...workloadQuestions.flatMap((question) => [
    { path: `/workloads?${question}`, figure: 'Used', ...ofWorkload, valueOf: used },
    { path: `/workloads?${question}`, figure: 'Largest pod', ...ofWorkload, valueOf: field('podMaxUsedBytes') },
    { path: `/workloads?${question}`, figure: 'Pods', ...ofWorkload, valueOf: field('measuredPodCount') },
    { path: `/workloads?${question}`, figure: 'Pods', index: 1, ...ofWorkload, valueOf: field('expectedPodCount') },
  ]),
  ...[...searches, hostileSearch].flatMap((question) => [
    { path: `/namespaces?${question}`, figure: 'Used', labels: ['namespace'], valueOf: field('usedBytes') },
    { path: `/namespaces?${question}`, figure: 'Pods', labels: ['namespace'], valueOf: field('measuredPodCount') },
    {
      path: `/namespaces?${question}`,
      figure: 'Near a limit',
      labels: ['namespace'],
      valueOf: field('nearLimitPodCount'),
    },
    { path: `/namespaces?${question}`, figure: 'Evictions', labels: ['namespace'], valueOf: field('evictionCount') },
  ]),
  { path: '/nodes?', figure: 'Fullest disk; the mark is the threshold', labels: ['node'], valueOf: fullest },
  ...['node-2', 'node-3', 'node-5'].flatMap((node) => [
    { path: `/nodes?search=${node}`, figure: 'Headroom', labels: ['node'], valueOf: ofPressure('headroom') },
  ]),
  { path: '/nodes?', figure: 'Time to eviction', labels: ['node'], valueOf: ofPressure('timeToEvictionMs') },
  { path: '/nodes?', figure: 'Pods', labels: ['node'], valueOf: field('measuredPodCount') },
  { path: '/pods?', figure: 'Time to limit', labels: ofPods, valueOf: seconds('timeToLimitMs') },
  { path: '/evictions?', figure: 'Time', labels: ofPods, valueOf: seconds('evictedAtMs') },
  { path: '/evictions?search=EXCEED+node-1', figure: 'Time', labels: ofPods, valueOf: seconds('evictedAtMs') },
  { path: '/evictions?namespace=ops', figure: 'Time', labels: ofPods, valueOf: seconds('evictedAtMs') },
  { path: '/evictions?', figure: 'Why', labels: ofPods, valueOf: (item) => used(item['lastUsage'] as Item) },
  { path: '/evictions?', figure: 'Why', index: 1, labels: ofPods, valueOf: field('limitBytes') },
];

/** What is 0 on a page may have no series. */
const valuesOf = (all: Values): Values =>
  all.filter(([, value]) => value !== 0).toSorted(([a], [b]) => (a < b ? -1 : 1));

const apiLabels: Readonly<Record<string, string>> = { workload_type: 'workloadType' };

function shownValues(items: readonly Item[], { path, labels, valueOf }: Column): Values {
  const nameOf = (item: Item, label: string): string => {
    const name =
      label === 'namespace' && path.startsWith('/workloads') ? 'workloadNamespace' : (apiLabels[label] ?? label);
    return String(item[name]);
  };
  const found = items.flatMap((item) => {
    const value = item['dataState'] === 'absent' ? undefined : valueOf(item);
    return value === undefined ? [] : [[labels.map((label) => nameOf(item, label)).join('/'), value] as const];
  });
  return valuesOf(found);
}

/** Limits of pods have series without their usage. */
const foundValues = (results: readonly QueryResult[], labels: readonly string[]): Values =>
  valuesOf(
    results
      .filter(({ metric }) => metric['node'] !== silentNode)
      .map(({ metric, value }) => [labels.map((label) => metric[label] ?? '').join('/'), value]),
  );

async function itemsOf(exporter: Exporter, path: string): Promise<readonly Item[]> {
  const { text } = await exporter.get(`/api/v1${path}&limit=1000`);
  return (JSON.parse(text) as { readonly items: readonly Item[] }).items;
}

describeInEachPrometheus('PromQL on pages', ({ program }) => {
  it('each expression of a list has the figures of its rows, whatever is in names and filters', async ({
    onTestFinished,
  }) => {
    const { exporter, prometheus } = await scrapedExporter(onTestFinished, program);
    const differences: unknown[] = [];
    let count = 0;
    for (const column of columns) {
      const { path, figure, index = 0, labels } = column;
      const query =
        figuresIn((await exporter.get(path)).text).find(({ name }) => name === figure)?.queries[index] ?? '';
      const found = foundValues(await prometheus.query(query), labels);
      const shown = shownValues(await itemsOf(exporter, path), column);
      count += shown.length;
      if (JSON.stringify(found) !== JSON.stringify(shown)) differences.push({ path, figure, query, found, shown });
    }
    expect(differences.map((one) => JSON.stringify(one))).toEqual([]);
    expect(count).toBeGreaterThan(300);
  });

  it('each expression of the overview has the figure of its tile, or those of its part', async ({ onTestFinished }) => {
    const { exporter, prometheus } = await scrapedExporter(onTestFinished, program);
    const { cluster, evictions } = JSON.parse((await exporter.get('/api/v1/status')).text) as Status;
    if (cluster === undefined) throw new Error('not synced');
    const figures = figuresIn((await exporter.get('/')).text);
    const found = async (name: string, index: number, labels: readonly string[]): Promise<Values> => {
      const query = figures.find((figure) => figure.name === name)?.queries[index] ?? '';
      return foundValues(await prometheus.query(query), labels);
    };
    const { summary } = cluster;
    const tiles = await Promise.all(
      figures
        .slice(0, 7)
        .flatMap(({ queries }) => queries.map(async (query) => (await prometheus.query(query))[0]?.value)),
    );
    expect(tiles).toEqual([
      summary.pressedNodeCount - summary.pressedEmptyNodeCount,
      summary.nearPressureNodeCount,
      summary.reachedLimitPodCount,
      summary.nearLimitPodCount,
      summary.podsUsedBytes,
      summary.freshNodeCount,
      summary.freshNodeCount + summary.absentNodeCount,
      summary.podCount,
      0,
    ]);
    expect(tiles).toEqual([1, 1, 1, 5, expect.any(Number), 4, 5, 13, 0]);
    const nodes = cluster.grid.pools.flatMap((pool) => pool.nodes);
    const full = nodes.flatMap(({ node, fullRatio }): Values => (fullRatio === undefined ? [] : [[node, fullRatio]]));
    expect(await found('Nodes', 0, ['node'])).toEqual(valuesOf(full));
    const limits = cluster.limits.items.flatMap(({ namespace, pod, ratio, dataState }) =>
      dataState === 'absent' ? [] : [[`${namespace}/${pod}`, ratio]],
    );
    expect(await found('For their own limits', 0, ['namespace', 'pod'])).toEqual(expect.arrayContaining(limits));
    const headrooms = cluster.pressure.items.map(({ node, headroom }) => [node, headroom]);
    expect(headrooms).toHaveLength(3);
    expect(await found('Under node pressure', 0, ['node'])).toEqual(expect.arrayContaining(headrooms));
    const ranks = cluster.pressure.items.flatMap(({ node, signal, victims = [] }) =>
      victims.map(({ pod, rank }) => [`${node}/${signal}/${pod}`, rank]),
    );
    expect(ranks.length).toBeGreaterThan(2);
    expect(await found('Under node pressure', 3, ['node', 'signal', 'pod'])).toEqual(expect.arrayContaining(ranks));
    const evicted = evictions.items.map(({ pod, evictedAtMs }) => [pod, evictedAtMs / 1_000]);
    expect(await found('Recent evictions', 0, ['pod'])).toEqual(evicted);
  });
});
