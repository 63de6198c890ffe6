import { describe, expect, it } from 'vitest';

import { parseSelector } from '../../src/cluster/kube/selector-parser.js';
import { nodesInScope, scrapeOrder } from '../../src/facts/scrape/node-policy.js';
import { aNode } from '../support/builders.js';

const node = (name: string, labels: Record<string, string> = {}) => aNode({ name, labels });
const names = (nodes: readonly { readonly name: string }[]) => nodes.map(({ name }) => name);

describe('nodesInScope', () => {
  const policy = {
    nodeSelector: parseSelector('pool!=system'),
    skipSelectors: [parseSelector('type=virtual-kubelet')],
  };

  it('nodes that the selector does not match are left out, and those without summaries are skipped', () => {
    const nodes = [
      node('a'),
      node('b', { pool: 'system' }),
      node('c', { type: 'virtual-kubelet' }),
      node('d', { pool: 'system', type: 'virtual-kubelet' }),
    ];
    const { targets, skipped } = nodesInScope(nodes, policy);
    expect(names(targets)).toEqual(['a']);
    expect(names(skipped)).toEqual(['c']);
  });

  it.each([
    ['undefined', undefined, ['a'], undefined],
    ['there', 'a', ['a'], undefined],
    ['there but left out by the node selector', 'b', ['a', 'b'], undefined],
    ['not there', 'z', ['a'], 'z'],
  ])('the only node is missing when it is not in the cluster: it is %s', (_case, onlyNode, there, missing) => {
    const nodes = there.map((name) => node(name, name === 'b' ? { pool: 'system' } : {}));
    expect(nodesInScope(nodes, { ...policy, onlyNode }).missing).toBe(missing);
  });
});

describe('scrapeOrder', () => {
  const nodes = ['a', 'b', 'c', 'd'].map((name) => node(name));

  const unknown = { lastServedIn: () => undefined, hasFailed: () => false };

  it('a scrape begins with the nodes that have waited for longest', () => {
    const turns = new Map([
      ['a', 2],
      ['b', 1],
      ['d', 1],
    ]);
    const lastServedIn = (name: string): number | undefined => turns.get(name);
    expect(names(scrapeOrder(nodes, 3, { ...unknown, lastServedIn }))).toEqual(['c', 'd', 'b', 'a']);
  });

  it('a scrape ends with the nodes that failed last time', () => {
    const hasFailed = (name: string): boolean => ['b', 'd'].includes(name);
    expect(names(scrapeOrder(nodes, 1, { ...unknown, hasFailed }))).toEqual(['c', 'a', 'b', 'd']);
  });
});
