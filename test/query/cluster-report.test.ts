import { setImmediate as nextTurn } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import type { Node, Pod } from '../../src/cluster/kube/objects.js';
import { nothingFrozen } from '../../src/facts/node/frozen-statistics.js';
import type { LimitRatio } from '../../src/facts/node/limit-ratios.js';
import type { NodeForecasts, NodeSnapshot, NodeView } from '../../src/facts/node/node-view.js';
import type { DerivedPod, PodContext, PodRecord } from '../../src/facts/node/pod-record.js';
import type { ClusterSnapshot } from '../../src/facts/scrape/snapshot.js';
import type { Lane } from '../../src/lib/base/lane.js';
import { Scheduler } from '../../src/lib/base/scheduler.js';
import type { ClusterReading } from '../../src/people/query/cluster-reading.js';
import { type ClusterReport, clusterReport } from '../../src/people/query/cluster-report.js';
import { listPods } from '../../src/people/query/list-pods.js';
import { parseListQuery } from '../../src/people/query/list-query.js';
import type { VerdictInputs } from '../../src/people/report/verdict-report.js';
import {
  aContainer,
  aContainerSummary,
  anFsStats,
  aNode,
  aNodeSummary,
  aPod,
  aPodSummary,
  aVolume,
} from '../support/builders.js';
import { ManualClock } from '../support/manual-clock.js';
import {
  aBoundPod,
  aClusterSnapshot,
  aDeployment,
  aFreshNode,
  aLimitRatio,
  aMeasuredPod,
  anAbsentNode,
  aNodeSnapshot,
  aNodeThreshold,
  aPodUsage,
  aReading,
  aWorkloadSnapshot,
  type MeasuredPodFields,
  withoutTotal,
} from '../support/snapshot-builders.js';

const nowMs = Date.UTC(2026, 0, 1);

function reportOf(
  snapshot: Partial<ClusterSnapshot>,
  { lane = new Scheduler(new ManualClock()).newLane(), ...overrides }: Partial<ClusterReading> & { lane?: Lane } = {},
): Promise<ClusterReport> {
  const reading = aReading({ snapshot: aClusterSnapshot(snapshot), readAtMs: nowMs, ...overrides });
  return clusterReport(reading, { isPartial: false, hidesPodsWithoutWorkload: false, lane });
}

/** Of the limit of the pod. By UID: milliseconds from the summary on. */
function aForecastOf(leftMs: readonly (readonly [uid: string, leftMs: number])[]): NodeForecasts {
  const forecast = { rule: 'pod', container: '', volume: '', endsAtMs: Infinity } as const;
  const pods = new Map(leftMs.map(([uid, ms]) => [uid, { ...forecast, reachedAtMs: nowMs + ms }]));
  return { measuredAtMs: nowMs, pods, thresholds: [] };
}

function podOf(name: string, usedBytes: number, more: MeasuredPodFields = {}): DerivedPod {
  const components = { rootfs: usedBytes, logs: 0, emptydir: 0, configmap: 0, other: 0 };
  return aMeasuredPod({ name, usage: aPodUsage({ usedBytes, components }), ...more });
}

function nodeOf(nodeName: string, pods: readonly PodRecord[], availableBytes = 60_000): NodeView {
  const nodefs = anFsStats({ capacityBytes: 100_000, availableBytes, usedBytes: 100_000 - availableBytes });
  return aFreshNode(aNodeSnapshot({ nodeName, pods, summary: aNodeSummary({ nodeName, nodefs }) }));
}

function ratioOf(usedBytes: number, limitBytes: number, more: Partial<LimitRatio> = {}): LimitRatio {
  return { ...aLimitRatio({ usedBytes, limitBytes }), ...more };
}

/** 10 bytes in the writable layer, 5 in logs. */
const pod = aPodSummary({ usedBytes: 15, containers: [aContainerSummary({ rootfsBytes: 10, logsBytes: 5 })] });

