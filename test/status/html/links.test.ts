import { expect, it } from 'vitest';

import { linksFrom, queryOf } from '../../../src/people/status/html/links.js';

it.each([
  ['/', './'],
  ['/pods', './'],
  ['/nodes/node-1', '../'],
  ['/pods/shop/cart-0', '../../'],
  ['/workloads/-/selector/billing', '../../../'],
])('links of the page %s lead to its root by %s, whatever prefix it is served below', (path, root) => {
  expect(linksFrom(path).root).toBe(root);
});

it('links name what they lead to, and what is in a name cannot leave its part of the address', () => {
  const links = linksFrom('/pods');
  expect(links.pod({ namespace: 'shop', pod: 'cart-0' }).text).toBe('<a href="./pods/shop/cart-0">shop/cart-0</a>');
  expect(links.node('a/../b?c#d').text).toBe('<a href="./nodes/a%2F..%2Fb%3Fc%23d">a/../b?c#d</a>');
  expect(links.namespace('"><script>').text).not.toContain('<script>');
  const billing = { workload: 'billing', workloadType: 'selector', workloadNamespace: '' };
  expect(links.workload(billing).text).toBe('<a href="./workloads/-/selector/billing">billing</a>');
  expect(links.eviction('u1', 'then').text).toBe('<a href="./evictions/u1">then</a>');
});

it('links to lists have the parameters that are given', () => {
  expect(queryOf({ search: 'a b&c', node: undefined, only: '', offset: 50 })).toBe('?search=a+b%26c&offset=50');
  expect(queryOf({})).toBe('');
  expect(linksFrom('/nodes/x').list('pods', { node: 'x' }, 'all').text).toBe('<a href="../pods?node=x">all</a>');
});
