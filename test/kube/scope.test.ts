import { expect, it } from 'vitest';

import { jumpHash, type Scope, scopeText, shardOf, wholeCluster } from '../../src/cluster/kube/scope.js';
import { parseSelector } from '../../src/cluster/kube/selector-parser.js';

it.each([
  [0n, 19, 0],
  [1n, 1, 0],
  [1n, 6, 0],
  [1n, 7, 6],
  [1n, 18, 17],
  [0xdead_beefn, 2, 1],
  [0xdead_beefn, 4, 3],
  [0xdead_beefn, 17, 16],
  [0x0ddc_0ffe_ebad_f00dn, 15, 2],
  [0x0ddc_0ffe_ebad_f00dn, 16, 15],
  [42n, 57, 43],
  [0xdead_10ccn, 666, 361],
  [256n, 1024, 520],
  [2n, 100_001, 80_343],
  [2201n, 100_001, 22_152],
])('the bucket of %s over %i buckets is %i, as the function of the paper gives it', (key, bucketCount, bucket) => {
  expect(jumpHash(key, bucketCount)).toBe(bucket);
});

it.each([
  ['node-1', [0, 0, 2, 4, 4, 76, 552]],
  ['node-2', [0, 1, 2, 2, 8, 40, 191]],
  ['ip-10-0-1-17.eu-central-1.compute.internal', [0, 1, 2, 2, 2, 59, 220]],
  ['gke-prod-pool-1-3f2a9c1d-x7k2', [0, 1, 1, 1, 1, 1, 188]],
  ['worker', [0, 1, 1, 3, 3, 77, 915]],
  ['n', [0, 0, 0, 0, 6, 6, 197]],
])('the shard of %s is what it was in every release', (name, shards) => {
  expect([1, 2, 3, 5, 10, 100, 1000].map((totalShards) => shardOf(name, totalShards))).toEqual(shards);
});

it.each([
  ['counted', (index: number) => `gke-prod-pool-${index}`],
  ['addressed', (index: number) => `ip-10-0-${index >> 8}-${index & 255}.ec2.internal`],
])('shards spread %s names evenly', (_case, nameOf) => {
  const nodesCount = 10_000;
  for (const totalShards of [2, 3, 10, 50]) {
    const counts = Array.from({ length: totalShards }, () => 0);
    for (let index = 0; index < nodesCount; index++) {
      const shard = shardOf(nameOf(index), totalShards);
      counts[shard] = (counts[shard] ?? 0) + 1;
    }
    const mean = nodesCount / totalShards;
    // Five standard deviations of what chance would give.
    const tolerance = 5 * Math.sqrt(mean);
    for (const count of counts) expect(Math.abs(count - mean)).toBeLessThan(tolerance);
  }
});

interface Described extends Partial<Scope> {
  readonly namespaces?: readonly string[];
  readonly nodeSelector?: string;
  readonly podSelector?: string;
}

it.each<[Described, string]>([
  [{}, 'whole cluster'],
  [{ nodeName: 'node-1' }, 'node node-1'],
  [{ shard: 2, totalShards: 3 }, 'shard 2 of 3, counted from 0'],
  [{ shard: 0, totalShards: 2, nodeSelector: 'pool=a' }, 'shard 0 of 2, counted from 0; nodes pool=a'],
  [{ namespaces: ['shop'] }, 'namespace shop'],
  [{ namespaces: ['shop', 'media'], nodeSelector: 'pool=a' }, 'nodes pool=a; namespaces shop, media'],
  [
    { namespaces: Array.from({ length: 12 }, (_, index) => `n${index}`) },
    'namespaces n0, n1, n2, n3, n4, n5, n6, n7, n8, n9 and 2 more',
  ],
  [{ podSelector: 'app=web' }, 'pods app=web'],
])('the scope %j is described as: %s', ({ namespaces = [], nodeSelector = '', podSelector = '', ...scope }, text) => {
  const selectors = { nodeSelector: parseSelector(nodeSelector), podSelector: parseSelector(podSelector) };
  expect(scopeText({ ...wholeCluster, ...scope }, { namespaces, ...selectors })).toBe(text);
});