describe('limits', () => {
  it('pods near a limit that evicts them have their nearest one, not clamped', async () => {
    const { nearPods, summary } = await reportOf({
      nodes: [
        nodeOf('node-1', [
          podOf('a', 1, { ratios: [ratioOf(8, 10), ratioOf(13, 10, { rule: 'emptydir', volume: 'cache' })] }),
          podOf('b', 1, { ratios: [ratioOf(10, 10, { rule: 'container', container: 'main' }), ratioOf(79, 100)] }),
          podOf('c', 1, { ratios: [ratioOf(79, 100)] }),
        ]),
      ],
    });
    expect(
      nearPods.items.map(({ pod, nearestLimit: of }) => [pod, of?.rule, of?.container ?? of?.volume, of?.ratio]),
    ).toEqual([
      ['a', 'emptydir', 'cache', 1.3],
      ['b', 'container', 'main', 1],
    ]);
    expect([nearPods.totalCount, summary.limitedPodCount]).toEqual([2, 3]);
  });

  it('pods near a limit are in the order of urgency: above the limit, by time to it where known, by ratio', async () => {
    const pods = [
      ['high', 95, undefined],
      ['soon', 60, 500_000],
      ['over', 110, 0],
      ['worst', 120, undefined],
      ['sooner', 60, 300_000],
    ] as const;
    const measured = pods.map(([name, usedBytes]) =>
      podOf(name, usedBytes, {
        summary: aPodSummary({ name, uid: name }),
        workloads: [],
        ratios: [ratioOf(usedBytes, 100)],
      }),
    );
    const forecasts = aForecastOf(
      pods.flatMap(([name, , leftMs]) => (leftMs === undefined ? [] : [[name, leftMs] as const])),
    );
    const { nearPods, summary } = await reportOf({
      nodes: [aFreshNode(aNodeSnapshot({ pods: measured, forecasts }), 1_500)],
    });
    expect(nearPods.items.map(({ pod, timeToLimitMs }) => [pod, timeToLimitMs])).toEqual([
      ['worst', undefined],
      ['over', 0],
      ['sooner', 300_000 - 1_500],
      ['soon', 500_000 - 1_500],
      ['high', undefined],
    ]);
    expect(summary).toMatchObject({ reachedLimitPodCount: 2, nearLimitPodCount: 3 });
  });

  it.each([
    { unenforced: 'exempt', ratio: 2, shown: 0, counts: { limitedPodCount: 0, unenforcedReachedPodCount: 1 } },
    { unenforced: 'memory_medium', ratio: 1, shown: 0, counts: { limitedPodCount: 0, unenforcedReachedPodCount: 0 } },
    { unenforced: 'dedicated_imagefs', ratio: 0.7, shown: 0, counts: { limitedPodCount: 0 } },
    {
      unenforced: 'dedicated_imagefs',
      ratio: 0.8,
      shown: 1,
      counts: { nearLimitPodCount: 1, limitedPodCount: 1 },
    },
    { unenforced: 'rootfs_not_measured', ratio: 2, shown: 1, counts: { reachedLimitPodCount: 1 } },
    { unenforced: undefined, ratio: 2, shown: 1, counts: { reachedLimitPodCount: 1, unenforcedReachedPodCount: 0 } },
  ] as const)(
    'limits are near only where they can bind: $unenforced, $ratio',
    async ({ ratio, shown, counts, unenforced }) => {
      const snapshot = podOf('a', 1, { ratios: [ratioOf(ratio * 10, 10, { unenforced })] });
      const { nearPods, summary, unenforcedReachedPods } = await reportOf({ nodes: [nodeOf('node-1', [snapshot])] });
      expect(nearPods.items).toHaveLength(shown);
      expect(unenforcedReachedPods).toHaveLength(summary.unenforcedReachedPodCount);
      expect(summary).toMatchObject(counts);
    },
  );

  it.each<[string, (node: Node, pods: Partial<NodeSnapshot>) => NodeView]>([
    [
      'of a node with data',
      (node, pods) => aFreshNode(aNodeSnapshot({ node, unenforced: 'isolation_disabled', ...pods })),
    ],
    ['of a silent one', (node) => ({ ...anAbsentNode('b', 'timeout'), node, unenforced: 'isolation_disabled' })],
  ])('pods with a limit that is not enforced are counted as they are listed: %s', async (_what, viewOf) => {
    const limited = ['a', 'b', 'c'].map((name) =>
      aBoundPod({ pod: aPod({ name, uid: name, containers: [aContainer({ limitBytes: 100 })] }) }),
    );
    const unlimited = aBoundPod({ pod: aPod({ name: 'd', uid: 'd', containers: [], volumes: [] }) });
    const unmeasured = [...limited, unlimited];
    const pods = [
      podOf('a', 1, { pod: limited[0]?.pod, ratios: [] }),
      podOf('x', 1, { ratios: [ratioOf(1, 10, { unenforced: 'exempt' }), ratioOf(1, 10, { unenforced: 'exempt' })] }),
    ];
    const node = {
      ...viewOf(aNode({ enforcesStorageLimits: false }), { pods }),
      unmeasured,
      objects: undefined,
    } as NodeView;
    const nodes = [node, nodeOf('node-2', [podOf('y', 1, { ratios: [ratioOf(1, 10)] })])];
    const { summary } = await reportOf({ nodes });
    const lane = new Scheduler(new ManualClock()).newLane();
    const reading = aReading({ snapshot: aClusterSnapshot({ nodes }) });
    const listed = await listPods(reading, parseListQuery('pods', { only: 'unenforced' }), lane);
    expect(listed.totalCount).toBeGreaterThan(2);
    expect(summary.unenforcedPodCount).toBe(listed.totalCount);
  });

  it('of many pods above limits that evict nobody, the first three are named', async () => {
    const pods = ['a', 'b', 'c', 'd'].map((name) =>
      podOf(name, 1, { ratios: [ratioOf(20, 10, { unenforced: 'exempt' })] }),
    );
    const { summary, unenforcedReachedPods } = await reportOf({ nodes: [nodeOf('node-1', pods)] });
    expect(summary.unenforcedReachedPodCount).toBe(4);
    expect(unenforcedReachedPods.map(({ pod }) => pod)).toEqual(['a', 'b', 'c']);
  });
});

