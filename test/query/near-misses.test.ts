import { expect, it } from 'vitest';

import type { Pod } from '../../src/kube/objects.js';
import { parseSelector } from '../../src/kube/selector.js';
import { NearMisses } from '../../src/query/near-misses.js';
import { aPod } from '../support/builders.js';

function misses(selector: string, pods: readonly Pod[], namespaces: readonly string[] = []) {
  const near = new NearMisses({ name: 'billing', selector: parseSelector(selector), namespaces }, 10);
  for (const pod of pods) near.add(pod);
  return near.ranked().items;
}

const names = (found: readonly { readonly pod: string }[]): readonly string[] => found.map(({ pod }) => pod);

it('a near miss meets all requirements but one, and says each', () => {
  const pods = [
    aPod({ name: 'legacy', labels: { app: 'billing', legacy: 'true' } }),
    aPod({ name: 'other', labels: { app: 'cart', legacy: 'true' } }),
  ];
  expect(misses('app=billing,!legacy', pods)).toEqual([
    {
      namespace: 'shop',
      pod: 'legacy',
      requirements: [
        { requirement: 'app=billing', isMet: true, found: 'billing' },
        { requirement: '!legacy', isMet: false, found: 'true' },
      ],
    },
  ]);
});

it('a near miss may be in another namespace', () => {
  const pods = [
    aPod({ name: 'elsewhere', namespace: 'test', labels: { app: 'billing' } }),
    aPod({ name: 'both', namespace: 'test' }),
  ];
  expect(misses('app=billing', pods, ['finance', 'ops'])).toEqual([
    {
      namespace: 'test',
      pod: 'elsewhere',
      requirements: [
        { requirement: 'namespace in (finance,ops)', isMet: false, found: 'test' },
        { requirement: 'app=billing', isMet: true, found: 'billing' },
      ],
    },
  ]);
});

it('a near miss of the only requirement is a value that is almost right: else every pod would be near', () => {
  const pods = [
    aPod({ name: 'typo', labels: { app: 'biling' } }),
    aPod({ name: 'other', labels: { app: 'cart' } }),
    aPod({ name: 'bare' }),
  ];
  expect(names(misses('app=billing', pods))).toEqual(['typo']);
});

it('a near miss is no inherited property', () => {
  const [miss] = misses('constructor,app=billing', [aPod({ name: 'a', labels: { app: 'billing' } })]);
  expect(miss?.requirements[0]).toEqual({ requirement: 'constructor', isMet: false, found: undefined });
});

it('near misses come in the order of how near they are, then by name', () => {
  const namespaces = ['finance'];
  const inside = { namespace: 'finance' } as const;
  const pods = [
    aPod({ ...inside, name: 'absent', labels: { tier: 'x' } }),
    aPod({ ...inside, name: 'value-b', labels: { tier: 'x', app: 'cart' } }),
    aPod({ ...inside, name: 'value-a', labels: { tier: 'x', app: 'search' } }),
    aPod({ ...inside, name: 'typo', labels: { tier: 'x', app: 'biling' } }),
    aPod({ namespace: 'test', name: 'elsewhere', labels: { tier: 'x', app: 'billing' } }),
  ];
  const found = misses('app=billing,tier', pods, namespaces);
  expect(names(found)).toEqual(['elsewhere', 'typo', 'value-a', 'value-b', 'absent']);
});

it('an empty selector has no near miss', () => {
  expect(misses('', [aPod()])).toEqual([]);
});

it('the first of many are kept, whatever the order in which pods are added, and all are counted', () => {
  const near = new NearMisses({ name: 'billing', selector: parseSelector('app=billing,tier=back'), namespaces: [] }, 2);
  for (const name of ['c', 'b', 'a', 'd']) near.add(aPod({ name, labels: { app: 'other', tier: 'back' } }));
  near.add(aPod({ name: 'z', labels: { app: 'biling', tier: 'back' } }));
  near.add(aPod({ name: 'far', labels: { app: 'other', tier: 'front' } }));
  near.add(aPod({ name: 'of-it', labels: { app: 'billing', tier: 'back' } }));
  const { items, totalCount } = near.ranked();
  expect([names(items), totalCount]).toEqual([['z', 'a'], 5]);
});
