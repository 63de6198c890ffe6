import { describe, expect, it } from 'vitest';

import type { Pod } from '../../src/cluster/kube/objects.js';
import type { EvictionThreshold, ImageSettings } from '../../src/cluster/kubelet/kubelet-configuration.js';
import type { NodeSummary, PodSummary } from '../../src/cluster/kubelet/summary.js';
import { nodeImages } from '../../src/facts/node/node-images.js';
import { nodeThresholds } from '../../src/facts/node/node-thresholds.js';
import type { NodeSnapshot, NodeView } from '../../src/facts/node/node-view.js';
import { nodeDocument } from '../../src/people/answers/node.js';
import { podSection } from '../../src/people/answers/parts.js';
import { type TextForm, writeText } from '../../src/people/pens/text-pen.js';
import type { ClusterReading } from '../../src/people/query/cluster-reading.js';
import { nodeDisks } from '../../src/people/query/node-explanation.js';
import { listedNode, listedNodeReport } from '../../src/people/report/node-report.js';
import {
  aContainer,
  aContainerSummary,
  anFsStats,
  aNode,
  aNodeSummary,
  aPod,
  aPodSummary,
  aThreshold,
} from '../support/builders.js';
import {
  aClusterSnapshot,
  aFreshNode,
  aMeasuredPod,
  anAbsentNode,
  aNodeSnapshot,
  aPodUsage,
  aReading,
} from '../support/snapshot-builders.js';
import { aPodStatus } from '../support/status-builders.js';
import { gib } from '../support/units.js';
import { explanationOf } from '../support/views.js';

const disk = anFsStats({
  capacityBytes: 100 * gib,
  availableBytes: 12 * gib,
  usedBytes: 88 * gib,
  inodes: 1000,
  inodesFree: 900,
});

function podOf(name: string, usedGib: number, overrides: Partial<Pod> = {}): { pod: Pod; summary: PodSummary } {
  return {
    pod: aPod({ name, containers: [aContainer({ requestBytes: 2 * gib })], ...overrides }),
    summary: aPodSummary({
      name,
      usedBytes: usedGib * gib,
      containers: [aContainerSummary({ rootfsBytes: usedGib * gib, logsBytes: 0 })],
    }),
  };
}

interface Case {
  readonly pods?: readonly { readonly pod: Pod; readonly summary: PodSummary }[];
  readonly unmeasured?: readonly Pod[];
  readonly thresholds?: readonly EvictionThreshold[];
  readonly summary?: Partial<NodeSummary>;
  readonly node?: Partial<NodeSnapshot['node']>;
  readonly settings?: ImageSettings;
}

function readingOf({ pods = [], unmeasured = [], settings, ...of }: Case = {}): ClusterReading {
  const { thresholds, summary, node: changes } = of;
  const node = aNode(changes);
  const podsOnNode = [...pods.map(({ pod }) => pod), ...unmeasured];
  const ofNode = aNodeSummary({
    nodefs: disk,
    imagefs: { ...disk, usedBytes: 30 * gib },
    containerfs: { ...disk, usedBytes: 30 * gib },
    pods: pods.map((pod) => pod.summary),
    ...summary,
  });
  const snapshot = aNodeSnapshot({
    node,
    summary: ofNode,
    layout: { hasDedicatedImagefs: false, hasSplitImagefs: false },
    thresholds: nodeThresholds({ ...node, summary: ofNode, layout: 'shared', thresholds }),
    podsOnNode,
    images: nodeImages({ node, pods: podsOnNode, imagefs: ofNode.imagefs, settings }),
    pods: [],
  });
  return aReading({ snapshot: aClusterSnapshot({ nodes: [aFreshNode(snapshot)] }) });
}

function readingWith(reading: ClusterReading, changes: Partial<NodeSnapshot>): ClusterReading {
  const [node] = reading.snapshot.nodes;
  if (node === undefined || node.state === 'absent') throw new Error('the reading has no node with data');
  const snapshot = { ...node.snapshot, ...changes };
  return { ...reading, snapshot: { ...reading.snapshot, nodes: [{ ...node, snapshot }] } };
}

