import { describe, expect, it } from 'vitest';

import type { Pod } from '../../src/cluster/kube/objects.js';
import type { EvictionSignal } from '../../src/cluster/kubelet/eviction-signals.js';
import type { NodeThreshold } from '../../src/facts/node/node-thresholds.js';
import type { NodeSnapshot } from '../../src/facts/node/node-view.js';
import {
  type CandidatePod,
  nextVictims,
  rankVictims,
  victimRanking,
  victimsToFree,
} from '../../src/facts/node/victims.js';
import {
  aContainer,
  aContainerFs,
  aContainerSummary,
  aNodeSummary,
  aPod,
  aPodSummary,
  aVolume,
  aVolumeSummary,
} from '../support/builders.js';
import { aNodeSnapshot, aNodeThreshold } from '../support/snapshot-builders.js';

/** A pod with a container, an emptyDir and a hostPath. */
function candidate(
  name: string,
  { rootfs = 0, logs = 0, scratch = 0, host = 0, requestBytes = 0, priority = 0 },
): CandidatePod {
  return {
    pod: aPod({
      name,
      priority,
      containers: [aContainer({ requestBytes })],
      volumes: [aVolume({ name: 'scratch' }), aVolume({ name: 'host', type: 'hostpath' })],
    }),
    summary: aPodSummary({
      containers: [aContainerSummary({ rootfsBytes: rootfs, logsBytes: logs })],
      volumes: [
        aVolumeSummary({ name: 'scratch', usedBytes: scratch }),
        aVolumeSummary({ name: 'host', usedBytes: host }),
      ],
    }),
  };
}

const ranked = (
  pods: readonly CandidatePod[],
  {
    signal = 'nodefs.available',
    layout = 'shared',
  }: { signal?: EvictionSignal; layout?: 'shared' | 'dedicated' | 'split' } = {},
) => rankVictims(pods, { signal, layout, kubeletVersion: 'v1.37.1' });

describe('rankVictims', () => {
  it('equals have one rank, by name, and all count for the next one', () => {
    const victims = ranked([candidate('c', { logs: 1 }), candidate('b', { logs: 2 }), candidate('a', { logs: 2 })]);
    expect(victims.map(({ rank, pod }) => [rank, pod.name])).toEqual([
      [1, 'a'],
      [1, 'b'],
      [3, 'c'],
    ]);
  });

  it.each(['nodefs.available', 'nodefs.inodesFree'] as const)(
    'a pod with an impossible size is below its request to the kubelet, and what it frees is unknown: %s',
    (signal) => {
      const rootfs = aContainerFs({ usedBytes: 'impossible', inodesUsed: 'impossible' });
      const negative = { ...aContainerSummary({}), rootfs };
      const one = (name: string): CandidatePod => ({
        pod: aPod({ name }),
        summary: aPodSummary({ containers: [negative] }),
      });
      const victims = ranked(
        [one('b'), one('a'), candidate('none', {}), { pod: aPod({ name: 'first' }), summary: undefined }],
        { signal },
      );
      expect(victims.map(({ rank, usage, freed, pod }) => [rank, usage, freed, pod.name])).toEqual([
        [1, undefined, undefined, 'first'],
        [2, 0, 0, 'none'],
        [3, undefined, undefined, 'a'],
        [3, undefined, undefined, 'b'],
      ]);
    },
  );
});

describe('what evictions would free', () => {
  const large = candidate('large', { rootfs: 100, logs: 10, scratch: 20, host: 400 });
  const small = candidate('small', { rootfs: 40 });

  it.each([
    ['shared', 'nodefs.available', 130],
    ['dedicated', 'nodefs.available', 30],
    ['dedicated', 'imagefs.available', 100],
    ['split', 'containerfs.available', 130],
    ['split', 'imagefs.available', 0],
  ] as const)('an eviction frees (%s, %s) %i bytes, without those of a hostPath', (layout, signal, freed) => {
    expect(ranked([large], { layout, signal })[0]?.freed).toBe(freed);
  });

  it.each([
    [0, [], 0, true],
    [1, ['large'], 130, true],
    [130, ['large'], 130, true],
    [131, ['large', 'small'], 170, true],
    [171, ['large', 'small'], 170, false],
  ] as const)('the victims that free %i bytes are %j', (amount, names, freed, isEnough) => {
    const plan = victimsToFree(ranked([large, small]), amount);
    expect({ ...plan, victims: plan.victims.map(({ pod }) => pod.name) }).toEqual({ victims: names, freed, isEnough });
  });

  it('the victims that free bytes are none of the exempt pods', () => {
    const exempt = { ...large, pod: { ...large.pod, priority: 2_000_000_000 } };
    const plan = victimsToFree(ranked([exempt, small]), 41);
    expect(plan.victims.map(({ pod }) => pod.name)).toEqual(['small']);
  });
});

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

it('static pods are found in the summary by the UID of their manifest', () => {
  const snapshot = nodeWith([], [{ uid: 'mirror', kubeletUid: 'hash', isStatic: true }]);
  expect(victimRanking(snapshot)?.('nodefs.available')).toMatchObject([{ usage: 100, exempt: 'static' }]);
});
