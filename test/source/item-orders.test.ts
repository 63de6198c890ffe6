import { expect, it } from 'vitest';

import type { ListedNodeReport } from '../../src/people/query/list-nodes.js';
import type { MeasuredPodReport } from '../../src/people/report/pod-report.js';
import { compareBy, isNear } from '../../src/serve/source/item-orders.js';
import { aPodStatus } from '../support/status-builders.js';

const limit = (ratio: number, unenforced?: 'exempt' | 'dedicated_imagefs') => ({
  rule: 'pod' as const,
  usedBytes: ratio,
  limitBytes: 1,
  ratio,
  unenforced,
});

type Fields = Pick<Partial<MeasuredPodReport>, 'timeToLimitMs' | 'nearestLimit'>;

it.each<[what: string, fields: Fields, isNear: boolean]>([
  ['without a limit', {}, false],
  ['below 80 % of a limit', { nearestLimit: limit(0.79) }, false],
  ['at 80 % of a limit', { nearestLimit: limit(0.8) }, true],
  ['above a limit of 0', { nearestLimit: limit(Infinity) }, true],
  ['at a limit that never evicts it', { nearestLimit: limit(2, 'exempt') }, false],
  ['at a limit that evicts it for a part of what it uses', { nearestLimit: limit(0.9, 'dedicated_imagefs') }, true],
  ['ten minutes before a limit', { nearestLimit: limit(0.5), timeToLimitMs: 600_000 }, true],
  ['more than ten minutes before a limit', { nearestLimit: limit(0.5), timeToLimitMs: 600_001 }, false],
])('a pod %s is near one: %j', (_what, fields, expected) => {
  expect(isNear(aPodStatus(fields))).toBe(expected);
});

it('the usual order of pods is by how soon they are evicted, then by size, then by name', () => {
  const pods = [
    aPodStatus({ pod: 'd-small', usedBytes: 1 }),
    aPodStatus({ pod: 'near', nearestLimit: limit(0.9) }),
    aPodStatus({ pod: 'c-large', usedBytes: 9 }),
    aPodStatus({ pod: 'later', nearestLimit: limit(0.5), timeToLimitMs: 7_200_000 }),
    aPodStatus({ pod: 'above', nearestLimit: limit(1.1) }),
    aPodStatus({ pod: 'b-small', usedBytes: 1 }),
    aPodStatus({ pod: 'soon', nearestLimit: limit(0.9), timeToLimitMs: 60_000 }),
  ];
  const names = pods.toSorted(compareBy('pods', undefined)).map(({ pod }) => pod);
  expect(names).toEqual(['above', 'soon', 'later', 'near', 'c-large', 'b-small', 'd-small']);
});

it('the usual order of nodes has one without space, on which nobody is evicted, after those that evict', () => {
  const pressure = (headroom: number) => ({ signal: 'nodefs.available', headroom, thresholdBytes: 10 });
  const nodes = [
    { node: 'ok', state: 'fresh', condition: 'ok' },
    { node: 'near', state: 'fresh', condition: 'near', pressure: pressure(1) },
    { node: 'silent', state: 'absent', condition: 'silent', reason: 'timeout' },
    { node: 'full', state: 'fresh', condition: 'no_space' },
    { node: 'evicting', state: 'fresh', condition: 'evicting', pressure: pressure(-1) },
  ] as unknown as readonly ListedNodeReport[];
  const names = nodes.toSorted(compareBy('nodes', undefined)).map(({ node }) => node);
  expect(names).toEqual(['evicting', 'full', 'silent', 'near', 'ok']);
});

it('an order that a list does not have is an error', () => {
  expect(() => compareBy('nodes', 'ratio')).toThrow('the list of nodes has no order ratio');
});
