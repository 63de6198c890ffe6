import { describe, expect, it } from 'vitest';

import type { FsStats } from '../../src/cluster/kubelet/summary.js';
import { nothingFrozen } from '../../src/facts/node/frozen-statistics.js';
import type { MeasuredNodeView, NodeSnapshot, NodeView } from '../../src/facts/node/node-view.js';
import type { NodeCondition } from '../../src/people/report/node-condition.js';
import { nodeGrid, type NodeGridReport } from '../../src/people/report/node-grid.js';
import { listedNode, type NodeFailure } from '../../src/people/report/node-report.js';
import { anFsStats, aNode, aNodeSummary } from '../support/builders.js';
import { aFreshNode, anAbsentNode, aNodeSnapshot, aNodeThreshold } from '../support/snapshot-builders.js';

interface Fields {
  readonly labels?: Readonly<Record<string, string>>;
  readonly fullPercent?: number;
  readonly diskPressure?: boolean;
  readonly headroom?: number;
  readonly unsetSignals?: readonly 'nodefs.available'[];
}

function nodeOf(name: string, { labels = {}, fullPercent = 10, diskPressure = false, ...more }: Fields = {}): NodeView {
  const node = aNode({ name, labels, diskPressure });
  const nodefs = anFsStats({
    capacityBytes: 1000,
    availableBytes: 1000 - 10 * fullPercent,
    usedBytes: 10 * fullPercent,
  });
  const { headroom, unsetSignals = [] } = more;
  const thresholds =
    headroom === undefined
      ? []
      : [aNodeThreshold({ threshold: 100, available: 100 + headroom, headroom, isCrossed: headroom < 0 })];
  const summary = aNodeSummary({ nodeName: name, nodefs });
  return { ...aFreshNode(aNodeSnapshot({ node, nodeName: name, summary, thresholds, unsetSignals })), node };
}

/** Of the last request: none failed but those to node d. */
const failure: NodeFailure = { reason: 'timeout', message: '', ageMs: 0 };
const sources = { failures: new Map([['d', failure]]), lastKnownOf: () => undefined };

it.each<[string, Fields, NodeCondition, true?]>([
  ['below a threshold', { headroom: -1 }, 'evicting', true],
  ['close to a threshold', { headroom: 1 }, 'near', true],
  ['without space', { fullPercent: 100, unsetSignals: ['nodefs.available'] }, 'no_space', true],
  ['nearly full', { fullPercent: 90 }, 'full', true],
  ['under DiskPressure, and is so now', { diskPressure: true, headroom: 900 }, 'refusing'],
  ['far from all', { headroom: 900 }, 'silent'],
  ['under DiskPressure, which is over', { diskPressure: true, headroom: 900 }, 'silent'],
])('a silent node is in the trouble that it was last known to be in: %s', (_what, fields, condition, isLastKnown) => {
  const last = nodeOf('d', fields) as MeasuredNodeView;
  const lastKnownOf = () => ({ snapshot: last.snapshot, ageMs: 31_000 });
  const view = { ...anAbsentNode('d', 'timeout'), node: condition === 'silent' ? aNode() : last.node };
  const nodes = [listedNode(view, { ...sources, lastKnownOf })];
  const { pools, troubles } = nodeGrid(nodes, 1);
  expect(pools[0]?.nodes).toEqual([{ node: 'd', condition, isLastKnown, fullRatio: undefined }]);
  expect(troubles).toEqual(condition === 'silent' ? {} : { [condition]: 1 });
});

it('nodes are in the order of what a person looks at first', () => {
  const views = [
    nodeOf('evicting', { headroom: -1 }),
    nodeOf('no space', { fullPercent: 100, unsetSignals: ['nodefs.available'] }),
    nodeOf('refusing', { diskPressure: true, headroom: 1 }),
    nodeOf('refusing, far from a threshold', { diskPressure: true, headroom: 900 }),
    anAbsentNode('d', 'timeout'),
    frozen(nodeOf('frozen', { headroom: 900 })),
    nodeOf('near', { headroom: 1 }),
  ];
  const urgencies = views.map((view) => listedNode(view, sources).urgency ?? 0);
  expect(urgencies).toEqual(urgencies.toSorted((a, b) => b - a));
});