it('nodes without data come first, then stale ones, then the fullest, those that are never scraped last', async () => {
  const { nodes, summary } = await reportOf({
    nodes: [
      nodeOf('a-roomy', [], 90_000),
      nodeOf('b-full', [], 10_000),
      nodeOf('b-roomier', [], 10_001),
      anAbsentNode('c-virtual', 'skipped'),
      { ...aFreshNode(aNodeSnapshot({ nodeName: 'd-stale' }), 70_000.4), state: 'stale' },
      anAbsentNode('e-silent', 'timeout'),
    ],
  });
  expect(nodes.items.map(({ node }) => node)).toEqual([
    ...['e-silent', 'd-stale', 'b-full', 'b-roomier', 'a-roomy', 'c-virtual'],
  ]);
  expect(summary).toMatchObject({
    freshNodeCount: 3,
    staleNodeCount: 1,
    absentNodeCount: 1,
    failedNodeCount: 0,
    skippedNodeCount: 1,
    fullNodeCount: 1,
    oldestDataAgeMs: 70_000,
  });
});

it('nodes with a full disk and no threshold are counted', async () => {
  const full = aNodeSnapshot({
    nodeName: 'b-full',
    summary: aNodeSummary({ nodefs: anFsStats({ capacityBytes: 100_000, availableBytes: 999 }) }),
    thresholds: [],
  });
  const amounts = { pods: 0, images: 0, other: 70_000 };
  const disk = { filesystem: 'nodefs', ofInodes: false, atMs: 0, capacity: 100_000, available: 30_000 } as const;
  const growth = { held: amounts, grown: amounts, durationMs: 600_000, fallen: 30_000 };
  const filling = { ...disk, ...growth, cause: undefined, calmAtMs: 0 };
  const { summary, nodes } = await reportOf({
    nodes: [
      aFreshNode({ ...full, nodeName: 'a-bound' }),
      aFreshNode({ ...full, unsetSignals: ['nodefs.available'] }),
      aFreshNode({
        ...full,
        nodeName: 'c-soon',
        summary: aNodeSummary({ nodefs: anFsStats({ capacityBytes: 100_000, availableBytes: 30_000 }) }),
        unsetSignals: ['nodefs.available'],
        fills: [filling],
      }),
    ],
  });
  expect(summary).toMatchObject({ fullNodeCount: 1, noSpaceNodeCount: 2 });
  expect(nodes.items.map((node) => node.verdict?.kind)).toEqual(['no_space', 'no_space', undefined]);
});

it('nodes without data have the reason, a hint and the last failure', async () => {
  const failure = { reason: 'tls' as const, message: 'summary of node b: unknown authority', ageMs: 5 };
  const { nodes, summary } = await reportOf(
    { nodes: [anAbsentNode('b', 'tls')] },
    { failures: new Map([['b', failure]]) },
  );
  expect(nodes.items).toMatchObject([{ reason: 'tls', failure, expectedPodCount: 1, measuredPodCount: 0 }]);
  expect(summary).toMatchObject({ absentNodeCount: 1, failedNodeCount: 1 });
  expect(nodes.items[0]).toHaveProperty('hint', expect.stringContaining('kubelet.tls.caFile'));
});

