import { expect, it } from 'vitest';

import type { Pod } from '../../src/cluster/kube/objects.js';
import type { PodScope } from '../../src/facts/node/join.js';
import { NodeTrackers } from '../../src/facts/node/node-trackers.js';
import { nextVictims } from '../../src/facts/node/victims.js';
import { anFsStats, aNode, aNodeSummary, aPod, aPodSummary } from '../support/builders.js';
import { ManualClock } from '../support/manual-clock.js';
import { aFreshLookup, podsOfNode, trackerOptions } from '../support/tracker-options.js';

const graceMs = 60_000;
const node = aNode({ name: 'node-1' });
const shopPod = aPod({ name: 'cart-0', uid: 'cart-0', kubeletUid: 'cart-0', nodeName: node.name, phase: 'Running' });
const opsPod = { ...shopPod, namespace: 'ops', name: 'log-0', uid: 'log-0', kubeletUid: 'log-0' };
const everything: PodScope = { namespaces: [], hasPodSelector: false };

interface Scene {
  readonly scope?: PodScope;
  readonly known?: readonly Pod[];
  readonly listed?: readonly Pick<Pod, 'namespace' | 'name' | 'uid'>[];
  readonly unlistedNamespaces?: readonly string[];
}

/** A node below its threshold. */
function setUp({ scope = everything, known = [shopPod], listed = known, unlistedNamespaces = [] }: Scene) {
  const clock = new ManualClock();
  const pods = { ...podsOfNode(() => known), unlistedNamespaces: () => unlistedNamespaces };
  const trackers = new NodeTrackers(trackerOptions({ pods, scope, clock }));
  const summary = aNodeSummary({
    nodefs: anFsStats({ capacityBytes: 100_000, availableBytes: 1_000 }),
    pods: listed.map(({ namespace, name, uid }) => aPodSummary({ namespace, name, uid, usedBytes: 5 })),
  });
  const lookup = aFreshLookup(summary);
  const read = () => {
    const view = trackers.of(node).view(node, lookup);
    if (view.state === 'absent') throw new Error(`absent: ${view.reason}`);
    const { snapshot, objects } = view;
    return {
      unreadPodCount: snapshot.unreadPodCount,
      ranked: [...new Set(nextVictims(snapshot).map(({ victim }) => victim.pod.name))],
      counts: [objects.runningPodCount, objects.runningContainerCount],
    };
  };
  return { clock, read };
}

const counted = [1, shopPod.runningContainerCount];
const unknown = [undefined, undefined];

it.each<readonly [string, Scene, number]>([
  ['cluster.namespaces', { scope: { namespaces: ['shop'], hasPodSelector: false }, listed: [shopPod, opsPod] }, 1],
  ['cluster.podSelector', { scope: { namespaces: [], hasPodSelector: true }, listed: [shopPod, opsPod] }, 1],
  [
    'a namespace that is not listed',
    {
      scope: { namespaces: ['shop', 'ops'], hasPodSelector: false },
      listed: [shopPod, opsPod],
      unlistedNamespaces: ['ops'],
    },
    1,
  ],
  ['settings that leave out no pod of the summary', { scope: { namespaces: ['shop'], hasPodSelector: false } }, 0],
])('a node of which a part of the pods is read has neither ranks nor counts: %s', (_case, scene, unreadPodCount) => {
  expect(setUp(scene).read()).toMatchObject({ unreadPodCount, ranked: [], counts: unknown });
});

it('an unknown pod hides the ranks of its node after the grace period, and no counts', async () => {
  const { clock, read } = setUp({ listed: [shopPod, opsPod] });
  expect(read()).toMatchObject({ unreadPodCount: undefined, ranked: ['cart-0'], counts: counted });
  await clock.advance(graceMs);
  expect(read()).toMatchObject({ unreadPodCount: undefined, ranked: ['cart-0'] });
  await clock.advance(1);
  expect(read()).toMatchObject({ unreadPodCount: 1, ranked: [], counts: counted });
});
