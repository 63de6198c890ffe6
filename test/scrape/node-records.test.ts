import { setImmediate as nextTurn } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { TimeSlicer } from '../../src/base/time-slicer.js';
import type { Pod } from '../../src/kube/objects.js';
import type { CacheLookup } from '../../src/kubelet/kubelet-cache.js';
import { NodeRecords } from '../../src/scrape/node-records.js';
import { WorkloadResolver } from '../../src/workload/workload-resolver.js';
import { aContainer, aNode, aNodeSummary, aPod, aPodSummary } from '../support/builders.js';
import { ManualClock } from '../support/manual-clock.js';

const names = ['web-0', 'web-1', 'web-2', 'web-3'];
const node = aNode();
const limited = (limitBytes: number) => (name: string) =>
  aPod({ name, uid: name, kubeletUid: name, nodeName: node.name, containers: [aContainer({ limitBytes })] });

/** Counts the pods of summaries of which something is derived: they are looked up by their namespaces. */
class CountingResolver extends WorkloadResolver {
  count = 0;

  override workloadsOf(pod: Pod | undefined, namespace?: string) {
    if (namespace !== undefined) this.count += 1;
    return super.workloadsOf(pod, namespace ?? '');
  }
}

function setUp() {
  let pods = names.map(limited(10));
  const resolver = new CountingResolver({ selectors: [], labels: [], controllers: false });
  const records = new NodeRecords({
    pods: {
      podsOn: () => pods,
      boundNodeNames: () => [node.name],
      unlistedNamespaces: () => [],
      findPod: (_namespace, name) => pods.find((pod) => pod.name === name),
      isDeleted: () => false,
    },
    resolver,
    attribution: 'measured',
    scope: { namespaces: [], hasPodSelector: false },
    showsAllPods: true,
    sidecars: 'auto',
    maxUnknownPods: 20,
    clock: new ManualClock(),
    graceMs: 60_000,
  });
  const summary = aNodeSummary({ pods: names.map((name) => aPodSummary({ name, uid: name, usedBytes: 5 })) });
  const lookup: CacheLookup = { state: 'fresh', summary, configuration: undefined, ageMs: 0, fetchedAtMs: 0 };
  // Each look at the clock is the end of a slice.
  let elapsedMs = 0;
  const monotonicMs = (): number => (elapsedMs += 1_000);
  const slicer = new TimeSlicer({
    nowMs: () => 0,
    monotonicMs,
    steadyNowMs: monotonicMs,
    sleep: () => Promise.resolve(),
  });
  const prepare = () => records.of(node).prepare(node, lookup, slicer);
  return { records, lookup, resolver, prepare, setPods: (changed: Pod[]) => (pods = changed) };
}

describe('a node', () => {
  it('H1: is derived pod by pod, with turns of the event loop between them', async () => {
    const { prepare, resolver } = setUp();
    const pending = prepare();
    const counts = new Set<number>();
    while (resolver.count < names.length) {
      counts.add(resolver.count);
      await nextTurn();
    }
    expect((await pending).snapshot?.pods.map(({ name }) => name)).toEqual(names);
    expect([...counts]).toEqual([0, 1, 2, 3]);
  });

  it('H1: has pods that changed meanwhile as they are now', async () => {
    const { prepare, resolver, setPods } = setUp();
    const pending = prepare();
    while (resolver.count < names.length - 1) await nextTurn();
    setPods(names.slice(0, 2).map(limited(20)));
    const { snapshot } = await pending;
    expect(snapshot?.pods.map(({ name, pod, limitBytes }) => [name, pod?.uid, limitBytes])).toEqual([
      ['web-0', 'web-0', 20],
      ['web-1', 'web-1', 20],
      ['web-2', undefined, undefined],
      ['web-3', undefined, undefined],
    ]);
  });

  it('is derived once for scrapes that run at once, and not again until something changes', async () => {
    const { prepare, resolver, records, lookup } = setUp();
    const [first, second] = await Promise.all([prepare(), prepare()]);
    expect(resolver.count).toBe(names.length);
    expect(second.snapshot).toBe(first.snapshot);
    expect((await prepare()).snapshot).toBe(first.snapshot);
    expect(records.of(node).scraped(node, lookup, 0).state).toMatchObject({ snapshot: { unknownPods: [] } });
    expect(resolver.count).toBe(names.length);
  });
});
