import { expect, it } from 'vitest';

import { collectionOf } from '../../src/cluster/watch/resource-path.js';

it.each([
  [{ resource: 'nodes' }, '/api/v1/nodes', 'Node'],
  [{ resource: 'nodes', namespace: 'shop' }, '/api/v1/nodes', 'Node'],
  [{ resource: 'pods' }, '/api/v1/pods', 'Pod'],
  [{ resource: 'pods', namespace: 'shop' }, '/api/v1/namespaces/shop/pods', 'Pod'],
  [{ resource: 'pods', namespace: 'a/../b' }, '/api/v1/namespaces/a%2F..%2Fb/pods', 'Pod'],
] as const)('collectionOf finds the path and the kind of %o', (options, path, kind) => {
  expect(collectionOf(options)).toEqual({ path, kind, selectors: {} });
});

it('collectionOf carries the selectors that are set', () => {
  const selectors = { labelSelector: 'app=cart', fieldSelector: 'spec.nodeName=n1' };
  expect(collectionOf({ resource: 'pods', ...selectors }).selectors).toEqual(selectors);
  expect(collectionOf({ resource: 'pods', labelSelector: 'app=cart', fieldSelector: undefined }).selectors).toEqual({
    labelSelector: 'app=cart',
  });
});
