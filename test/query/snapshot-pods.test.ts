import { expect, it } from 'vitest';

import { SnapshotPods } from '../../src/query/snapshot-pods.js';
import { aContainer, aPod } from '../support/builders.js';
import { aBoundPod, aLimitRatio, aMeasuredPod, aNodeSnapshot } from '../support/snapshot-builders.js';

const limited = aMeasuredPod({
  pod: aPod({ name: 'cart-0', uid: 'cart', containers: [aContainer({ limitBytes: 10 })] }),
  ratios: [aLimitRatio({ rule: 'pod', usedBytes: 3, limitBytes: 10 })],
});
const free = aMeasuredPod({ name: 'Web-0', namespace: 'ops', pod: undefined });

it.each([
  [['cart'], true],
  [['cart', 'web'], true],
  [['ops/web'], true],
  [['cart', 'none'], false],
  [[], true],
])('a node may have pods with the words %j: %s', (words, expected) => {
  expect(new SnapshotPods(aNodeSnapshot({ pods: [limited, free] })).mayMatch(words)).toBe(expected);
});

it('the other pods of a node follow the pods that are bound to it', () => {
  const pods = new SnapshotPods(aNodeSnapshot({ pods: [limited, free] }));
  const young = aBoundPod({ pod: aPod({ name: 'young-0', uid: 'young' }) });
  const ended = aBoundPod({ pod: aPod({ name: 'ended-0', uid: 'ended', phase: 'Failed' }) });
  const own = aBoundPod({ pod: aPod({ name: 'cart-0', uid: 'cart' }) });
  for (const [bound, others] of [
    [[own, young, ended], [young]],
    [[own], []],
  ] as const) {
    expect(pods.othersOf(bound)).toEqual(others);
  }
});

it('a pod that is measured and not shown is one of the others', () => {
  const own = aBoundPod({ pod: aPod({ name: 'cart-0', uid: 'cart' }) });
  const snapshot = aNodeSnapshot({ pods: [limited, free] });
  expect(new SnapshotPods(snapshot).othersOf([own])).toEqual([]);
  expect(new SnapshotPods({ ...snapshot, pods: [free] }).othersOf([own])).toEqual([own]);
});