it('nodes have their verdict, the one of the list of nodes under pressure, by growth and by their condition', async () => {
  const { kubeletUid } = aPod();
  const snapshot = aNodeSnapshot({
    summary: aNodeSummary({ nodefs: anFsStats({ capacityBytes: 100, availableBytes: 1 }), pods: [pod] }),
    thresholds: [aNodeThreshold()],
    layout: { hasDedicatedImagefs: true, hasSplitImagefs: false },
    podsOnNode: [aPod()],
  });
  const samplesOf: VerdictInputs['samplesOf'] = (nodeName, { uid }) =>
    nodeName === 'node-1' && uid === kubeletUid
      ? [
          { atMs: 0, usedBytes: 1 },
          { atMs: 60_000, usedBytes: 15 },
        ]
      : [];
  const silent = { ...anAbsentNode('node-2', 'timeout'), node: aNode({ name: 'node-2', diskPressure: true }) };
  const { nodes, nearNodes } = await reportOf({ nodes: [aFreshNode(snapshot), silent] }, { samplesOf });
  const text =
    'Pods are the cause, cart first (grew 14B in 1m to 5B): evicting every pod frees 5B, 1B is missing on nodefs.';
  expect(nearNodes.items.map(({ pressure, verdict }) => [pressure?.verdict?.text, verdict?.text])).toEqual([
    [text, text],
  ]);
  expect(nodes.items.map(({ diskPressure, verdict }) => [diskPressure, verdict?.text])).toEqual([
    [false, text],
    [
      true,
      'Unknown cause: the node reports DiskPressure, and may be evicting: its headroom is not known (no data: timeout).',
    ],
  ]);
});

it('nodes whose statistics do not move have the oldest time of them', async () => {
  const nodes = [2, 1].map((sinceMs) => aFreshNode(aNodeSnapshot({ frozen: { ...nothingFrozen, sinceMs } })));
  const { enforcement } = await reportOf({ nodes });
  expect(enforcement).toContainEqual(
    expect.objectContaining({ kind: 'statistics_frozen', nodeCount: 2, frozenSinceMs: 1 }),
  );
});

it('nodes are limited in number, with their total', async () => {
  const { nodes } = await reportOf({
    nodes: Array.from({ length: 70 }, (_, index) => nodeOf(`node-${index}`, [], 60_000 - index)),
  });
  expect([nodes.items.length, nodes.totalCount]).toEqual([30, 70]);
  expect(nodes.items[0]).toMatchObject({ node: 'node-69', enforcement: undefined });
});

it('nodes show how much of their disk the other pods of the summary hold', async () => {
  const shown = podOf('a', 10, { summary: aPodSummary({ name: 'a', usedBytes: 10 }) });
  const others = [
    aPodSummary({ name: 'gone', usedBytes: 5 }),
    aPodSummary({ name: 'unmeasured', usedBytes: undefined }),
  ];
  const snapshot = aNodeSnapshot({ pods: [shown], summary: aNodeSummary({ pods: [shown.summary, ...others] }) });
  const expected = { podsUsedBytes: 10, otherPodCount: 2, otherPodsUsedBytes: 5 };
  const { nodes } = await reportOf(
    { nodes: [aFreshNode(snapshot), anAbsentNode('b', 'timeout')] },
    { lastKnownOf: () => ({ snapshot, ageMs: 1 }) },
  );
  expect(nodes.items).toMatchObject([{ lastKnown: expected }, expected]);
});

