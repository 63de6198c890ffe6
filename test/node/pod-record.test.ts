import { describe, expect, it } from 'vitest';

import type { PodSummary } from '../../src/cluster/kubelet/summary.js';
import { nothingFrozen } from '../../src/facts/node/frozen-statistics.js';
import { nodeLayout } from '../../src/facts/node/node-layout.js';
import { NodeMemory } from '../../src/facts/node/node-memory.js';
import { boundPod } from '../../src/facts/node/node-objects.js';
import { createNodeSnapshot } from '../../src/facts/node/node-snapshot.js';
import { type DerivedPods, deriveMeasured, haveSameSizes, podContexts } from '../../src/facts/node/pod-record.js';
import { WorkloadResolver } from '../../src/facts/workload/workload-resolver.js';
import {
  aContainer,
  aContainerFs,
  aContainerSummary,
  aMount,
  aNode,
  aNodeSummary,
  aPod,
  aPodSummary,
  aVolume,
  aVolumeSummary,
} from '../support/builders.js';

const node = aNode();
const contextOf = podContexts('measured');
const resolver = new WorkloadResolver({ selectors: [], labels: [], controllers: true });

/** A node with pods `a`, of 8 bytes, and `b`, without a total. `growth`: of each, in bytes per second. */
function recorded({
  growth = {},
  ...of
}: { readonly growth?: Readonly<Record<string, number>>; readonly phase?: string } = {}) {
  const container = aContainer({ name: 'app', limitBytes: 100, mounts: [aMount('cache')] });
  const pods = ['a', 'b'].map((name) =>
    aPod({ name, nodeName: node.name, containers: [container], volumes: [aVolume({ name: 'cache' })], ...of }),
  );
  const ofPod = { containers: [aContainerSummary({ name: 'app', logsBytes: 5 }), aContainerSummary({ name: 'x' })] };
  const summary = aNodeSummary({
    pods: [
      aPodSummary({ name: 'a', usedBytes: 8, ...ofPod }),
      aPodSummary({ name: 'b', usedBytes: undefined, ...ofPod }),
    ],
  });
  const layout = nodeLayout(summary);
  const context = contextOf(node, layout);
  const derived: DerivedPods = new Map();
  const snapshot = createNodeSnapshot(
    {
      node,
      summary,
      arrivedAtMs: 0,
      layout,
      configuration: undefined,
      conditionSeenAtMs: -Infinity,
      memory: new NodeMemory(),
      frozen: nothingFrozen,
      context,
      derived,
    },
    pods.map((pod) => boundPod(pod, resolver)),
    {
      pods: {
        podsOn: () => pods,
        boundNodeNames: () => [node.name],
        unlistedNamespaces: () => [],
        findPod: (_namespace, name) => pods.find((pod) => pod.name === name),
        isDeleted: () => false,
      },
      resolver,
      contextOf,
      scope: { namespaces: [], hasPodSelector: false },
      showsAllPods: false,
      maxUnknownPods: 20,
      growth: () => new Map(summary.pods.map((pod) => [pod, growth[pod.name] ?? 0])),
      ttlMs: 10_000,
    },
  );
  const [measured] = snapshot.pods;
  const [unmeasured] = snapshot.podsWithoutTotal;
  if (measured === undefined || unmeasured === undefined) throw new Error('a pod of the summary has no record');
  return { snapshot, measured, unmeasured, context, derived, pods, summary };
}

it('the record of a pod has what both servers said, and what sums and warnings need', () => {
  const { measured, pods, summary, snapshot } = recorded({ growth: { a: 5 } });
  expect(measured).toEqual({
    summary: summary.pods[0],
    bound: snapshot.listedPods[0]?.bound,
    workloads: resolver.workloadsOf(pods[0] ?? aPod()),
    isNameless: false,
    isPending: true,
    containers: [
      { container: 'app', usedBytes: 4, maxUsedBytes: 4 },
      { container: '', usedBytes: 4, maxUsedBytes: 4 },
    ],
    unknownItems: { containerCount: 1, volumeCount: 0 },
    evictionMs: 18_400,
  });
  expect(measured.bound?.pod).toBe(pods[0]);
  expect(snapshot.evictionMs).toBe(18_400);
  expect(snapshot.unknownItems).toEqual({ containerCount: 1, volumeCount: 0 });
});

it('the record of a pod without a total has only what limits of containers say', () => {
  const { unmeasured, snapshot } = recorded({ growth: { b: 5 } });
  expect(unmeasured).toMatchObject({
    isPending: false,
    containers: [{ container: 'app', usedBytes: undefined }, { usedBytes: undefined }],
    evictionMs: 19_000,
  });
  expect(snapshot.evictionMs).toBe(19_000);
});

