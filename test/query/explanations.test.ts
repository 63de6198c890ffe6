import { describe, expect, it } from 'vitest';

import { type Pod, volumeTypes } from '../../src/cluster/kube/objects.js';
import { nothingFrozen } from '../../src/facts/node/frozen-statistics.js';
import type { NodeSnapshot, NodeView } from '../../src/facts/node/node-view.js';
import type { ClusterReading } from '../../src/people/query/cluster-reading.js';
import { podReport } from '../../src/people/query/list-pods.js';
import {
  aContainer,
  aMount,
  aNode,
  aNodeSummary,
  aPod,
  aPodSummary,
  aVolume,
  aVolumeSummary,
} from '../support/builders.js';
import {
  aClusterSnapshot,
  aFreshNode,
  aLimitRatio,
  aMeasuredPod,
  anAbsentNode,
  aNodeSnapshot,
  aReading,
  withoutTotal,
} from '../support/snapshot-builders.js';
import { explanationOf, podsOf } from '../support/views.js';

const id = { namespace: 'shop', name: 'cart-0' };
const readAtMs = Date.UTC(2026, 0, 1);

/** One measured pod on a fresh node. */
function readingOf(pod: Pod | undefined, summary = aPodSummary(), layout = {}): ClusterReading {
  const snapshot = aMeasuredPod({ ...id, pod, summary });
  const node = aNodeSnapshot({
    pods: [snapshot],
    layout: { hasDedicatedImagefs: undefined, hasSplitImagefs: undefined, ...layout },
  });
  return aReading({ snapshot: aClusterSnapshot({ nodes: [aFreshNode(node)] }) });
}

it.each(['fresh', 'stale'] as const)('by %s data, growth of a frozen pod is not known', async (state) => {
  const pod = aMeasuredPod({ ...id, ratios: [aLimitRatio({ rule: 'pod' })] });
  const view = { ...aFreshNode(aNodeSnapshot({ pods: [pod] })), state };
  const samples = [0, 60_000].map((atMs) => ({ atMs, usedBytes: 7 }));
  const samplesOf = async (frozen: NodeSnapshot['frozen']) => {
    const nodes = [{ ...view, snapshot: { ...view.snapshot, frozen } }];
    const reading = aReading({ snapshot: aClusterSnapshot({ nodes }), samplesOf: () => samples });
    return (await podsOf(reading, id)).flatMap((of) => [of.samples, of.limits[0]?.samples]);
  };
  const pods = new Map([[pod.summary.uid, { summary: pod.summary, heldMs: 400_000 }]]);
  expect(await samplesOf(nothingFrozen)).toEqual([samples, samples]);
  expect(await samplesOf({ ...nothingFrozen, pods })).toEqual([[], []]);
});