describe('a node without data', () => {
  const cart = aDeployment('cart');
  const limited = aPod({ name: 'cart-0', volumes: [aVolume({ sizeLimitBytes: 100 })] });
  const silent = (more: Partial<NodeView> = {}): NodeView => {
    const unmeasured = [
      aBoundPod({ pod: limited, workloads: [cart] }),
      aBoundPod({ pod: aPod({ name: 'without-limit', containers: [], volumes: [] }), workloads: [] }),
    ];
    return { ...anAbsentNode('b', 'timeout'), expectedPods: 2, unmeasured, ...more } as NodeView;
  };
  const ratios = [ratioOf(95, 100)];
  const snapshot = aNodeSnapshot({
    nodeName: 'b',
    pods: [podOf('cart-0', 95, { ratios })],
    podsWithoutTotal: [podOf('cart-1', 0, { ratios: [ratioOf(60, 100)] })],
  });
  const lastKnownOf = () => ({ snapshot, ageMs: 720_000.4 });

  it('a node without data leaves the limits of its pods unknown', async () => {
    const { summary } = await reportOf({ nodes: [silent()] });
    expect(summary).toMatchObject({ unknownLimitPodCount: 1, limitedPodCount: 0 });
  });

  it.each([
    [0.5, { unknownLimitPodCount: 1, limitedPodCount: 0, nearLimitPodCount: 0 }],
    [0.9, { unknownLimitPodCount: 0, limitedPodCount: 1, nearLimitPodCount: 1 }],
  ])('the limit of a pod without a total is unknown, unless another one is near: %d', async (ratio, counts) => {
    const pod = aPod({ name: 'q', uid: 'q', containers: [aContainer({ limitBytes: 100 })] });
    const record = withoutTotal(aMeasuredPod({ pod, ratios: [ratioOf(ratio * 100, 100)] }));
    const node = aFreshNode(aNodeSnapshot({ pods: [], podsWithoutTotal: [record], listedPodUids: new Set(['q']) }));
    const { summary } = await reportOf({ nodes: [{ ...node, unmeasured: [aBoundPod({ pod })] }] });
    expect(summary).toMatchObject(counts);
  });

  it('a limit that counts an impossible size is unknown, so that the page is not green', async () => {
    const pod = aPod({ name: 'q', containers: [aContainer({ name: 'main', limitBytes: 100 })] });
    const summary = aPodSummary({ containers: [aContainerSummary({ rootfsBytes: 'impossible' })] });
    const snapshot = aNodeSnapshot({ pods: [aMeasuredPod({ pod, summary, ratios: [ratioOf(10, 100)] })] });
    const report = await reportOf({ nodes: [aFreshNode(snapshot)] });
    expect(report.summary).toMatchObject({ unknownLimitPodCount: 1, limitedPodCount: 0 });
  });

  it('a node without data has no unknown limits where the kubelet enforces none', async () => {
    const node = aNode({ name: 'b', enforcesStorageLimits: false });
    const { summary } = await reportOf({ nodes: [silent({ node, unenforced: 'isolation_disabled' })] });
    expect(summary.unknownLimitPodCount).toBe(0);
  });

  it('a node without data keeps its last values as such, in no sum, and in no count but that of pods near a limit', async () => {
    const { nearPods, nodes, summary } = await reportOf({ nodes: [silent()] }, { lastKnownOf });
    const facts = { node: 'b', dataState: 'absent', dataAgeMs: 720_000, absenceReason: 'timeout' };
    expect(nearPods.items).toMatchObject([{ ...facts, pod: 'cart-0', nearestLimit: { ratio: 0.95 } }]);
    expect(nodes.items).toMatchObject([
      {
        state: 'absent',
        lastKnown: {
          dataAgeMs: 720_000,
          podsUsedBytes: 95,
          filesystems: [{ filesystem: 'nodefs' }],
        },
      },
    ]);
    expect(summary).toMatchObject({
      podCount: 0,
      podsUsedBytes: 0,
      limitedPodCount: 1,
      nearLimitPodCount: 1,
      unknownLimitPodCount: 0,
    });
  });

  it('a pod that was about to reach its limit when its node fell silent is in trouble, with the age of that, and not unknown', async () => {
    const growing = podOf('cart-2', 60, {
      summary: aPodSummary({ name: 'cart-2', uid: 'cart-2' }),
      ratios: [ratioOf(60, 100)],
    });
    const bound = aBoundPod({
      pod: aPod({ name: 'cart-2', uid: 'cart-2', containers: [aContainer({ limitBytes: 100 })] }),
    });
    const known = aNodeSnapshot({
      nodeName: 'b',
      pods: [{ ...growing, bound }],
      forecasts: aForecastOf([['cart-2', 240_000]]),
    });
    const node = silent({ unmeasured: [bound] });
    const { nearPods, summary } = await reportOf(
      { nodes: [node] },
      { lastKnownOf: () => ({ snapshot: known, ageMs: 720_000 }) },
    );
    expect(nearPods.items).toMatchObject([
      { pod: 'cart-2', standing: 'near', dataState: 'absent', dataAgeMs: 720_000 },
    ]);
    expect(nearPods.items[0]?.timeToLimitMs).toBeUndefined();
    expect(summary).toMatchObject({ nearLimitPodCount: 1, unknownLimitPodCount: 0 });
  });

  it('nodes that have not responded yet are apart from those that failed, which alone are blamed', async () => {
    const failure = { reason: 'timeout', message: 'no response', ageMs: 0 } as const;
    const nodes = ['a', 'b', 'c'].map((name) => anAbsentNode(name, name === 'c' ? 'never' : 'timeout'));
    const { absences } = await reportOf(
      { nodes },
      {
        failures: new Map([['b', failure]]),
        lastKnownOf: ({ nodeName }) => ({ snapshot: aNodeSnapshot({ pods: [] }), ageMs: nodeName === 'a' ? 2 : 1 }),
      },
    );
    expect(absences).toMatchObject(
      [
        { isAwaited: true, nodeCount: 2, exampleNodes: ['a', 'c'], dataAgeMs: 2, hint: /not responded yet/ },
        { isAwaited: false, nodeCount: 1, exampleNodes: ['b'], dataAgeMs: 1, hint: /does not answer in time/ },
      ].map(({ hint, ...of }) => ({ ...of, hint: expect.stringMatching(hint) as string })),
    );
  });

  it('nodes with the same reason and other causes are apart, each with its fix and the commands for its first node', async () => {
    const messages = { a: 'self-signed certificate', b: 'certificate has expired', c: 'self-signed certificate' };
    const failures = new Map(
      Object.entries(messages).map(([name, message]) => [name, { reason: 'tls', ageMs: 0, message } as const]),
    );
    const nodes = ['a', 'b', 'c'].map((name) => anAbsentNode(name, 'tls'));
    const { absences } = await reportOf({ nodes }, { failures });
    expect(absences.map(({ exampleNodes, commands: [first] }) => [exampleNodes, first])).toEqual([
      [['a', 'c'], 'kubectl describe node a'],
      [['b'], 'kubectl describe node b'],
    ]);
  });

  it('a node without data is reported by its reason with what it costs', async () => {
    const workloads = [
      aWorkloadSnapshot({ workload: cart, complete: false }),
      aWorkloadSnapshot({ workload: aDeployment('other'), complete: false }),
    ];
    const ofOther = [aBoundPod({ pod: aPod({ name: 'other-0' }), workloads: [aDeployment('other')] })];
    const virtual = { ...anAbsentNode('z', 'skipped'), unmeasured: ofOther };
    const { absences, summary } = await reportOf({ nodes: [silent(), virtual], workloads }, { lastKnownOf });
    expect(absences).toMatchObject([
      {
        reason: 'timeout',
        nodeCount: 1,
        isAwaited: true,
        exampleNodes: ['b'],
        dataAgeMs: 720_000,
        expectedPodCount: 2,
        incompleteWorkloadCount: 1,
        exampleWorkloads: [{ workload: 'cart', workloadType: 'deployment', workloadNamespace: 'shop' }],
      },
    ]);
    expect(summary).toMatchObject({ incompleteWorkloadCount: 2 });
  });

  it.each([
    ['unauthorized', 'direct', true],
    ['connection', 'direct', false],
    ['connection', 'proxy', true],
    ['timeout', 'proxy', true],
    ['http_status', 'proxy', true],
    ['unauthorized', 'proxy', false],
    ['decode', 'proxy', false],
  ] as const)('while the API server is away, %s with access %s is its fault: %s', async (reason, access, expected) => {
    const nodes = [anAbsentNode('b', reason)];
    const away = await reportOf({ nodes }, { apiServer: { isAway: true, access } });
    const there = await reportOf({ nodes }, { apiServer: { isAway: false, access } });
    expect([away, there].map(({ absences }) => absences[0]?.isOfApiServer)).toEqual([expected, false]);
    const hints = [away, there]
      .map((report) => report.nodes.items[0])
      .map((node) => node && 'hint' in node && node.hint);
    expect(hints).toEqual([away, there].map(({ absences }) => absences[0]?.hint));
    expect(String(hints[0]).includes('API server')).toBe(expected);
    expect(hints[1]).not.toContain('API server');
  });
});

