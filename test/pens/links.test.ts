import { expect, it } from 'vitest';

import { addressOf, linksFrom, queryOf } from '../../src/people/pens/html-line.js';

it.each([
  ['/', './'],
  ['/pods', './'],
  ['/nodes/node-1', '../'],
  ['/pods/shop/cart-0', '../../'],
  ['/workloads/-/selector/billing', '../../../'],
])('links of the page %s lead to its root by %s, whatever prefix it is served below', (path, root) => {
  expect(linksFrom(path).root).toBe(root);
});

it('what is in a name cannot leave its part of the address', () => {
  expect(addressOf('./', ['nodes', 'a/../b?c#d'])).toBe('./nodes/a%2F..%2Fb%3Fc%23d');
});

it.each([
  ['a.example.com', 'a'],
  ['node a.example.com, b.example.com.', 'node a, b.'],
  ['a.example.com.local b.example.community .example.com', 'a.example.com.local b.example.community .example.com'],
])('in "%s", names of nodes are shortened where they end: "%s"', (text, shown) => {
  expect(linksFrom('/', '.example.com').shortened(text)).toBe(shown);
});

it('links to lists have the parameters that are given', () => {
  expect(queryOf({ search: 'a b&c', node: undefined, only: '', offset: 50 })).toBe('?search=a+b%26c&offset=50');
  expect(queryOf({})).toBe('');
});
