import { expect, it } from 'vitest';

import { nothingFrozen } from '../../src/facts/node/frozen-statistics.js';
import type { MeasuredNodeView, NodeView } from '../../src/facts/node/node-view.js';
import { Scheduler } from '../../src/lib/base/scheduler.js';
import { clusterReport } from '../../src/people/query/cluster-report.js';
import { nodeFindings } from '../../src/people/report/finding-report.js';
import type { LastKnown } from '../../src/people/report/node-report.js';
import { signalAmount } from '../../src/people/report/signal-report.js';
import { anFsStats, aNode, aNodeSummary, aPod, aPodSummary } from '../support/builders.js';
import { ManualClock } from '../support/manual-clock.js';
import {
  aClusterSnapshot,
  aFreshNode,
  anAbsentNode,
  aNodeSnapshot,
  aNodeThreshold,
  aReading,
} from '../support/snapshot-builders.js';

function nodeWith(nodeName: string, headrooms: readonly number[]): MeasuredNodeView {
  const thresholds = headrooms.map((headroom, index) =>
    aNodeThreshold({
      signal: index === 0 ? 'nodefs.available' : 'imagefs.available',
      threshold: 1000,
      available: 1000 + headroom,
      headroom,
      isCrossed: headroom < 0,
    }),
  );
  const podsOnNode = ['a', 'b'].map((name) => aPod({ name, nodeName }));
  const pods = podsOnNode.map(({ name }, index) => aPodSummary({ name, usedBytes: index }));
  return aFreshNode(aNodeSnapshot({ nodeName, thresholds, podsOnNode, summary: aNodeSummary({ nodeName, pods }) }));
}

async function pressureOf(...nodes: readonly NodeView[]) {
  const lane = new Scheduler(new ManualClock()).newLane();
  const reading = aReading({ snapshot: aClusterSnapshot({ nodes }), lastKnownOf });
  const { nearNodes, summary } = await clusterReport(reading, {
    isPartial: false,
    hidesPodsWithoutWorkload: false,
    lane,
  });
  return { ...nearNodes, ...summary, items: nearNodes.items.map(({ pressure }) => pressure) };
}

/** The last known values of a node without data: a full disk. */
const lastKnownOf = ({ nodeName, state }: NodeView): LastKnown | undefined => {
  if (state !== 'absent') return undefined;
  const { snapshot } = nodeWith(nodeName, [nodeName === 'near' ? 10 : -1]);
  const nodefs = anFsStats({ capacityBytes: 1000, availableBytes: 1 });
  return { snapshot: { ...snapshot, summary: { ...snapshot.summary, nodefs } }, ageMs: 720_000.2 };
};

it('nodes under pressure are those with less headroom than a quarter of a threshold, the nearest first', async () => {
  const { items, totalCount, pressedNodeCount } = await pressureOf(
    nodeWith('calm', [250]),
    nodeWith('near', [249]),
    nodeWith('evicting', [-1]),
    nodeWith('nearer', [10]),
  );
  expect(items.map((of) => [of?.node, of?.headroom])).toEqual([
    ['evicting', -1],
    ['nearer', 10],
    ['near', 249],
  ]);
  expect({ totalCount, pressedNodeCount }).toEqual({ totalCount: 3, pressedNodeCount: 1 });
});

it('nodes under pressure are shown by the threshold that they are nearest to, with its first victims', async () => {
  const { items } = await pressureOf(nodeWith('node-1', [200, 100]));
  expect(items).toMatchObject([
    {
      signal: 'imagefs.available',
      thresholdBytes: 1000,
      available: 1100,
      victims: [{ rank: 1, namespace: 'shop' }, {}],
    },
  ]);
});

it('a node under DiskPressure that is close to no threshold evicts nobody', async () => {
  const { snapshot, ...calm } = nodeWith('node-1', [900]);
  const node = aNode({ diskPressure: true });
  const { items } = await pressureOf({ ...calm, snapshot: { ...snapshot, node } });
  expect(items).toMatchObject([{ node: 'node-1', headroom: 900, victims: undefined, unreadPodCount: undefined }]);
});

