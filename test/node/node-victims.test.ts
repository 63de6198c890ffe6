import { expect, it } from 'vitest';

import type { Pod } from '../../src/cluster/kube/objects.js';
import type { NodeThreshold } from '../../src/facts/node/node-thresholds.js';
import type { NodeSnapshot } from '../../src/facts/node/node-view.js';
import { nextVictims, victimRanking } from '../../src/facts/node/victims.js';
import { aContainerSummary, aNodeSummary, aPod, aPodSummary } from '../support/builders.js';
import { aNodeSnapshot, aNodeThreshold } from '../support/snapshot-builders.js';

/** Each with usage of its own: the first has the most. */
function nodeWith(thresholds: readonly Partial<NodeThreshold>[], pods: readonly Partial<Pod>[]): NodeSnapshot {
  const podsOnNode = pods.map((pod, index) => aPod({ name: `cart-${index}`, ...pod }));
  return aNodeSnapshot({
    podsOnNode,
    summary: aNodeSummary({
      pods: podsOnNode.map(({ name, kubeletUid }, index) =>
        aPodSummary({ name, uid: kubeletUid, containers: [aContainerSummary({ logsBytes: 100 - index })] }),
      ),
    }),
    thresholds: thresholds.map(aNodeThreshold),
  });
}

const namesOf = (snapshot: NodeSnapshot) => nextVictims(snapshot).map(({ victim, rank }) => [rank, victim.pod.name]);

it('the next victims are five for each signal with a threshold ', () => {
  const near = { signal: 'imagefs.available', headroom: 1, threshold: 100 } as const;
  const far = { signal: 'nodefs.available', headroom: 900, threshold: 100 } as const;
  const soft = { ...far, gracePeriodMs: 1000 };
  const victims = nextVictims(nodeWith([far, soft, near], [{}, {}, {}, {}, {}, {}, {}]));
  expect(victims.map(({ signal, rank }) => [signal, rank])).toEqual(
    ['nodefs.available', 'imagefs.available'].flatMap((signal) => [1, 2, 3, 4, 5].map((rank) => [signal, rank])),
  );
});

it('the next victims are counted without pods that are never evicted, and equals have one rank', () => {
  const exempt = { isStatic: true };
  const gone = { kubeletUid: 'not-in-the-summary' };
  const snapshot = nodeWith([{}], [exempt, {}, { priority: 1 }]);
  expect(namesOf(snapshot)).toEqual([
    [1, 'cart-1'],
    [2, 'cart-2'],
  ]);
  const podsOnNode = [...snapshot.podsOnNode, aPod({ name: 'a', ...gone }), aPod({ name: 'b', ...gone })];
  expect(namesOf({ ...snapshot, podsOnNode })).toEqual([
    [1, 'a'],
    [1, 'b'],
    [3, 'cart-1'],
    [4, 'cart-2'],
  ]);
});

it.each([0, 3])('the next victims are unknown where pods are unread, %i in the summary', (unreadPodCount) => {
  const snapshot = { ...nodeWith([{}], [{}]), unreadPodCount };
  expect(nextVictims(snapshot)).toEqual([]);
  expect(victimRanking(snapshot)).toBeUndefined();
});

it('static pods are found in the summary by the UID of their manifest', () => {
  const snapshot = nodeWith([], [{ uid: 'mirror', kubeletUid: 'hash', isStatic: true }]);
  expect(victimRanking(snapshot)?.('nodefs.available')).toMatchObject([{ usage: 100, exempt: 'static' }]);
});
