import { describe, expect, it } from 'vitest';

import { listContainers, listVolumes } from '../../src/people/query/list-parts.js';
import { parseListQuery } from '../../src/people/query/list-query.js';
import { aContainer, aPod } from '../support/builders.js';
import { atOnce } from '../support/lanes.js';
import {
  aClusterSnapshot,
  aContainerUsage,
  aDeployment,
  aFreshNode,
  aLimitRatio,
  aMeasuredPod,
  anAbsentNode,
  aNodeSnapshot,
  aPodUsage,
  aReading,
  aVolumeUsage,
} from '../support/snapshot-builders.js';

const cart = aMeasuredPod({
  pod: aPod({
    namespace: 'shop',
    name: 'cart-0',
    labels: { app: 'cart' },
    containers: [
      aContainer({ name: 'main', limitBytes: 60, requestBytes: 5 }),
      aContainer({ name: 'proxy', limitBytes: 10 }),
    ],
  }),
  workloads: [aDeployment('cart')],
  usage: aPodUsage({
    usedBytes: 45,
    containers: [
      aContainerUsage({ name: 'main', usedBytes: 30, rootfsBytes: 20, logsBytes: 8 }),
      aContainerUsage({ name: 'proxy', usedBytes: 15, rootfsBytes: 9, logsBytes: undefined }),
    ],
    volumes: [
      aVolumeUsage({ name: 'cache', usedBytes: 5, sizeLimitBytes: 20 }),
      aVolumeUsage({ name: 'tmp', medium: 'Memory', usedBytes: 7 }),
      aVolumeUsage({ name: 'data', type: 'pvc', usedBytes: 900 }),
      aVolumeUsage({ name: 'new', usedBytes: undefined }),
    ],
  }),
  ratios: [
    aLimitRatio({ rule: 'emptydir', volume: 'cache', usedBytes: 5, limitBytes: 20 }),
    aLimitRatio({ rule: 'pod', usedBytes: 45, limitBytes: 70 }),
    aLimitRatio({ rule: 'container', container: 'main', usedBytes: 28, limitBytes: 60 }),
    aLimitRatio({ rule: 'container', container: 'proxy', usedBytes: 9, limitBytes: 10 }),
  ],
});

/** The API server does not know it. */
const stray = aMeasuredPod({
  namespace: 'ops',
  name: 'stray-0',
  pod: undefined,
  workloads: [],
  usage: aPodUsage({ usedBytes: 22, containers: [aContainerUsage({ usedBytes: 22 })], volumes: [] }),
});

const reading = aReading({
  snapshot: aClusterSnapshot({
    nodes: [
      aFreshNode(aNodeSnapshot({ nodeName: 'node-1', pods: [cart] }), 2_000.4),
      aFreshNode(aNodeSnapshot({ nodeName: 'node-2', pods: [stray] })),
      anAbsentNode('node-3', 'timeout'),
    ],
  }),
  lastKnownOf: () => ({ snapshot: aNodeSnapshot({ nodeName: 'node-3', pods: [aMeasuredPod()] }), ageMs: 60_000 }),
});

type Parameters = Readonly<Record<string, string>>;
const containersOf = (of: Parameters) => listContainers(reading, parseListQuery('containers', of), atOnce);
const volumesOf = (of: Parameters) => listVolumes(reading, parseListQuery('volumes', of), atOnce);

it.each<[Parameters, readonly string[]]>([
  [{}, ['main', 'main', 'proxy']],
  [{ order: 'ratio' }, ['proxy', 'main', 'main']],
  [{ order: 'name' }, ['main', 'main', 'proxy']],
  [{ order: 'name', limit: '2' }, ['main', 'main']],
  [{ node: 'node-1' }, ['main', 'proxy']],
  [{ namespace: 'ops' }, ['main']],
  [{ workload: 'shop/deployment/cart' }, ['main', 'proxy']],
  [{ selector: 'app=cart' }, ['main', 'proxy']],
  [{ selector: '!app' }, []],
  [{ search: 'shop/ PROXY' }, ['proxy']],
])('containers with %j are %j', async (of, expected) => {
  expect((await containersOf(of)).items.map(({ container }) => container)).toEqual(expected);
});

it.each<[Parameters, readonly string[]]>([
  [{}, ['data', 'tmp', 'cache', 'new']],
  [{ order: 'ratio' }, ['cache', 'data', 'new', 'tmp']],
  [{ order: 'name' }, ['cache', 'data', 'new', 'tmp']],
  [{ limit: '1' }, ['data']],
  [{ node: 'node-2' }, []],
  [{ search: 'cart-0/t' }, ['tmp']],
])('volumes with %j are %j', async (of, expected) => {
  expect((await volumesOf(of)).items.map(({ volume }) => volume)).toEqual(expected);
});

describe('items', () => {
  it('a container has what it uses, what of it is files and logs, and its own limit', async () => {
    const { items, totalCount } = await containersOf({ limit: '1' });
    expect(totalCount).toBe(3);
    expect(items).toEqual([
      {
        namespace: 'shop',
        pod: 'cart-0',
        node: 'node-1',
        container: 'main',
        usedBytes: 30,
        rootfsBytes: 20,
        logsBytes: 8,
        limitBytes: 60,
        requestBytes: 5,
        nearestLimit: {
          rule: 'container',
          container: 'main',
          usedBytes: 28,
          limitBytes: 60,
          ratio: 28 / 60,
        },
        dataAgeMs: 2_000,
      },
    ]);
  });
});
