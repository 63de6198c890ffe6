import { describe, expect, it } from 'vitest';

import type { PodIdentity } from '../../src/cluster/kube/pod-identity.js';
import type { NodeSnapshot } from '../../src/facts/node/node-view.js';
import type { PodRecord } from '../../src/facts/node/pod-record.js';
import type { ClusterReading } from '../../src/people/query/cluster-reading.js';
import { explainPods } from '../../src/people/query/pod-explanation.js';
import { evictionReport } from '../../src/people/report/eviction-report.js';
import { aContainer, aNodeSummary, aPod } from '../support/builders.js';
import { anEvictionRecord } from '../support/eviction-builders.js';
import { atOnce } from '../support/lanes.js';
import {
  aClusterSnapshot,
  aFreshNode,
  aLimitRatio,
  aMeasuredPod,
  anAbsentNode,
  aNodeSnapshot,
  aNodeThreshold,
  aPodUsage,
  aReading,
} from '../support/snapshot-builders.js';
import { mib } from '../support/units.js';

const id = { namespace: 'shop', name: 'cart-0' };
const pod = aPod({ ...id, containers: [aContainer({ limitBytes: 100 * mib })] });
const ratios = [aLimitRatio({ usedBytes: 60 * mib, limitBytes: 100 * mib })];
const record = aMeasuredPod({ ...id, pod, ratios, usage: aPodUsage({ usedBytes: 60 * mib }) });

const outlook = (reading: ClusterReading) => explainPods(reading, { ...id, mode: 'measured' }, atOnce);

const onNode = (...pods: readonly PodRecord[]) =>
  aReading({ snapshot: aClusterSnapshot({ nodes: [aFreshNode(aNodeSnapshot({ pods }))] }) });

/** Its node has no data any longer. */
function silent(known = true): ClusterReading {
  const absent = anAbsentNode('node-1', 'timeout');
  const lost = known ? record : aMeasuredPod({ ...id, pod: undefined, usage: aPodUsage({ usedBytes: 60 * mib }) });
  return aReading({
    snapshot: aClusterSnapshot({ nodes: [absent] }),
    knownPods: known ? [{ pod, workloads: [] }] : [],
    lastKnownOf: ({ nodeName }) =>
      nodeName === 'node-1' ? { snapshot: aNodeSnapshot({ pods: [lost] }), ageMs: 240_000.4 } : undefined,
    samplesOf: () => [0, 1, 2, 3].map((index) => ({ atMs: index * 10_000, usedBytes: (30 + index * 10) * mib })),
  });
}

describe('a pod of a silent node', () => {
  it('it is found too where the API server does not know it', async () => {
    expect(await outlook(silent(false))).toMatchObject([{ isKnown: false, dataState: 'absent', usedBytes: 60 * mib }]);
  });

  it('it has no figures once it has ended', async () => {
    const reading = { ...silent(), knownPods: [{ pod: { ...pod, phase: 'Failed' }, workloads: [] }] };
    expect(await outlook(reading)).toMatchObject([{ state: 'unmeasured' }]);
  });
});

