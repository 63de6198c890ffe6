import { expect, it } from 'vitest';

import type { MeasuredNodeView, NodeForecasts } from '../../src/facts/node/node-view.js';
import type { PodRecord } from '../../src/facts/node/pod-record.js';
import { largestFirst } from '../../src/lib/base/ranking.js';
import type { ClusterReading } from '../../src/people/query/cluster-reading.js';
import type { ListPage } from '../../src/people/query/list-page.js';
import { listContainers, listVolumes } from '../../src/people/query/list-parts.js';
import { listPods } from '../../src/people/query/list-pods.js';
import { ordersOf, parseListQuery } from '../../src/people/query/list-query.js';
import { aContainer, aPod, aPodSummary } from '../support/builders.js';
import { atOnce } from '../support/lanes.js';
import {
  aClusterSnapshot,
  aContainerUsage,
  aFreshNode,
  aLimitRatio,
  aMeasuredPod,
  aNodeSnapshot,
  aPodUsage,
  aReading,
  aVolumeUsage,
  noForecasts,
} from '../support/snapshot-builders.js';

/** So many that most are known to be behind the first ones. */
const nodeCount = 200;
const podsPerNode = 3;

/** Few different values: many items are equal but for their names. */
function podAt(index: number) {
  const [usedBytes, limitBytes, size] = [(index * 7_919) % 101, 10 + (index % 90), (index * 31) % 17];
  const place = { namespace: `team-${(index * 13) % 5}`, name: `${['web', 'db'][index % 2]}-${(index * 101) % 3_307}` };
  const pod = aPod({ ...place, uid: `uid-${index}`, containers: [aContainer({ name: 'main', limitBytes })] });
  return aMeasuredPod({
    ...place,
    pod: index % 11 === 0 ? undefined : pod,
    requestBytes: size,
    summary: aPodSummary({ ...place, uid: `uid-${index}` }),
    usage: aPodUsage({
      usedBytes,
      containers: [aContainerUsage({ name: 'main', usedBytes }), aContainerUsage({ name: 'proxy', usedBytes: size })],
      volumes: [
        aVolumeUsage({ name: 'cache', usedBytes: index % 5 === 0 ? undefined : size }),
        aVolumeUsage({ name: 'config', usedBytes: 4 }),
      ],
    }),
    ratios:
      index % 11 === 0
        ? []
        : [
            aLimitRatio({ rule: 'emptydir', volume: 'cache', usedBytes: size, limitBytes: 20 }),
            aLimitRatio({ rule: 'container', container: 'main', usedBytes, limitBytes }),
          ],
  });
}

/** Of the last pod of each node: those before it use more, as a rule. */
function forecastsOf(pods: readonly PodRecord[], node: number): NodeForecasts {
  const forecast = { rule: 'container', container: 'main', volume: '', endsAtMs: Infinity } as const;
  const uid = pods.at(-1)?.summary.uid ?? '';
  const reachedAtMs = 1_000 * ((node * 7_919) % 997);
  return { ...noForecasts, pods: new Map([[uid, { ...forecast, reachedAtMs }]]) };
}

const nodes: readonly MeasuredNodeView[] = Array.from({ length: nodeCount }, (_, node) => {
  const pods = Array.from({ length: podsPerNode }, (__, at) => podAt(node * podsPerNode + at));
  return aFreshNode(aNodeSnapshot({ nodeName: `node-${node}`, pods, forecasts: forecastsOf(pods, node) }));
});
const reading = aReading({ snapshot: aClusterSnapshot({ nodes }) });

/** What items of the three lists have in common. */
interface Item {
  readonly namespace: string;
  readonly pod: string;
  readonly node?: string | undefined;
  readonly container?: string;
  readonly volume?: string;
  readonly usedBytes?: number | undefined;
  readonly nearestLimit?: { readonly ratio: number } | undefined;
  readonly timeToLimitMs?: number | undefined;
  readonly requestBytes?: number | undefined;
}

type Parameters = Readonly<Record<string, string>>;

const lists: Readonly<Record<string, (of: ClusterReading, parameters: Parameters) => Promise<ListPage<Item>>>> = {
  pods: (of, parameters) => listPods(of, parseListQuery('pods', parameters), atOnce),
  containers: (of, parameters) => listContainers(of, parseListQuery('containers', parameters), atOnce),
  volumes: (of, parameters) => listVolumes(of, parseListQuery('volumes', parameters), atOnce),
};

const placeOf = ({ namespace, pod, container, volume, node = '' }: Item) => [
  namespace,
  pod,
  container ?? volume ?? '',
  node,
];
const valueOf: Readonly<Record<string, (item: Item) => number | undefined>> = {
  used: ({ usedBytes }) => usedBytes,
  ratio: ({ nearestLimit }) => nearestLimit?.ratio,
  time: ({ timeToLimitMs }) => (timeToLimitMs === undefined ? undefined : -timeToLimitMs),
  request: ({ requestBytes }) => requestBytes,
  node: ({ node }) => -Number(node?.replace('node-', '')),
  name: () => undefined,
};

/** Each node by itself, in a plain sort. */
async function sorted(kind: string, order: string, filters: Parameters): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (const node of nodes) {
    const one = { ...reading, snapshot: { ...reading.snapshot, nodes: [node] } };
    items.push(...((await lists[kind]?.(one, filters))?.items ?? []));
  }
  const byUse = (item: Item) => (kind === 'pods' ? item.usedBytes : 0);
  return items.sort((a, b) => {
    const [valueA, valueB] = [valueOf[order]?.(a) ?? -Infinity, valueOf[order]?.(b) ?? -Infinity];
    if (valueA !== valueB) return valueB - valueA;
    return ['name', 'node'].includes(order)
      ? largestFirst<Item>(() => 0, placeOf)(a, b)
      : largestFirst(byUse, placeOf)(a, b);
  });
}

const filters: readonly Parameters[] = [{}, { search: 'web' }, { namespace: 'team-3' }];

it.each(
  (['pods', 'containers', 'volumes'] as const).flatMap((kind) =>
    ordersOf[kind]
      .filter((order) => order in valueOf)
      .flatMap((order) => filters.map((filter) => ({ kind, order, filter }))),
  ),
)('the first of $kind by $order with $filter are those of all of them sorted', async ({ kind, order, filter }) => {
  const all = await sorted(kind, order, filter);
  for (const limit of [1, 40, 1_000]) {
    const page = await lists[kind]?.(reading, { ...filter, order, limit: String(limit) });
    const isComplete = all.length <= limit;
    expect(page).toMatchObject({ items: all.slice(0, limit), totalCount: all.length, limit, isComplete });
  }
});