describe('a pod whose volumes are not measured', () => {
  const limited = aPod({ volumes: [aVolume({ sizeLimitBytes: 100 })] });
  const container = (usedBytes: number): LimitRatio =>
    ratioOf(usedBytes, 100, { rule: 'container', container: 'main' });
  const pending = (usedBytes: number, ratios: readonly LimitRatio[] = [], pod = limited): PodRecord =>
    aMeasuredPod({ name: 'a', pod, usage: aPodUsage({ usedBytes, volumesPending: true }), ratios });
  const node = (pod: PodRecord): NodeView => aFreshNode(aNodeSnapshot({ pods: [pod] }), 1_500);

  it('a pod with pending volumes counts as unknown, unless a limit is near without them, or it has none', async () => {
    const { nearPods, nodes, summary } = await reportOf({ nodes: [node(pending(1, [container(21)]))] });
    expect(nearPods.totalCount).toBe(0);
    expect(nodes.items).toMatchObject([{ pendingPodCount: 1 }]);
    expect(summary).toMatchObject({
      ...{ podCount: 1, podsUsedBytes: 1, pendingPodCount: 1, unknownLimitPodCount: 1 },
      ...{ limitedPodCount: 0, nearLimitPodCount: 0 },
    });
    const near = await reportOf({ nodes: [node(pending(95, [container(94)]))] });
    expect(near.nearPods.items).toMatchObject([{ state: 'pending', nearestLimit: { ratio: 0.94 } }]);
    expect(near.summary.unknownLimitPodCount).toBe(0);
    const unlimited = pending(1, [], aPod({ containers: [], volumes: [] }));
    expect((await reportOf({ nodes: [node(unlimited)] })).summary.unknownLimitPodCount).toBe(0);
  });

  it('a pod with pending volumes is not unknown where the kubelet enforces no limits', async () => {
    const unenforced = aNodeSnapshot({ pods: [pending(1)], node: aNode({ enforcesStorageLimits: false }) });
    const { summary } = await reportOf({ nodes: [aFreshNode(unenforced)] });
    expect(summary.unknownLimitPodCount).toBe(0);
  });

  it('a pod with pending volumes on a node without data is one of the node', async () => {
    const lastKnownOf = () => ({ snapshot: aNodeSnapshot({ pods: [pending(1)] }), ageMs: 200_000 });
    const { summary } = await reportOf({ nodes: [anAbsentNode('node-1', 'timeout')] }, { lastKnownOf });
    expect(summary).toMatchObject({ pendingPodCount: 0, unknownLimitPodCount: 0, podCount: 0 });
  });
});

