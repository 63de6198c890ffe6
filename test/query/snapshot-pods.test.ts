import fc from 'fast-check';
import { expect, it } from 'vitest';

import type { PodRecord } from '../../src/facts/node/pod-record.js';
import { byNames } from '../../src/lib/base/ranking.js';
import { SnapshotPods } from '../../src/people/query/snapshot-pods.js';
import { aContainer, aPod } from '../support/builders.js';
import { aBoundPod, aLimitRatio, aMeasuredPod, aNodeSnapshot } from '../support/snapshot-builders.js';

const limited = aMeasuredPod({
  pod: aPod({ name: 'cart-0', uid: 'cart', containers: [aContainer({ limitBytes: 10 })] }),
  ratios: [aLimitRatio({ rule: 'pod', usedBytes: 3, limitBytes: 10 })],
});
const free = aMeasuredPod({ name: 'Web-0', namespace: 'ops', pod: undefined });

it.each([
  [['cart'], 1],
  [['cart', 'web'], 0],
  [['ops/web'], 1],
  [['-0'], 2],
  [['-0', 'ops'], 1],
  [[], 2],
])('the pods of a node with all of the words %j are %d', (words, expected) => {
  expect(new SnapshotPods(aNodeSnapshot({ pods: [limited, free] })).matchCount(words)).toBe(expected);
});

/** As a kubelet that lies has them, too. */
const hostileName = fc.string({ unit: fc.constantFrom('a', 'B', 'b', '/', '\n', '\u0130'), maxLength: 6 });

it('the pods with all of the words are counted as if each was looked at', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ namespace: hostileName, name: hostileName }), { maxLength: 8 }),
      fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '/', 'i'), minLength: 1, maxLength: 3 }), { maxLength: 3 }),
      (names, words) => {
        const pods = names.map(({ namespace, name }) => aMeasuredPod({ namespace, name, pod: undefined }));
        const texts = names.map(({ namespace, name }) => `${namespace}/${name}`.toLowerCase());
        const expected = texts.filter((text) => words.every((word) => text.includes(word))).length;
        expect(new SnapshotPods(aNodeSnapshot({ pods })).matchCount(words)).toBe(expected);
      },
    ),
  );
});

it('the first pod of an order is kept, one for each order', () => {
  const pods = new SnapshotPods(aNodeSnapshot({ pods: [limited, free] }));
  const byName = byNames<PodRecord>(({ summary }) => [summary.name]);
  const found = [pods.first('name', byName), pods.first('last', (a, b) => byName(b, a)), pods.first('name', () => NaN)];
  expect(found).toEqual([free, limited, free]);
  expect(new SnapshotPods(aNodeSnapshot({ pods: [] })).first('name', byName)).toBeUndefined();
});

it('a pod that is measured and not shown is one of the others', () => {
  const own = aBoundPod({ pod: aPod({ name: 'cart-0', uid: 'cart' }) });
  const snapshot = aNodeSnapshot({ pods: [limited, free] });
  expect(new SnapshotPods(snapshot).othersOf([own])).toEqual([]);
  expect(new SnapshotPods({ ...snapshot, pods: [free] }).othersOf([own])).toEqual([own]);
});