it('a node under DiskPressure of which not all is known may be evicting, whatever is far from its threshold', async () => {
  const { snapshot, ...measured } = nodeWith('node-1', [900]);
  const node = aNode({ diskPressure: true });
  const unknown = aNodeThreshold({ signal: 'imagefs.available', available: undefined, headroom: undefined });
  const thresholds = [...snapshot.thresholds, { ...unknown, isCrossed: false }];
  const summary = { ...snapshot.summary, imagefs: anFsStats({ capacityBytes: 9 }) };
  const view = { ...measured, node, snapshot: { ...snapshot, node, thresholds, summary } };
  const { items, ...counts } = await pressureOf(view);
  expect(counts).toMatchObject({ refusingNodeCount: 1, nearPressureNodeCount: 0 });
  expect(items).toMatchObject([{ signal: 'imagefs.available', headroom: undefined, victims: undefined }]);
  expect(items[0]?.verdict?.text).toContain('may be evicting');
});

it('nodes of unknown headroom are counted, unless a threshold is known to be crossed', async () => {
  const frozen = { ...nothingFrozen, filesystems: new Set(['imagefs'] as const) };
  const views = [[900], [10, 10], [900, 900], [900, -1]].map((headrooms) => {
    const { snapshot, ...view } = nodeWith(`node-${headrooms.join('-')}`, headrooms);
    const summary = { ...snapshot.summary, imagefs: anFsStats({ capacityBytes: 9, availableBytes: 9 }) };
    return { ...view, snapshot: { ...snapshot, summary, frozen } };
  });
  expect((await pressureOf(...views)).unknownPressureNodeCount).toBe(2);
});

it('nodes under pressure without data are ranked and counted by what was last known', async () => {
  const silent = ['silent', 'near'].map((name) => anAbsentNode(name, 'timeout'));
  const { items, ...counts } = await pressureOf(...silent);
  expect(items).toMatchObject([
    {
      node: 'silent',
      dataState: 'absent',
      dataAgeMs: 720_000,
      absenceReason: 'timeout',
      headroom: -1,
      verdict: { kind: 'unknown' },
    },
    { node: 'near', headroom: 10 },
  ]);
  expect(counts).toMatchObject({ pressedNodeCount: 1, fullNodeCount: 0, nearPressureNodeCount: 1 });
});

it.each([0, 12])('nodes under pressure have no victims where %i pods are not read', async (unreadPodCount) => {
  const node = nodeWith('node-1', [-1]);
  const [item] = (await pressureOf({ ...node, snapshot: { ...node.snapshot, unreadPodCount } })).items;
  expect(item).toMatchObject({ node: 'node-1', headroom: -1, unreadPodCount });
  expect(item?.victims).toBeUndefined();
  expect((await pressureOf(node)).items[0]?.unreadPodCount).toBeUndefined();
});

it('nodes under pressure are in worse trouble than full', async () => {
  const views = [20_000, 10_000].map((availableBytes) => {
    const { snapshot, ...node } = nodeWith('evicting', [-1]);
    const nodefs = anFsStats({ capacityBytes: 100_000, availableBytes });
    return { ...node, snapshot: { ...snapshot, summary: { ...snapshot.summary, nodefs } } };
  });
  expect(await pressureOf(...views)).toMatchObject({ pressedNodeCount: 2, fullNodeCount: 0 });
});

it('nodes under pressure count as empty where each pod is passed over, and all are read', async () => {
  const { snapshot, ...node } = nodeWith('evicting', [-1]);
  const kept = [aPod({ isStatic: true }), aPod({ phase: 'Succeeded' })];
  const more = [[], kept, [...kept, aPod()]].map((podsOnNode) => ({ podsOnNode }));
  const views = [...more, { podsOnNode: [], unreadPodCount: 1 }].map((of) => ({
    ...node,
    snapshot: { ...snapshot, ...of },
  }));
  expect(await pressureOf(...views)).toMatchObject({ pressedNodeCount: 4, pressedEmptyNodeCount: 2 });
});