function gridOf(views: readonly NodeView[], count = 100): NodeGridReport {
  const nodes = views.map((view) => listedNode(view, sources));
  return nodeGrid(nodes, count);
}

const stale = (view: NodeView): NodeView => ({ ...view, state: 'stale' }) as NodeView;
const frozen = (view: NodeView): NodeView =>
  aFreshNode({
    ...(view as MeasuredNodeView).snapshot,
    frozen: { ...nothingFrozen, filesystems: new Set(['nodefs']) },
  });
const unknownFree = (fs: Partial<FsStats>): NodeView =>
  aFreshNode(
    aNodeSnapshot({ summary: aNodeSummary({ nodefs: anFsStats({ capacityBytes: 1, availableBytes: 1, ...fs }) }) }),
  );
const withImagefs = (imagefs: Partial<FsStats>, more: Partial<NodeSnapshot> = {}): NodeView => {
  const summary = aNodeSummary({ imagefs: anFsStats({ capacityBytes: 9, availableBytes: 9, ...imagefs }) });
  const inForce = { available: undefined, headroom: undefined, isCrossed: false };
  const thresholds = (['imagefs.available', 'imagefs.inodesFree'] as const).map((signal) =>
    aNodeThreshold({ signal, ...inForce }),
  );
  return aFreshNode(aNodeSnapshot({ summary, thresholds, ...more }));
};
const frozenImagefs = { ...nothingFrozen, filesystems: new Set(['imagefs'] as const) };
const ofVirtualCluster = aNode({ labels: { 'vcluster.loft.sh/fake-node': 'true' } });
const missing = (view: NodeView): NodeView => ({ ...view, missingPods: 1 });

it.each<[string, NodeView]>([
  ['evicting', nodeOf('a', { headroom: -1 })],
  ['evicting', nodeOf('a', { diskPressure: true, headroom: -1 })],
  ['refusing', stale(nodeOf('a', { diskPressure: true, headroom: 900 }))],
  ['no_space', nodeOf('a', { fullPercent: 100, diskPressure: true, unsetSignals: ['nodefs.available'] })],
  ['silent', anAbsentNode('d', 'timeout')],
  ['silent', anAbsentNode('a', 'connection')],
  ['unknown', stale(frozen(nodeOf('a', { headroom: 1 })))],
  ['unknown', unknownFree({ capacityBytes: 1, availableBytes: undefined })],
  ['unknown', unknownFree({ capacityBytes: undefined, availableBytes: undefined })],
  ['unknown', unknownFree({ capacityBytes: undefined })],
  ['unknown', aFreshNode(aNodeSnapshot({ summary: aNodeSummary({ nodefs: undefined, imagefs: anFsStats() }) }))],
  ['unknown', unknownFree({ inodes: 1, inodesFree: undefined })],
  ['unknown', withImagefs({ availableBytes: undefined })],
  ['unknown', withImagefs({ inodes: 9, inodesFree: undefined })],
  ['unknown', withImagefs({}, { frozen: frozenImagefs })],
  ['unknown', withImagefs({ availableBytes: undefined }, { thresholds: [], refutedSignals: ['imagefs.available'] })],
  ['unknown', withImagefs({}, { node: ofVirtualCluster, thresholds: [] })],
  ['refusing', withImagefs({ availableBytes: undefined }, { node: aNode({ diskPressure: true }) })],
  ['near', nodeOf('a', { headroom: 1, fullPercent: 95 })],
  ['ok', withImagefs({ availableBytes: undefined }, { thresholds: [] })],
  ['ok', withImagefs({ inodes: 0, inodesFree: undefined })],
  ['ok', withImagefs({}, { summary: aNodeSummary() })],
  ['full', stale(nodeOf('a', { fullPercent: 80 }))],
  ['awaited', anAbsentNode('a', 'timeout')],
  ['awaited', anAbsentNode('a', 'never')],
  ['stale', missing(stale(nodeOf('a', { fullPercent: 79 })))],
  ['missing', missing(nodeOf('a', { unsetSignals: ['nodefs.available'] }))],
  ['unprotected', nodeOf('a', { unsetSignals: ['nodefs.available'] })],
  ['ok', nodeOf('a', { headroom: 900 })],
  ['skipped', anAbsentNode('a', 'skipped')],
])('the condition %s comes before those after it', (condition, view) => {
  const node = listedNode(view, sources);
  expect(node.condition).toBe(condition);
});

