import { expect, it } from 'vitest';

import { compareBy } from '../../src/serve/source/item-orders.js';
import { aPodStatus } from '../support/status-builders.js';

it('the usual order of pods is by how soon they are evicted, then by size, then by name', () => {
  const pods = [
    aPodStatus({ pod: 'd-small', usedBytes: 1 }),
    aPodStatus({ pod: 'near', urgency: 0.9 }),
    aPodStatus({ pod: 'c-large', usedBytes: 9 }),
    aPodStatus({ pod: 'above', urgency: 3.1 }),
    aPodStatus({ pod: 'b-small', usedBytes: 1 }),
    aPodStatus({ pod: 'soon', urgency: 2.1 }),
  ];
  const names = pods.toSorted(compareBy('pods', undefined)).map(({ pod }) => pod);
  expect(names).toEqual(['above', 'soon', 'near', 'c-large', 'b-small', 'd-small']);
});

it('an order that a list does not have is an error', () => {
  expect(() => compareBy('nodes', 'ratio')).toThrow('the list of nodes has no order ratio');
});