describe('a pod that is not measured', () => {
  const scheduled = { nodeName: 'node-1', runningSinceMs: readAtMs - 3_600_000 };
  const absent = anAbsentNode('node-1', 'timeout');
  const empty = aFreshNode(aNodeSnapshot({ pods: [] }));
  const listed = aFreshNode(
    aNodeSnapshot({ pods: [], summary: aNodeSummary({ pods: [aPodSummary({ usedBytes: undefined })] }) }),
  );

  const message = 'Container app exceeded its local ephemeral storage limit "1Gi". ';
  const notRunning = { runningSinceMs: undefined };
  const evicted = { ...notRunning, phase: 'Failed', eviction: { message, atMs: 0 } };
  const cause = /^evicted: Container app exceeded .* limit "1Gi" \(explain eviction shop\/cart-0 shows/;
  const skipped = anAbsentNode('node-1', 'skipped');

  it.each<
    [reason: RegExp, pod: Partial<Pod>, node: NodeView, also?: { readonly isExpected?: true; readonly isAway?: true }]
  >([
    [/^not scheduled to a node yet$/, { nodeName: undefined }, empty],
    [/^node node-9 is not in scope$/, { nodeName: 'node-9' }, empty],
    [/is skipped by cluster\.skipNodes$/, scheduled, skipped],
    [/^no data from node node-1 \(timeout\): it hangs$/, scheduled, absent, { isExpected: true }],
    [/phase Pending/, { ...notRunning, phase: 'Pending' }, absent],
    [/phase Failed/, { ...notRunning, phase: 'Failed' }, empty],
    [cause, evicted, empty],
    [/^missing in the summary of node node-1$/, scheduled, empty, { isExpected: true }],
    [/^missing in the summary of node node-1: it may have ended/, scheduled, empty, { isExpected: true, isAway: true }],
    [/reports no ephemeral storage/, scheduled, listed, { isExpected: true }],
    [/running for 12s.*after 1m$/, { runningSinceMs: readAtMs - 12_000 }, empty],
  ])('a pod is not measured, because %s', (reason, pod, node, { isExpected = false, isAway = false } = {}) => {
    const reading = aReading({
      snapshot: aClusterSnapshot({ nodes: [node] }),
      failures: new Map([['node-1', { reason: 'timeout', message: 'it hangs', ageMs: 0 }]]),
      apiServer: { isAway, access: 'direct' },
    });
    const known = aPod(pod);
    const bound = { pod: known, workloads: [] };
    const view = known.nodeName === node.nodeName ? node : undefined;
    const report = podReport({ record: undefined, bound, view, data: undefined }, reading);
    expect(report).toMatchObject({ state: 'unmeasured', isExpected, reason: expect.stringMatching(reason) as unknown });
  });

  it('a pod without a total shows the limits of its volumes and containers', async () => {
    const ratios = [aLimitRatio({ rule: 'emptydir', volume: 'cache', usedBytes: 3, limitBytes: 2 })];
    const pod = withoutTotal(aMeasuredPod({ ...id, pod: aPod(id), ratios }));
    const node = aFreshNode(aNodeSnapshot({ pods: [], podsWithoutTotal: [pod] }));
    const knownPods = [{ pod: aPod(id), workloads: [] }];
    const reading = aReading({ snapshot: aClusterSnapshot({ nodes: [node] }), knownPods });
    expect(await podsOf(reading, id)).toMatchObject([
      { state: 'unmeasured', limits: [{ rule: 'emptydir', volume: 'cache', ratio: 1.5, counted: 'volume' }] },
    ]);
    const silent = { ...reading, snapshot: aClusterSnapshot({ nodes: [absent] }) };
    const lastKnownOf = () => ({ snapshot: node.snapshot, ageMs: 60_000 });
    expect(await podsOf({ ...silent, lastKnownOf }, id)).toMatchObject([
      {
        limits: [{ ratio: 1.5 }],
        verdict: { kind: 'above', text: expect.stringMatching(/^No data.* 1m ago: above/) as string },
      },
    ]);
  });

  it('a pod that is not measured shows the findings of its spec', async () => {
    const pod = aPod({ ...id, volumes: [aVolume()] });
    const knownPods = [{ pod, workloads: [] }];
    const reading = aReading({ snapshot: aClusterSnapshot({ nodes: [absent] }), knownPods });
    expect(await podsOf(reading, id)).toMatchObject([
      { state: 'unmeasured', findings: [{ kind: 'volume_not_mounted', volume: 'data', node: 'node-1' }] },
    ]);
    expect(explanationOf(reading)?.findings).toHaveLength(1);
  });
});

it('a silent node and its pods have the findings of what was last known', async () => {
  const containers = [aContainer({ mounts: [aMount()] })];
  const memory = aVolume({ medium: 'Memory', sizeLimitBytes: 4_096 });
  const pod = aPod({ ...id, containers, volumes: [memory] });
  const full = { ...aVolumeSummary(), usedBytes: 4_096, capacityBytes: 4_096 };
  const record = aMeasuredPod({ ...id, pod, summary: aPodSummary({ ...id, volumes: [full] }) });
  const last = aNodeSnapshot({ pods: [record], podsOnNode: [pod], summary: aNodeSummary({ pods: [record.summary] }) });
  const reading = aReading({
    snapshot: aClusterSnapshot({ nodes: [anAbsentNode('node-1', 'timeout')] }),
    knownPods: [{ pod, workloads: [] }],
    lastKnownOf: () => ({ snapshot: last, ageMs: 60_000 }),
  });
  expect(explanationOf(reading)?.findings).toMatchObject([{ kind: 'memory_volume_full', pod: id.name }]);
  expect(await podsOf(reading, id)).toMatchObject([{ findings: [{ kind: 'memory_volume_full' }] }]);
  const unknown = { ...reading, lastKnownOf: () => undefined };
  expect(explanationOf(unknown)?.findings).toEqual([]);
});

it('a measured pod has its findings, and not those of its node', async () => {
  const podsOnNode = [aPod({ ...id, volumes: [aVolume()] }), aPod({ name: 'other', volumes: [aVolume()] })];
  const pods = [aMeasuredPod({ ...id, pod: podsOnNode[0] })];
  const node = aFreshNode(aNodeSnapshot({ pods, podsOnNode, node: aNode({ diskPressure: true }) }));
  const reading = aReading({ snapshot: aClusterSnapshot({ nodes: [node] }) });
  expect(await podsOf(reading, id)).toMatchObject([
    { state: 'measured', findings: [{ kind: 'no_limit_or_request' }, { kind: 'volume_not_mounted' }] },
  ]);
  const kinds = explanationOf(reading)?.findings.map(({ kind }) => kind);
  expect(kinds).toEqual(['no_limit_or_request', 'no_limit_or_request', 'volume_not_mounted', 'volume_not_mounted']);
});

it('a measured pod shows of every volume whether it counts, and why', async () => {
  const volumes = volumeTypes.map((type) => aVolume({ name: `v-${type}`, type }));
  const summary = aPodSummary({
    usedBytes: 10_000,
    volumes: [
      ...volumes.slice(0, 6).map(({ name }) => aVolumeSummary({ name, usedBytes: 1, timeMs: readAtMs - 61_000 })),
      aVolumeSummary({ name: 'shm', usedBytes: 7 }),
    ],
  });
  const pod = aPod({ ...id, volumes: [...volumes, aVolume({ name: 'shm', medium: 'Memory' })] });
  const [report] = await podsOf(readingOf(pod, summary), id);
  if (report?.state !== 'measured') throw new Error('not measured');
  const counted = Object.fromEntries(
    report.volumes.map(({ volume, isCounted, countedReason }) => [volume, [isCounted, countedReason]]),
  );
  expect(counted).toEqual({
    'v-emptydir': [true, 'component emptydir'],
    'v-configmap': [true, 'component configmap'],
    'v-gitrepo': [false, 'not measured by kubelets'],
    'v-secret': [false, 'in memory'],
    'v-projected': [false, 'in memory'],
    'v-downwardapi': [false, 'in memory'],
    'v-hostpath': [false, 'files of the node'],
    'v-pvc': [false, 'separate storage'],
    'v-ephemeral': [false, 'separate storage'],
    'v-csi': [false, 'separate storage'],
    'v-nfs': [false, 'separate storage'],
    'v-image': [false, 'image of the node'],
    'v-unknown': [false, 'unknown type'],
    shm: [false, 'in memory'],
  });
});

it.each([
  [true, 'logs (dedicated imagefs)'],
  [false, 'rootfs + logs'],
  [undefined, 'rootfs + logs'],
])('a pod shows what a limit counts (dedicated imagefs: %s)', async (hasDedicatedImagefs, counted) => {
  const reading = readingOf(aPod(id), aPodSummary(), { hasDedicatedImagefs });
  const [node] = reading.snapshot.nodes;
  if (node?.state !== 'fresh') throw new Error('no node');
  const ratios = [aLimitRatio({ rule: 'container', container: 'main', usedBytes: 3, limitBytes: 2 })];
  const pods = node.snapshot.pods.map((pod) => ({ ...pod, ratios }));
  const changed = {
    ...reading,
    snapshot: aClusterSnapshot({ nodes: [{ ...node, snapshot: { ...node.snapshot, pods } }] }),
  };
  const [report] = await podsOf(changed, id);
  expect(report).toHaveProperty('limits', [
    {
      rule: 'container',
      container: 'main',
      volume: undefined,
      counted,
      samples: [],
      usedBytes: 3,
      limitBytes: 2,
      ratio: 1.5,
    },
  ]);
});