it('a pod that should have a total and has none is an error', () => {
  const { measured, unmeasured, context } = recorded();
  expect(deriveMeasured(measured, context).usage.usedBytes).toBe(8);
  expect(() => deriveMeasured(unmeasured, context)).toThrow('pod shop/b has no total');
});

describe('the context of pods', () => {
  const layout = { hasDedicatedImagefs: undefined, hasSplitImagefs: undefined };
  const former = contextOf(aNode({ kubeletVersion: 'v1.36.0' }), layout);

  it.each([
    ['is the same where nothing makes a difference', { kubeletVersion: 'v1.35.2', name: 'b' }, {}, true],
    ['is another one where kubelets hold sidecars to limits', { kubeletVersion: 'v1.37.0' }, {}, false],
    ['is another one where no limits are enforced', { enforcesStorageLimits: false }, {}, false],
    ['is another one with images on their own disk', {}, { hasDedicatedImagefs: true }, false],
    ['is the same with images on the disk of the node', {}, { hasDedicatedImagefs: false }, true],
  ])('the context of pods %s', (_case, ofNode, ofLayout, expected) => {
    const context = contextOf(aNode({ kubeletVersion: 'v1.36.0', ...ofNode }), { ...layout, ...ofLayout });
    expect(context === former).toBe(expected);
  });
});

const container = { name: 'app', rootfs: aContainerFs({ usedBytes: 5 }), logs: aContainerFs({ usedBytes: 2 }) };
const volume = aVolumeSummary({ name: 'cache', usedBytes: 7 });
const pod: Partial<PodSummary> = {
  usedBytes: 14,
  containers: [container],
  volumes: [volume],
  others: { containerCount: 1, volumeCount: 2 },
};
const isSame = (changes: Partial<PodSummary>): boolean =>
  haveSameSizes(aPodSummary(pod), aPodSummary({ ...pod, ...changes }));

describe('haveSameSizes', () => {
  it.each<[string, Partial<PodSummary>]>([
    ['nothing', {}],
    ['the inodes of the pod', { inodesUsed: 9 }],
    ['the start of the pod', { startTimeMs: 9 }],
    ['the pressure of the pod', { ioPressure: { waitingUs: 1, stalledUs: 1 } }],
    [
      'the inodes of a container',
      { containers: [{ ...container, logs: aContainerFs({ usedBytes: 2, inodesUsed: 9 }) }] },
    ],
    [
      'the filesystem of a container',
      { containers: [{ ...container, rootfs: aContainerFs({ usedBytes: 5, availableBytes: 9 }) }] },
    ],
    ['the time of a volume', { volumes: [{ ...volume, timeMs: 9 }] }],
    ['what is available to a volume', { volumes: [{ ...volume, availableBytes: 9 }] }],
  ])('entries that differ in %s have the same sizes', (_, changes) => {
    expect(isSame(changes)).toBe(true);
  });

  it.each<[string, Partial<PodSummary>]>([
    ['the total', { usedBytes: 15 }],
    ['whether there is a total', { usedBytes: undefined }],
    ['the number of containers that one stands for', { others: { containerCount: 2, volumeCount: 2 } }],
    ['the number of volumes that one stands for', { others: { containerCount: 1, volumeCount: 3 } }],
    ['the number of containers', { containers: [container, container] }],
    ['the name of a container', { containers: [{ ...container, name: 'web' }] }],
    ['the writable layer', { containers: [{ ...container, rootfs: aContainerFs({ usedBytes: 6 }) }] }],
    ['the logs', { containers: [{ ...container, logs: aContainerFs({ usedBytes: 3 }) }] }],
    ['whether there are logs', { containers: [{ ...container, logs: undefined }] }],
    ['the number of volumes', { volumes: undefined }],
    ['the name of a volume', { volumes: [{ ...volume, name: 'data' }] }],
    ['the size of a volume', { volumes: [{ ...volume, usedBytes: 8 }] }],
    ['what a volume can hold', { volumes: [{ ...volume, capacityBytes: 10 }] }],
    ['whether a volume has a claim', { volumes: [{ ...volume, hasClaim: true }] }],
  ])('entries that differ in %s do not have the same sizes', (_, changes) => {
    expect(isSame(changes)).toBe(false);
  });

  it('the size of a persistent volume, which others may write to, is none of a pod', () => {
    const of = (capacityBytes: number): PodSummary =>
      aPodSummary({ volumes: [{ ...volume, hasClaim: true, capacityBytes }] });
    expect(haveSameSizes(of(1), of(2))).toBe(true);
  });
});