describe('the outlook of a pod', () => {
  it('its samples and growth are those of the entry of the summary', async () => {
    const asked: string[] = [];
    const reading = {
      ...onNode(record),
      samplesOf: (node: string, { uid }: PodIdentity) => {
        asked.push(`${node} ${uid}`);
        return [
          { atMs: 0, usedBytes: 10 },
          { atMs: 2_000, usedBytes: 30 },
        ];
      },
    };
    expect(await outlook(reading)).toMatchObject([
      { samples: [{ usedBytes: 10 }, { usedBytes: 30 }], growthBytesPerSecond: 10 },
    ]);
    expect(new Set(asked)).toEqual(new Set([`node-1 ${record.summary.uid}`]));
  });

  it.each([
    ['of a node with data', (nodes: ClusterReading['snapshot']['nodes']) => nodes, 1_000],
    ['of a silent node, where its data ends', () => [anAbsentNode('node-1', 'timeout')], 240_000],
  ] as const)('each limit has its samples, by our clock: %s', async (_case, nodesOf, ageMs) => {
    const inContainer = aLimitRatio({ rule: 'container', container: 'main', usedBytes: 6, limitBytes: 9 });
    const ofBoth = { ...record, ratios: [...ratios, inContainer] };
    const snapshot = aNodeSnapshot({ pods: [ofBoth] });
    const totals = [{ atMs: 5, usedBytes: 60 * mib }];
    const reading = aReading({
      snapshot: aClusterSnapshot({ nodes: nodesOf([aFreshNode(snapshot, 1_000)]) }),
      knownPods: [{ pod, workloads: [] }],
      lastKnownOf: () => ({ snapshot, ageMs: 240_000 }),
      samplesOf: () => totals,
      limitSamplesOf: (nodeName, of, { container }, fetchedAtMs) => [
        { atMs: fetchedAtMs - 60_000, usedBytes: [nodeName, of.summary.uid, container].join().length },
      ],
    });
    const [found] = await outlook(reading);
    expect(found?.limits.map(({ samples }) => samples)).toEqual([
      totals,
      [{ atMs: reading.readAtMs - ageMs - 60_000, usedBytes: `node-1,${record.summary.uid},main`.length }],
    ]);
  });

  it('a pod that was evicted has the verdict of its own eviction, not of one of the same name', async () => {
    const failed = { ...pod, uid: 'mine', phase: 'Failed' };
    const eviction = (uid: string, volume: string) => evictionReport(anEvictionRecord({ pod: 'cart-0', uid, volume }));
    const reading = aReading({
      snapshot: aClusterSnapshot({ nodes: [aFreshNode(aNodeSnapshot({ pods: [] }))] }),
      knownPods: [{ pod: failed, workloads: [] }],
      evictions: [eviction('other', 'logs'), eviction('mine', 'data')],
    });
    const [found] = await outlook(reading);
    expect(found?.verdict).toMatchObject({
      kind: 'evicted',
      text: expect.stringContaining('emptyDir data') as unknown,
    });
  });
});

describe('a pod of a node that is close to evicting pods', () => {
  const crossed = aNodeThreshold({ threshold: 100, available: 90, headroom: -10 });
  const close = aNodeThreshold({ threshold: 100, available: 110, headroom: 10, isCrossed: false });
  const on = (threshold: typeof crossed, more: Partial<NodeSnapshot> = {}, state: 'fresh' | 'stale' = 'fresh') => {
    const namesake = aPod({ ...id, namespace: 'ops', uid: 'other' });
    const larger = aMeasuredPod({ ...id, namespace: 'ops', pod: namesake, usage: aPodUsage({ usedBytes: 90 * mib }) });
    const pods = [larger, record];
    const podsOnNode = [namesake, pod];
    const summary = aNodeSummary({ pods: pods.map((each) => each.summary) });
    const snapshot = aNodeSnapshot({ pods, podsOnNode, summary, thresholds: [threshold], ...more });
    const nodes = [{ ...aFreshNode(snapshot), state }];
    return aReading({ snapshot: aClusterSnapshot({ nodes }) });
  };

  it.each([
    ['below a threshold', crossed, -10],
    ['close to one', close, 10],
  ])('it has its rank on a node that is %s', async (_what, threshold, headroom) => {
    const [found] = await outlook(on(threshold));
    expect(found?.nodePressure).toEqual({ node: 'node-1', signal: 'nodefs.available', headroom, rank: 2 });
  });

  it('it has none where the order is not known, nor on a calm or silent node', async () => {
    const calm = { ...close, available: 1_000, headroom: 900 };
    for (const reading of [on(crossed, { unreadPodCount: 1 }), on(calm), silent()]) {
      expect((await outlook(reading))[0]?.nodePressure).toBeUndefined();
    }
  });
});
