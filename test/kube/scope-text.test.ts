import { expect, it } from 'vitest';

import { scopeText, wholeCluster } from '../../src/cluster/kube/scope.js';

it.each([
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
])('the scope %j is described as: %s', (settings, text) => {
  expect(scopeText({ ...wholeCluster, namespaces: [], nodeSelector: '', podSelector: '', ...settings })).toBe(text);
});