describe('the grid of nodes', () => {
  const namesOf = ({ pools }: NodeGridReport) => pools.map(({ pool, nodes }) => [pool, nodes.map(({ node }) => node)]);

  it('tiles are by pool, the worst first, and pools by their worst', () => {
    const grid = gridOf([
      nodeOf('a', { labels: { 'karpenter.sh/nodepool': 'calm' } }),
      nodeOf('b', { labels: { agentpool: 'busy' }, fullPercent: 40 }),
      nodeOf('c', { labels: { agentpool: 'busy' }, headroom: -1 }),
      anAbsentNode('d', 'timeout'),
    ]);
    expect(namesOf(grid)).toEqual([
      ['busy', ['c', 'b']],
      [undefined, ['d']],
      ['calm', ['a']],
    ]);
    expect(grid.conditions).toEqual({ evicting: 1, silent: 1, ok: 2 });
    expect(grid.pools[1]?.nodes).toEqual([{ node: 'd', condition: 'silent', fullRatio: undefined }]);
  });

  it.each([
    'karpenter.sh/nodepool',
    'eks.amazonaws.com/nodegroup',
    'cloud.google.com/gke-nodepool',
    'kubernetes.azure.com/agentpool',
    'agentpool',
  ])('the label %s names a pool', (label) => {
    expect(gridOf([nodeOf('a', { labels: { [label]: 'gpu' } })]).pools[0]?.pool).toBe('gpu');
  });

  it('tiles of one condition keep their places while a disk fills a little', () => {
    const before = gridOf([nodeOf('a', { fullPercent: 41 }), nodeOf('b', { fullPercent: 42 })]);
    const after = gridOf([nodeOf('a', { fullPercent: 49 }), nodeOf('b', { fullPercent: 43 })]);
    expect(namesOf(before)).toEqual([[undefined, ['a', 'b']]]);
    expect(namesOf(after)).toEqual(namesOf(before));
    expect(namesOf(gridOf([nodeOf('a', { fullPercent: 49 }), nodeOf('b', { fullPercent: 51 })]))).toEqual([
      [undefined, ['b', 'a']],
    ]);
  });

  it('the worst of many nodes are shown, and all are counted', () => {
    const labels = { agentpool: 'p' };
    const views = [nodeOf('a', { labels }), nodeOf('b', { labels, headroom: -1 }), nodeOf('c', { labels })];
    expect(gridOf(views, 2)).toMatchObject({
      nodeCount: 3,
      pools: [{ nodeCount: 3, nodes: [{ node: 'b' }, { node: 'a' }] }],
    });
  });

  it('more pools than a page has place for are one', () => {
    const views = Array.from({ length: 20 }, (_, index) =>
      nodeOf(`n-${index}`, { labels: { agentpool: `p-${index}` } }),
    );
    const { pools, poolCount } = gridOf(views);
    expect([pools.length, poolCount]).toEqual([13, 20]);
    expect(pools.at(-1)).toMatchObject({ isRest: true, nodeCount: 8 });
  });

  it.each([
    ['a domain', ['ip-1.eu.example.com', 'ip-2.eu.example.com'], '.eu.example.com'],
    ['a part of one', ['a.eu.example.com', 'b.us.example.com'], '.example.com'],
    ['nothing', ['node-1', 'node-2'], ''],
    ['half a label', ['a.one-x', 'b.two-x'], ''],
    ['all of one name', ['a.b', 'x.a.b'], '.b'],
    ['numbers of addresses', ['192.0.2.1', '192.0.3.1'], ''],
    ['the whole of a single one', ['ip-1.example.com'], ''],
  ])('names of nodes end with %s', (_case, names, suffix) => {
    expect(gridOf(names.map((name) => nodeOf(name))).commonSuffix).toBe(suffix);
  });
});