describe('gaps in the data of a node', () => {
  const [cart, web] = [aDeployment('cart'), aDeployment('web')];
  const incomplete = [cart, web].map((workload) => aWorkloadSnapshot({ workload, complete: false }));
  const nodeWith = (snapshot: Partial<NodeSnapshot>, unmeasured: readonly Pod[] = []): NodeView => ({
    ...aFreshNode(aNodeSnapshot({ pods: [], ...snapshot })),
    unmeasured: unmeasured.map((pod) => aBoundPod({ pod, workloads: [cart] })),
  });
  const pendingPod = (name: string, runningSinceMs: number | undefined, more: MeasuredPodFields = {}): PodRecord =>
    podOf(name, 1, {
      pod: aPod({ name, runningSinceMs }),
      usage: aPodUsage({ volumesPending: true }),
      workloads: [web],
      ...more,
    });

  it('gaps are pods that a summary lacks, or lists without a total, with the workloads that lack them', async () => {
    const pods = ['a', 'b', 'c', 'd', 'e'].map((name) => aPod({ name, uid: name }));
    const { gaps } = await reportOf({
      nodes: [nodeWith({ listedPodUids: new Set(['e']) }, pods)],
      workloads: incomplete,
    });
    const affected = {
      incompleteWorkloadCount: 1,
      exampleWorkloads: [{ workload: 'cart', workloadType: 'deployment', workloadNamespace: 'shop' }],
    };
    expect(gaps).toEqual([
      {
        kind: 'missing',
        podCount: 4,
        examplePods: ['a', 'b', 'c'].map((pod) => ({ namespace: 'shop', pod, node: 'node-1' })),
        ...affected,
      },
      { kind: 'no_total', podCount: 1, examplePods: [{ namespace: 'shop', pod: 'e', node: 'node-1' }], ...affected },
      {
        kind: 'other',
        podCount: 0,
        examplePods: [],
        incompleteWorkloadCount: 1,
        exampleWorkloads: [{ workload: 'web', workloadType: 'deployment', workloadNamespace: 'shop' }],
      },
    ]);
  });

  it('gaps are volumes that are not measured two minutes after the start of a pod', async () => {
    const node = nodeWith({});
    const measuredAtMs = nowMs - (node.state === 'absent' ? 0 : node.ageMs);
    const pods = [pendingPod('new', measuredAtMs - 119_999), pendingPod('old', measuredAtMs - 120_000)];
    const { gaps } = await reportOf({ nodes: [nodeWith({ pods })], workloads: incomplete.slice(1) });
    expect(gaps).toMatchObject([
      {
        kind: 'volumes_pending',
        podCount: 1,
        examplePods: [{ pod: 'old' }],
        incompleteWorkloadCount: 1,
        exampleWorkloads: [{ workload: 'web' }],
      },
    ]);
    const young = await reportOf({ nodes: [nodeWith({ pods: pods.slice(0, 1) })], workloads: incomplete.slice(1) });
    expect(young.gaps).toEqual([]);
  });
});

