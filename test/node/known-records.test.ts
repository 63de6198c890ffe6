import { describe, expect, it } from 'vitest';

import type { Pod } from '../../src/cluster/kube/objects.js';
import type { PodSummary } from '../../src/cluster/kubelet/summary.js';
import { NodeTrackers } from '../../src/facts/node/node-trackers.js';
import type { PodRecord } from '../../src/facts/node/pod-record.js';
import { WorkloadResolver } from '../../src/facts/workload/workload-resolver.js';
import { aContainer, aNode, aNodeSummary, aPod, aPodSummary } from '../support/builders.js';
import { aFreshLookup, podsOfNode, trackerOptions } from '../support/tracker-options.js';

const node = aNode();
const web = aPod({ nodeName: node.name, containers: [aContainer({ name: 'main', limitBytes: 1_000 })] });
const using = (usedBytes: number, name = web.name): PodSummary =>
  aPodSummary({ name, uid: name === web.name ? web.kubeletUid : `uid-${name}`, usedBytes });

/** Each call is a new summary. */
function recordsOf(
  pods: readonly Pod[],
  resolver = new WorkloadResolver({ selectors: [], labels: [], controllers: false }),
) {
  let bytesPerSecond = 0;
  let listed: readonly PodSummary[] = [];
  const trackers = new NodeTrackers(
    trackerOptions({
      pods: podsOfNode(() => pods),
      maxUnknownPods: 1,
      resolver,
      growth: () => new Map(listed.map((pod) => [pod, bytesPerSecond])),
    }),
  );
  return (summaries: readonly PodSummary[], growth = 0): readonly PodRecord[] => {
    bytesPerSecond = growth;
    listed = summaries.map((pod) => ({ ...pod }));
    const summary = aNodeSummary({ pods: listed });
    const view = trackers.of(node).view(node, aFreshLookup(summary));
    return view.state === 'absent' ? [] : view.snapshot.listedPods;
  };
}

describe('the record of a pod whose sizes are those of before', () => {
  it('what was derived of it is kept, with its new entry', () => {
    const records = recordsOf([web]);
    const [before] = records([using(100)]);
    const [after] = records([using(100)]);
    expect(after?.containers).toBe(before?.containers);
    expect(after?.summary).not.toBe(before?.summary);
    const [grown] = records([using(101)]);
    expect(grown?.containers).not.toBe(before?.containers);
  });

  it('what was derived of a pod with its UID is not kept', () => {
    const ofShop = { name: 'shop', namespaces: ['shop'], selector: [] };
    const records = recordsOf([], new WorkloadResolver({ selectors: [ofShop], labels: [], controllers: false }));
    const counts = ['shop', 'evil'].map((namespace) => records([{ ...using(5), namespace }])[0]?.workloads.length);
    expect(counts).toEqual([1, 0]);
  });

  it.each([
    { pod: 'that grows all of a sudden', usedBytes: 500, growth: [0, 10], evictionMs: 50_000 },
    { pod: 'that no longer grows towards its limit', usedBytes: 500, growth: [10, 0], evictionMs: undefined },
    { pod: 'that no longer grows near its limit', usedBytes: 900, growth: [10, 0], evictionMs: Infinity },
  ])(
    'the time to an eviction of a pod $pod is not that of before',
    ({ usedBytes, growth: [first, next], evictionMs }) => {
      const records = recordsOf([web]);
      records([using(usedBytes)], first);
      expect(records([using(usedBytes)], next)[0]?.evictionMs).toBe(evictionMs);
    },
  );

  it('a pod that loses its name to another one has no name, and no more have its containers', () => {
    const records = recordsOf([]);
    const namesOf = (of: readonly PodRecord[]) =>
      of.map(({ isNameless, containers }) => [isNameless, ...containers.map(({ container }) => container)]);
    expect(namesOf(records([using(5, 'b')]))).toEqual([[false, 'main']]);
    expect(namesOf(records([using(5, 'a'), using(5, 'b')]))).toEqual([
      [false, 'main'],
      [true, ''],
    ]);
  });
});