function textOf(reading: ClusterReading, form: Partial<TextForm> = {}): string {
  const explanation = explanationOf(reading);
  if (explanation === undefined) throw new Error('node-1 is not in the reading');
  const [view = anAbsentNode('node-1', 'never')] = reading.snapshot.nodes;
  const node = { ...explanation, ...listedNodeReport(listedNode(view, reading), reading) };
  const none = { items: [], totalCount: 0, limit: 50, isComplete: true };
  const document = nodeDocument({ node, disks: nodeDisks(reading, view), pods: none, evictions: [] });
  return writeText(document, { width: Infinity, isWhole: true, ...form });
}

describe('the text about a node', () => {
  const pods = [podOf('large', 10, { images: ['app:1'] }), podOf('small', 1), podOf('dns', 5, { isStatic: true })];
  const unmeasured = [aPod({ name: 'new', containers: [aContainer()] })];

  it('the text about a node shows its disks by owner, its thresholds and the order of eviction', async () => {
    const images = [
      { name: 'app:1', keys: ['sha256:1', 'app:1'], sizeBytes: 2 * gib },
      { name: 'model:3', keys: ['model:3'], sizeBytes: 9 * gib },
      { name: undefined, keys: [], sizeBytes: gib },
    ];
    const settings = { highThresholdPercent: 90, lowThresholdPercent: 80, minAgeMs: 120_000, maxListedCount: 50 };
    await expect(textOf(readingOf({ pods, unmeasured, node: { images }, settings }))).toMatchFileSnapshot(
      '../golden/explain-node.txt',
    );
  });

  it('the text about a node shows soft thresholds, and no note about thresholds that are known', () => {
    const text = textOf(
      readingOf({
        thresholds: [
          aThreshold({ value: { amount: 5 * gib } }),
          aThreshold({ value: { amount: 20 * gib }, gracePeriodMs: 90_000 }),
        ],
      }),
    );
    expect(text).toMatch(/nodefs\.available, containerfs\.available +12Gi +5Gi; soft 20Gi for 1m30s, crossed +7Gi/);
    expect(text).toMatch(/imagefs\.available +12Gi +none +-/);
    expect(text).not.toContain('assumed');
  });

  it('the text about a node frees what is missing until the pressure ends', () => {
    const minReclaim = { amount: gib };
    const thresholds = [aThreshold({ value: { amount: 15 * gib }, minReclaim })];
    const text = textOf(readingOf({ pods, thresholds, node: { diskPressure: true } }));
    expect(text).toContain('To free the missing 4Gi it evicts 1 pod, which frees 10Gi.');
    expect(text).toContain('\nDiskPressure:   true: the kubelet evicts');
  });

  it.each<readonly [string, readonly EvictionThreshold[], string]>([
    ['below a threshold', [aThreshold({ value: { amount: 15 * gib } })], 'the kubelet evicts, and refuses new pods'],
    [
      'below a soft one alone',
      [aThreshold({ value: { amount: 2 * gib } }), aThreshold({ value: { amount: 15 * gib }, gracePeriodMs: 90_000 })],
      'the kubelet evicts, and refuses new pods',
    ],
    [
      'above all of them',
      [aThreshold({ value: { amount: 2 * gib } })],
      'no threshold that is known is crossed: the kubelet refuses new pods until evictionPressureTransitionPeriod after the shortage is over',
    ],
    [
      'without a threshold that is known',
      [],
      'the kubelet refuses new pods, and may be evicting: its headroom is not known',
    ],
  ])('the text about a node under DiskPressure %s says what its kubelet does', (_what, thresholds, text) => {
    expect(textOf(readingOf({ thresholds, node: { diskPressure: true } }))).toContain(
      `\nDiskPressure:   true: ${text}\n`,
    );
  });

  it('the text about a node under DiskPressure above thresholds that are assumed says that it may be evicting', () => {
    const free = { ...disk, availableBytes: 60 * gib };
    const summary = { nodefs: free, imagefs: free, containerfs: free };
    expect(textOf(readingOf({ summary, node: { diskPressure: true } }))).toContain(
      '\nDiskPressure:   true: the kubelet refuses new pods, and may be evicting: its thresholds are not known\n',
    );
  });

  it('the text about a silent node says what was last known of its thresholds', () => {
    const reading = readingOf({
      pods,
      thresholds: [aThreshold({ value: { amount: 15 * gib } })],
      node: { diskPressure: true },
    });
    const [node] = reading.snapshot.nodes;
    if (node === undefined || node.state === 'absent') return expect.unreachable();
    const silent = { ...anAbsentNode('node-1', 'timeout'), node: node.node };
    const text = textOf({
      ...reading,
      snapshot: aClusterSnapshot({ nodes: [silent] }),
      lastKnownOf: () => ({ snapshot: node.snapshot, ageMs: 31_000 }),
    });
    expect(text).toMatch(/\nState: +below an eviction threshold when last known; no data: no answer in time\n/);
    expect(text).toContain('\nDiskPressure:   true: the kubelet evicts (as of 31s ago), and refuses new pods\n');
  });

  it('the text about a node of old data says as of when it is below a threshold', () => {
    const thresholds = [aThreshold({ value: { amount: 15 * gib } })];
    const reading = readingOf({ pods, thresholds, node: { diskPressure: true } });
    const [node] = reading.snapshot.nodes;
    const stale = { ...node, state: 'stale', ageMs: 240_000 } as NodeView;
    const text = textOf({ ...reading, snapshot: aClusterSnapshot({ nodes: [stale] }) });
    expect(text).toContain('\nTime to eviction: as of 4m ago: below its threshold of nodefs.available.\n');
    expect(text).toContain('\nDiskPressure:   true: the kubelet evicts (as of 4m ago), and refuses new pods\n');
    expect(text).not.toMatch(/\bnow\b/);
  });

  it('the text about a node shows the order for inodes where they are short', () => {
    const inodes = [aThreshold({ signal: 'nodefs.inodesFree', value: { amount: 451 } })];
    const text = textOf(readingOf({ pods, thresholds: inodes }));
    expect(text).toMatch(/nodefs\.inodesFree, containerfs\.inodesFree +900 inodes +451 inodes +449 inodes/);
    expect(text).toContain('If 46 inodes had to be freed, it would evict 2 pods, which frees 0 inodes: not enough.');
    expect(text).toContain('uses no inodes');
  });

  it('while volumes are not measured, what evictions free is a lower bound, which is never called not enough', () => {
    const inodes = [aThreshold({ signal: 'nodefs.inodesFree', value: { amount: 451 } })];
    const pending = aMeasuredPod({ usage: aPodUsage({ volumesPending: true }) });
    const text = textOf(readingWith(readingOf({ pods, thresholds: inodes }), { pods: [pending] }));
    expect(text).toContain('it would evict 2 pods, which frees at least 0 inodes.\n');
  });

  it('a node of which nobody knows what is free is not called far from a threshold, whatever is free elsewhere', () => {
    const frozen = { filesystems: new Set(['nodefs'] as const), pods: new Map(), sinceMs: 0 };
    const far = readingOf({
      summary: { imagefs: { ...disk, availableBytes: 80 * gib } },
      thresholds: [aThreshold({ signal: 'imagefs.available' })],
    });
    const sizeless = readingOf({
      summary: { nodefs: { ...disk, capacityBytes: undefined }, imagefs: undefined, containerfs: undefined },
    });
    expect(textOf(sizeless)).toMatch(
      /^Not known whether .*: the capacity of nodefs is not known\.\nWarning: the kubelet does not report the capacity of nodefs, or figures[^]*\nnodefs\.available\b.* 12Gi +none/,
    );
    const text = textOf(readingWith(far, { frozen }));
    expect(text).toMatch(/^Not known whether it is close to evicting pods: what is free is not known\.\n/);
    expect(text).toContain('\nNot known whether a threshold is close.\n');
    expect(text).toContain('\nThe kubelet measures it no longer. What the disk holds now is not known.\n');
    expect(text).toMatch(/^imagefs\.available\b/m);
    expect(textOf(far)).not.toContain('measures it no longer');
    expect(text).toContain(
      '\nWarning: the kubelet reports old values: the time of its measurements does not move, since 1970-01-01 00:00:00 UTC.\n',
    );
  });

  it('the text about a node shows ten pods of the order', () => {
    const many = Array.from({ length: 14 }, (_, index) => podOf(`cart-${index}`, 14 - index));
    expect(textOf(readingOf({ pods: many }))).toContain('\nand 4 more pods\n');
  });

  it('the text about a node reports that no pod is known', () => {
    expect(textOf(readingOf())).toContain('Order of eviction for imagefs.available: no pod is left to evict.');
  });

  it.each([
    [12, '12 pods of this node are not read: they are out of scope, or the API server does not know them.'],
    [1, '1 pod of this node is not read: it is out of scope, or the API server does not know it.'],
    [0, 'settings leave pods out, or the API server is not reachable.'],
  ])('a node with %i pods that are not read ranks nobody and frees nothing', (unreadPodCount, text) => {
    const reading = readingWith(readingOf({ pods }), { unreadPodCount });
    const shown = textOf(reading);
    expect(shown).toContain(`\nOrder of eviction for imagefs.available: unknown, ${text}\n`);
    expect(shown).toMatch(/imagefs\.available +12Gi +15Gi assumed +-3Gi/);
    expect(shown).not.toMatch(/RANK|To free|to be freed/);
    const explanation = explanationOf(reading);
    expect(explanation).toMatchObject({
      unreadPodCount,
      signals: [{ victims: undefined, toFree: undefined }, {}, {}, {}, {}, {}],
    });
  });

  it.each([
    [60_001, false],
    [60_000, true],
  ])('a node ranks beside a pod that the API server does not know, %i ms after its start: %s', (ageMs, isRanked) => {
    const timeMs = Date.UTC(2026, 0, 1);
    const unknown = aPodSummary({ name: 'unknown', startTimeMs: timeMs - ageMs });
    const reading = readingWith(readingOf({ pods, summary: { nodefs: { ...disk, timeMs } } }), {
      unknownPods: [unknown],
    });
    const shown = textOf(reading);
    expect(shown.includes('RANK')).toBe(isRanked);
    expect(shown.includes('Not ranked: 1 pod of the summary that the API server does not know.')).toBe(isRanked);
    expect(shown.includes('imagefs.available: unknown, 1 pod of this node is not read')).toBe(!isRanked);
  });

  it('a pod of unknown age that the API server does not know counts as not read', () => {
    const unknown = aPodSummary({ name: 'unknown', startTimeMs: undefined });
    const timeMs = Date.UTC(2026, 0, 1);
    const young = aPodSummary({ name: 'young', startTimeMs: timeMs });
    const reading = readingOf({ pods, summary: { nodefs: { ...disk, timeMs } } });
    const shown = textOf(readingWith(reading, { unknownPods: [unknown, young] }));
    expect(shown).toContain('imagefs.available: unknown, 2 pods of this node are not read');
  });

  it.each([60, 40])('the text about a node fits a terminal of %i columns, with whole headers', (width) => {
    const nodefs = anFsStats({ capacityBytes: 100 * gib, availableBytes: 9 * gib, usedBytes: 91 * gib });
    const text = textOf(readingOf({ pods, unmeasured, summary: { nodefs } }), { width });
    expect(text).toMatch(/^SIGNAL.* HEADROOM/m);
    expect(text).not.toMatch(/[A-Z]…|…[A-Z]/);
    const lines = text.split('\n').filter((line) => !/^ {2}(?:ephemeral-storage-exporter|kubectl) /.test(line));
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(width);
  });
});