it('of pods near a limit, limits and usage are derived for those alone that are shown', async () => {
  const derived = { ratios: 0, usages: 0 };
  const context: PodContext = {
    ratiosOf: () => {
      derived.ratios += 1;
      return [ratioOf(90, 100)];
    },
    usageOf: () => {
      derived.usages += 1;
      return aPodUsage();
    },
  };
  const pods = Array.from({ length: 30 }, (_, index) => podOf(`p-${index}`, index, { ratios: [ratioOf(90, 100)] }));
  const { nearPods } = await reportOf({ nodes: [aFreshNode(aNodeSnapshot({ pods, context }))] });
  expect([nearPods.items.length, nearPods.totalCount]).toEqual([10, 30]);
  expect(derived).toEqual({ ratios: 10, usages: 10 });
});

it('the report has the findings that the specs of pods of a node that never had data show', async () => {
  const unmeasured = [aBoundPod({ pod: aPod({ volumes: [aVolume()] }) })];
  const { findings } = await reportOf({ nodes: [{ ...anAbsentNode('node-1', 'timeout'), unmeasured }] });
  expect(findings).toMatchObject([{ kind: 'volume_not_mounted', findingCount: 1 }]);
});

const hundredPods = Array.from({ length: 100 }, (_, index) => podOf(`p-${index}`, 1));
const hundredKnownPods = hundredPods.map(({ summary: { name } }) => aPod({ name }));

it.each<[string, readonly NodeView[], Partial<ClusterReading>]>([
  ['of many nodes', hundredPods.map((pod, index) => nodeOf(`node-${index}`, [pod])), {}],
  ['of one node', [nodeOf('node-1', hundredPods)], {}],
  ['that one node lists', [aFreshNode(aNodeSnapshot({ pods: [], podsOnNode: hundredKnownPods }))], {}],
  [
    'of one node without data',
    [anAbsentNode('node-1', 'timeout')],
    { lastKnownOf: () => ({ snapshot: aNodeSnapshot({ pods: hundredPods }), ageMs: 0 }) },
  ],
])('the report yields to the event loop while it walks over many pods %s', async (_case, nodes, input) => {
  const clock = new ManualClock();
  let nowMs = 0;
  clock.monotonicMs = () => (nowMs += 1); // every look at the clock takes a millisecond
  const progress = { isDone: false };
  const walking = reportOf({ nodes }, { ...input, lane: new Scheduler(clock).newLane() }).finally(() => {
    progress.isDone = true;
  });
  let turnCount = 0;
  for (; !progress.isDone; turnCount += 1) await nextTurn();
  await walking;
  expect(turnCount).toBeGreaterThan(10);
});

it('of silent nodes, no task of the report reads the pods of more than one', async () => {
  const inner = new Scheduler(new ManualClock()).newLane();
  const reads = { inTask: false, ofTask: 0, most: 0, outside: 0 };
  const counted = <T>(task: () => T): T => {
    Object.assign(reads, { inTask: true, ofTask: 0 });
    const result = task();
    Object.assign(reads, { inTask: false, most: Math.max(reads.most, reads.ofTask) });
    return result;
  };
  const lane: Lane = {
    isHeld: false,
    run: (task) => inner.run(() => counted(task)),
    each: (items, task) => {
      const iterator = items[Symbol.iterator]();
      const taken = { [Symbol.iterator]: () => ({ next: () => counted(() => iterator.next()) }) };
      return inner.each(taken, (item) => {
        counted(() => {
          task(item);
        });
      });
    },
  };
  const cart = aDeployment('cart');
  const bound = {
    ...aBoundPod(),
    get workloads() {
      if (reads.inTask) reads.ofTask += 1;
      else reads.outside += 1;
      return [cart];
    },
  };
  const nodes = Array.from({ length: 50 }, (_, index) => ({
    ...anAbsentNode(`node-${index}`, 'timeout'),
    unmeasured: [bound],
  }));
  const workloads = [aWorkloadSnapshot({ workload: cart, complete: false })];
  const { absences } = await reportOf({ nodes, workloads }, { lane });
  expect(absences[0]?.incompleteWorkloadCount).toBe(1);
  expect([reads.outside, reads.most]).toEqual([0, 2]); // whether it is shown, and what lacks it
});