it('nodes under pressure are unknown where the available space is', async () => {
  const unknown = aNodeThreshold({ available: undefined, headroom: undefined, isCrossed: false });
  expect((await pressureOf(aFreshNode(aNodeSnapshot({ thresholds: [unknown] })))).totalCount).toBe(0);
});

it('a node that would cross a threshold within ten minutes is under pressure, the soonest first', async () => {
  const soonIn = (nodeName: string, seconds: number): MeasuredNodeView => {
    const { snapshot } = nodeWith(nodeName, [900]);
    const forecast = {
      signal: 'nodefs.available',
      isAssumed: false,
      reachedAtMs: 1_000 * seconds,
      endsAtMs: Infinity,
    } as const;
    return aFreshNode({ ...snapshot, forecasts: { measuredAtMs: 0, pods: new Map(), thresholds: [forecast] } }, 0);
  };
  const { items, totalCount } = await pressureOf(
    nodeWith('near', [10]),
    soonIn('late', 601),
    soonIn('soon', 600),
    soonIn('sooner', 60),
  );
  expect(items.map((of) => [of?.node, of?.timeToEvictionMs])).toEqual([
    ['sooner', 60_000],
    ['soon', 600_000],
    ['near', undefined],
  ]);
  expect(totalCount).toBe(3);
});

it('while a threshold is crossed, what another signal is forecast to do does not hide it', async () => {
  const { snapshot } = nodeWith('node-1', [900, -10]);
  const soon = { signal: 'nodefs.available', isAssumed: false, reachedAtMs: 1_000, endsAtMs: Infinity } as const;
  const forecasts = { measuredAtMs: 0, pods: new Map(), thresholds: [soon] };
  expect((await pressureOf(aFreshNode({ ...snapshot, forecasts }, 0))).items).toMatchObject([
    { signal: 'imagefs.available', headroom: -10, timeToEvictionMs: undefined },
  ]);
});

it('the nearest threshold of a disk stays when its forecast has ended before that of a farther one', async () => {
  const { snapshot } = nodeWith('node-1', [3_400, 1_400]);
  const of = (signal: 'nodefs.available' | 'imagefs.available', endsAtMs: number) =>
    ({ signal, isAssumed: true, reachedAtMs: 10_000, endsAtMs }) as const;
  const thresholds = [of('imagefs.available', 12_000), of('nodefs.available', 60_000)];
  const node = aFreshNode({ ...snapshot, forecasts: { measuredAtMs: 0, pods: new Map(), thresholds } }, 20_000);
  expect((await pressureOf(node)).items).toMatchObject([{ signal: 'imagefs.available', headroom: 1_400 }]);
  const soft = snapshot.thresholds.map((each, index) => ({ ...each, gracePeriodMs: index * 3_600_000 }));
  const ofHard = aFreshNode({ ...node.snapshot, thresholds: soft }, 20_000);
  expect((await pressureOf(ofHard)).items).toMatchObject([{ signal: 'nodefs.available', headroom: 3_400 }]);
});

it.each([
  [600_000, ['no_limit_or_request', 'no_limit_or_request']],
  [600_001, []],
])('pods without limits are findings on a node that crosses its threshold in %d ms: %j', (reachedAtMs, kinds) => {
  const { snapshot } = nodeWith('node-1', [3_400]);
  const soon = { signal: 'nodefs.available', isAssumed: true, reachedAtMs, endsAtMs: Infinity } as const;
  const found = nodeFindings({ ...snapshot, forecasts: { ...snapshot.forecasts, thresholds: [soon] } });
  expect(found.map(({ finding }) => finding.kind)).toEqual(kinds);
});

it.each([
  ['nodefs.available', 2048, '2Ki'],
  ['nodefs.available', undefined, '-'],
  ['imagefs.inodesFree', 2048, '2,048 inodes'],
  ['imagefs.inodesFree', 1, '1 inode'],
  ['imagefs.inodesFree', undefined, '-'],
] as const)('an amount of %s is written with what the signal counts: %s', (signal, amount, text) => {
  expect(signalAmount(signal, amount)).toBe(text);
});