it('of the pods of a node the first ten are listed, of those of a workload all that a page has', () => {
  const page = { items: Array.from({ length: 12 }, () => aPodStatus()), totalCount: 40, limit: 50, isComplete: false };
  const textFor = (of: { readonly isOfNode?: boolean; readonly isOfWorkload?: boolean }): string =>
    writeText(
      { title: ['Node', 'a'], blocks: [podSection(page, { ...of, all: { path: ['pods'], shown: 'all' } })] },
      { width: Infinity, hasColour: false, isWhole: true },
    );
  expect(textFor({ isOfNode: true })).toContain('and 30 more pods');
  expect(textFor({ isOfWorkload: true })).toContain('and 28 more pods');
});

it('a pod of a node that is not measured has the reason below it, and one of a silent node none for itself', () => {
  const silent = { ...aPodStatus(), dataState: 'absent', dataAgeMs: 60_000 } as const;
  const lacking = { ...aPodStatus(), state: 'unmeasured', reason: 'it is young' } as never;
  const page = { items: [silent, lacking], totalCount: 2, limit: 50, isComplete: true };
  const section = podSection(page, { isOfNode: true, all: { path: ['pods'], shown: 'all' } });
  const form = { width: Infinity, hasColour: false, isWhole: true };
  const text = writeText({ title: ['Node', 'a'], blocks: [section] }, form);
  expect(text).toMatch(/ unmeasured\n {2}it is young$/m);
  expect(text).not.toMatch(/Last known/);
});

