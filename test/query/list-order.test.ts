import { expect, it } from 'vitest';

import type { MeasuredNodeView } from '../../src/facts/node/node-view.js';
import type { NodeSnapshot } from '../../src/facts/node/node-view.js';
import { getOrAdd } from '../../src/lib/base/maps.js';
import { largestFirst } from '../../src/lib/base/ranking.js';
import type { ClusterReading } from '../../src/people/query/cluster-reading.js';
import type { ListPage } from '../../src/people/query/list-page.js';
import { listContainers, listVolumes } from '../../src/people/query/list-parts.js';
import { listPods } from '../../src/people/query/list-pods.js';
import { parseListQuery } from '../../src/people/query/list-query.js';
import { SnapshotPods } from '../../src/people/query/snapshot-pods.js';
import { aContainer, aPod } from '../support/builders.js';
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
} from '../support/snapshot-builders.js';

/** So many that a page far from the beginning is sought near where a sample expects it. */
const nodeCount = 1_100;
const podsPerNode = 3;

/** Few different values: many items are equal but for their names. */
function podAt(index: number) {
  const [usedBytes, limitBytes, size] = [(index * 7_919) % 101, 10 + (index % 90), (index * 31) % 17];
  const place = { namespace: `team-${(index * 13) % 5}`, name: `${['web', 'db'][index % 2]}-${(index * 101) % 3_307}` };
  const pod = aPod({ ...place, uid: `uid-${index}`, containers: [aContainer({ name: 'main', limitBytes })] });
  return aMeasuredPod({
    ...place,
    pod: index % 11 === 0 ? undefined : pod,
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

const nodes: readonly MeasuredNodeView[] = Array.from({ length: nodeCount }, (_, node) => {
  const pods = Array.from({ length: podsPerNode }, (__, at) => podAt(node * podsPerNode + at));
  return aFreshNode(aNodeSnapshot({ nodeName: `node-${node}`, pods }));
});
const known = new WeakMap<NodeSnapshot, SnapshotPods>();
const reading = aReading({
  snapshot: aClusterSnapshot({ nodes }),
  podsOf: (of) => getOrAdd(known, of, () => new SnapshotPods(of)),
});

/** What items of the three lists have in common. */
interface Item {
  readonly namespace: string;
  readonly pod: string;
  readonly node?: string | undefined;
  readonly container?: string;
  readonly volume?: string;
  readonly usedBytes?: number | undefined;
  readonly nearestLimit?: { readonly ratio: number } | undefined;
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
    const [ratioA, ratioB] = [valueOf[order]?.(a) ?? -1, valueOf[order]?.(b) ?? -1];
    if (ratioA !== ratioB) return ratioB - ratioA;
    return order === 'name' ? largestFirst<Item>(() => 0, placeOf)(a, b) : largestFirst(byUse, placeOf)(a, b);
  });
}

const filters: readonly Parameters[] = [{}, { search: 'web' }, { namespace: 'team-3' }];

it.each(
  Object.keys(lists).flatMap((kind) =>
    Object.keys(valueOf).flatMap((order) => filters.map((filter) => ({ kind, order, filter }))),
  ),
)('any page of $kind by $order with $filter is the same as of all of them sorted', async ({ kind, order, filter }) => {
  const all = await sorted(kind, order, filter);
  const last = all.length - 50;
  for (const offset of [0, 900, 1_990, Math.floor(all.length / 2), last, all.length + 10]) {
    const page = await lists[kind]?.(reading, { ...filter, order, offset: String(offset), limit: '70' });
    expect(page).toEqual({ items: all.slice(offset, offset + 70), totalCount: all.length, offset, limit: 70 });
  }
});