describe('the text about a node without data', () => {
  it.each([
    [
      'forbidden',
      'the kubelet answered 403; grant it',
      'No data (permission denied): the kubelet answered 403; grant it, 2s ago.',
    ],
    [
      'empty',
      'the summary lists no pod',
      'No data (summary without pods): the summary lists no pod, 2s ago. Pods run on the node. Check the log of the kubelet, unless it has just started.',
    ],
  ] as const)('says nothing twice: %s', (reason, message, expected) => {
    const reading = aReading({
      snapshot: aClusterSnapshot({ nodes: [anAbsentNode('node-1', reason)] }),
      failures: new Map([['node-1', { reason, message, ageMs: 2000 }]]),
    });
    expect(textOf(reading, { isWhole: false }).split('\n')[0]).toBe(expected);
  });

  it('the text about a node without data reports why, and since when', () => {
    const node = aNode({ ready: false, readyChangedAtMs: Date.UTC(2026, 0, 1) - 90_000, kubeletVersion: 'v1.36.3' });
    const reading = aReading({
      snapshot: aClusterSnapshot({ nodes: [anAbsentNode('node-1', 'timeout')] }),
      knownNodes: [node],
      failures: new Map([['node-1', { reason: 'timeout', message: 'no answer within 10 s', ageMs: 2000 }]]),
    });
    expect(textOf(reading, { isWhole: false })).toBe(`\
No data (no answer in time): no answer within 10 s, 2s ago. The kubelet does not answer in time. Check the load of the node and kubelet.requestTimeout.
1 running pod not measured.
  kubectl describe node node-1
  kubectl get --raw /api/v1/nodes/node-1/proxy/stats/summary
  ssh node-1 'sudo journalctl -u kubelet -n 100 --no-pager'

Node node-1
State:          no data: no answer in time
Kubelet:        v1.36.3 on linux
Ready:          false since 2025-12-31 23:58:30 UTC
DiskPressure:   false
Pods measured:  0 of 1

Disk:
Not known: no summary of its kubelet was read since the exporter started.

Who is evicted next:
Unknown: no data. Whom the kubelet evicts now does not follow from what was last known.
`);
    expect(explanationOf(reading)).toMatchObject({
      state: 'absent',
      reason: 'timeout',
      signals: [],
    });
  });

  it('the text about a node without data shows the sizes of its images, and not which are in use', () => {
    const node = aNode({ images: [{ name: 'app:1', keys: ['app:1'], sizeBytes: gib }] });
    const nodes = [anAbsentNode('node-1', 'timeout')];
    const text = textOf(aReading({ snapshot: aClusterSnapshot({ nodes }), knownNodes: [node] }));
    expect(text).toContain('Images: 1, 1Gi compressed (more on disk).');
    expect(text).toMatch(/\napp:1 +1Gi +not known$/m);
    expect(text).toContain('Warnings (no data: by the specs of its pods alone):\nNothing was found.\n');
  });
});
