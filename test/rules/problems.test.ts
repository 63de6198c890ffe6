import { describe, expect, it } from 'vitest';

import type { Problem, UnlistedReport } from '../../src/people/query/status.js';
import type { ShownEviction } from '../../src/people/report/eviction-report.js';
import { evictionReport } from '../../src/people/report/eviction-report.js';
import type { ListedNodeReport } from '../../src/people/report/node-report.js';
import { problemsOf, rules } from '../../src/people/rules/problems.js';
import { anEvictionRecord } from '../support/eviction-builders.js';
import { alertsOf, readRules, readRunbooks } from '../support/rules.js';
import { aDeployment } from '../support/snapshot-builders.js';
import {
  aCluster,
  aGap,
  aHealth,
  aMeasuredNode,
  anAbsence,
  anAbsentNodeStatus,
  aNearPod,
  aPressedNode,
  aSummary,
} from '../support/status-builders.js';

type Input = Parameters<typeof problemsOf>[0];

function problemsIn(input: Partial<Input>): readonly Problem[] {
  const healthy = { readinessChecks: [], cluster: aCluster(), evictions: [], health: aHealth() };
  return problemsOf({ ...healthy, ...input });
}

/** All that a problem has, a field a line. */
function textOf({ severity, section, text, commands, ...more }: Problem): string {
  const fields = Object.entries(more)
    .filter(([, of]) => of !== undefined)
    .map(([name, of]) => `  ${name}: ${typeof of === 'string' ? of : JSON.stringify(of)}`);
  return [`${severity} ${section}: ${text}`, ...fields, ...commands.map((command) => `  $ ${command}`), ''].join('\n');
}

const pods = (...names: readonly string[]) => names.map((pod) => ({ namespace: 'shop', pod, node: 'node-1' }));
const onOther = { namespace: 'x', pod: 'c', node: 'node-2' };
const workloads = (...names: readonly string[]) =>
  names.map((workload) => ({ workload, workloadType: 'deployment', workloadNamespace: 'shop' }));

/** A list that shows all that there is. */
const all = <T>(...items: readonly T[]) => ({ items, totalCount: items.length });

const evicted = (count: number, overrides: Parameters<typeof anEvictionRecord>[0] = {}): readonly ShownEviction[] =>
  Array.from({ length: count }, () => ({ ...evictionReport(anEvictionRecord(overrides)), ageMs: 1_000 }));
const evictedFor = (ageMs: number): Partial<Input> => ({
  evictions: [{ ...evictionReport(anEvictionRecord()), ageMs }],
});

const ofCluster = (...of: Parameters<typeof aCluster>): Partial<Input> => ({ cluster: aCluster(...of) });
const ofSummary = (...of: Parameters<typeof aSummary>): Partial<Input> => ofCluster({ summary: aSummary(...of) });
const ofHealth = (...of: Parameters<typeof aHealth>): Partial<Input> => ({ health: aHealth(...of) });
const ofGap = (...of: Parameters<typeof aGap>): Partial<Input> => ofCluster({ gaps: [aGap(...of)] });
const incomplete = (count: number, ...names: readonly string[]) =>
  ofGap({
    ...({ kind: 'other', podCount: 0, examplePods: [] } as const),
    ...{ incompleteWorkloadCount: count, exampleWorkloads: workloads(...names) },
  });

type Enforcement = NonNullable<Input['cluster']>['enforcement'][number];
const enforcement = (kind: Enforcement['kind'], signals?: Enforcement['signals']): Partial<Input> =>
  ofCluster({ enforcement: [{ kind, nodeCount: 5, exampleNodes: ['a', 'b', 'c'], ...(signals && { signals }) }] });

const minuteMs = 60_000;
const nothingListed = (reason: string | undefined): Partial<Input> => ({
  ...{ cluster: undefined, readinessChecks: [{ name: 'nodes', isOk: false }], notListed: 'Nothing was listed.' },
  health: aHealth({
    unlisted: ['nodes', 'pods'].map((resource) => ({
      ...{ resource, namespace: '', reason, forMs: minuteMs },
      message: `list of ${resource}: the API server answered 401`,
    })),
  }),
});
const missing = (namespace: string, reason: string): UnlistedReport => {
  return { resource: 'pods', namespace, reason, message: 'x', forMs: 300_000 };
};

/** A pod that is near a limit, a node that is close to a threshold, and pods that a summary lacks. */
const nearIn = (podMinutes: number | undefined, nodeMinutes: number | undefined): Partial<Input> => {
  const minutes = (count: number | undefined) => (count === undefined ? undefined : count * minuteMs);
  return ofCluster({
    summary: aSummary({ nearLimitPodCount: 1, nearPressureNodeCount: 1 }),
    nearPods: all(aNearPod({ pod: 'near', ratio: 0.9, timeToLimitMs: minutes(podMinutes) })),
    nearNodes: all(aPressedNode('node-1', { timeToEvictionMs: minutes(nodeMinutes) })),
    gaps: [aGap({ podCount: 2, examplePods: pods('a', 'b') })],
  });
};

const isFull = [{ filesystem: 'nodefs', fullRatio: 1 }] as const;
const nodefsOf = (node: string, condition: 'evicting' | 'full', ratios: object) =>
  aMeasuredNode({ node, condition, filesystems: [{ filesystem: 'nodefs', fullRatio: 0.1, ...ratios }] });
const ofPods = { kind: 'pods', text: 'Pods are the cause.', commands: ['first', 'second'] } as const;
const noSpace = { kind: 'no_space', text: 'Writes fail.', commands: ['first', 'second'] } as const;
const closeWith = (verdict: typeof ofPods | undefined) =>
  ofCluster({
    summary: aSummary({ nearPressureNodeCount: 2 }),
    nearNodes: all(...['node-1', 'node-2'].map((node) => aPressedNode(node, { timeToEvictionMs: minuteMs, verdict }))),
  });
const [refusing, close] = [aPressedNode('node-1', { diskPressure: true }), aPressedNode('node-2')];

const fullMemory = {
  ...{ namespace: 'shop', pod: 'web-0', node: 'node-1', volume: 'shm' },
  ...({ kind: 'memory_volume_full', what: 'full', fix: 'Raise it.', podCount: 2 } as const),
};

const store = { resource: 'pods', objectCount: 9, isConnected: true, isPolled: false, lastProgressAgeMs: 1 };
const watch = (isConnected: boolean, lastProgressAgeMs: number | undefined) =>
  ofHealth({ stores: [{ ...store, isConnected, lastProgressAgeMs }] });
const polled = { ...store, isConnected: false, isPolled: true, lastProgressAgeMs: 149_999 };
const lostNodes = { ...store, resource: 'nodes', isConnected: false, lastProgressAgeMs: 116_000 };
const lostPods = { ...store, isConnected: false, lastProgressAgeMs: 81_000 };
const stores = [lostNodes, lostPods];
const away = aHealth({ isApiServerAway: true, stores });
/** While the API server is away: nodes without data because of it, and what was in trouble before. */
const troubledWhileAway = (nodes: Parameters<typeof aSummary>[0]): Partial<Input> => ({
  health: away,
  cluster: aCluster({
    absences: [anAbsence({ isOfApiServer: true, nodeCount: 4 })],
    nearPods: all(aNearPod({ ratio: 1.2 }), aNearPod({ pod: 'cart-1', ratio: 0.9 })),
    summary: aSummary({ ...nodes, reachedLimitPodCount: 1, nearLimitPodCount: 1 }),
  }),
});
const lost = aCluster({ gaps: [aGap({ podCount: 2, incompleteWorkloadCount: 0, exampleWorkloads: [] })] });

/** `problems.txt` has what is said of each. */
const situations: Readonly<Record<string, Partial<Input>>> = {
  'all is well': {},
  'an eviction of almost an hour ago': evictedFor(3_599_000),
  'an eviction of an hour ago': evictedFor(3_600_000),
  'a pod that was refused': { evictions: evicted(1, { cause: 'node_admission' }) },
  'evictions: the workloads that lost most pods, why, and what to do first': {
    evictions: [
      ...evicted(1, { pod: 'alone', workloads: [], cause: 'node_bytes' }),
      ...evicted(1, { workloads: [aDeployment('web')], cause: 'pod_limit', limitBytes: 1024 }),
      ...evicted(1, { cause: 'node_bytes' }),
      ...evicted(2),
    ],
  },
  'an eviction for its node: explained by the node, in a command and not in prose': {
    evictions: evicted(1, { cause: 'node_inodes', node: 'node-7' }),
  },
  'what is about to happen comes before evictions that were, however many': {
    ...ofCluster({
      summary: aSummary({ nearLimitPodCount: 1 }),
      nearPods: all(aNearPod({ pod: 'soon', ratio: 0.6, timeToLimitMs: 40_000 })),
    }),
    evictions: evicted(12),
  },
  'evictions of two pods of a workload': { evictions: evicted(2) },
  'evictions of three pods of a workload': { evictions: evicted(3) },
  'nothing listed, for credentials': nothingListed('unauthorized'),
  'nothing listed, for permissions': nothingListed('forbidden'),
  'nothing listed, for a certificate': nothingListed('tls'),
  'nothing listed, for the network': nothingListed('connection'),
  'missing lists: one problem for each reason, with what it costs': {
    ...ofCluster({
      unlisted: {
        incompleteWorkloadCount: 1,
        exampleWorkloads: [{ workload: 'every', workloadType: 'selector', workloadNamespace: '' }],
      },
    }),
    ...ofHealth({ unlisted: [missing('a', 'forbidden'), missing('b', 'timeout'), missing('c', 'forbidden')] }),
  },
  'a pod above a limit': ofSummary({ reachedLimitPodCount: 1 }),
  'pods above limits': ofSummary({ reachedLimitPodCount: 2 }),
  'pods above limits that do not evict them': ofSummary({ unenforcedReachedPodCount: 2 }),
  'a node below a threshold': ofSummary({ pressedNodeCount: 1 }),
  'a node under DiskPressure': ofSummary({ refusingNodeCount: 1 }),
  'pods near a limit': ofSummary({ nearLimitPodCount: 3 }),
  'nodes with stale data': ofSummary({ staleNodeCount: 2 }),
  'a full node': ofSummary({ fullNodeCount: 1 }),
  'a full disk without a threshold, of no known node': ofSummary({ noSpaceNodeCount: 1 }),
  'the worst comes first': ofSummary({ nearLimitPodCount: 1, pressedNodeCount: 1 }),
  'a pod above a limit that does not evict it is named': ofCluster({
    summary: aSummary({ unenforcedReachedPodCount: 1 }),
    unenforcedReachedPods: [{ namespace: 'kube-system', pod: 'etcd-0', node: 'node-1' }],
  }),
  'limits that nothing enforces': enforcement('isolation_disabled'),
  'limits that do not see writable layers': enforcement('rootfs_not_measured'),
  'unset thresholds': enforcement('threshold_unset'),
  'unset thresholds of a signal': enforcement('threshold_unset', ['imagefs.available']),
  'refuted thresholds': enforcement('threshold_refuted'),
  'refuted thresholds of two signals': enforcement('threshold_refuted', ['nodefs.available', 'nodefs.inodesFree']),
  'capacities that differ': enforcement('capacity_differs'),
  'old values': enforcement('statistics_frozen'),
  'free space that is not known': enforcement('free_space_unknown'),
  'a separate disk for images, which is no problem': enforcement('dedicated_imagefs'),
  'full emptyDirs in memory: with the command that shows the first': ofCluster({
    findings: [{ kind: fullMemory.kind, findingCount: 2, items: [fullMemory], totalCount: 1 }],
  }),
  'a node that has not had time to answer': ofCluster({ isPartial: true, absences: [anAbsence({ isAwaited: true })] }),
  'many nodes that have not had time to answer: how many have, and no names': ofCluster({
    isPartial: true,
    absences: [anAbsence({ isAwaited: true, nodeCount: 600, exampleNodes: ['a', 'b', 'c'], dataAgeMs: undefined })],
    summary: aSummary({ freshNodeCount: 67, absentNodeCount: 601 }),
  }),
  'pods above and near a limit, by name': ofCluster({
    summary: aSummary({ reachedLimitPodCount: 1, nearLimitPodCount: 2 }),
    nearPods: all(
      aNearPod({ pod: 'over', ratio: 1.2 }),
      aNearPod({ pod: 'near', ratio: 0.9 }),
      aNearPod({ pod: 'silent', ratio: 0.9, dataState: 'absent' }),
    ),
  }),
  'evictions within ten minutes: with the time, below 80 % of a limit too': ofCluster({
    summary: aSummary({ nearLimitPodCount: 1, nearPressureNodeCount: 2 }),
    nearPods: all(aNearPod({ pod: 'soon', ratio: 0.6, timeToLimitMs: 2 * minuteMs })),
    nearNodes: all(aPressedNode('node-1', { timeToEvictionMs: 4 * minuteMs }), aPressedNode('node-2')),
  }),
  'a node before pods that are merely near a limit': nearIn(undefined, 4),
  'a node before a pod that is evicted later': nearIn(9, 4),
  'a pod before a node that evicts later': nearIn(3, 4),
  'a node and a pod that are close, with no time or a long one': nearIn(11, undefined),
  'a full disk without a threshold: critical, with its sentence': ofCluster({
    summary: aSummary({ fullNodeCount: 1, noSpaceNodeCount: 1 }),
    nodes: all<ListedNodeReport>(
      aMeasuredNode({ filesystems: isFull, verdict: noSpace, condition: 'no_space' }),
      anAbsentNodeStatus({ condition: 'full', lastKnown: aMeasuredNode({ filesystems: isFull, dataAgeMs: 90_000 }) }),
    ),
  }),
  'what fills the disk of the host of a virtual cluster is not promised': ofCluster({
    summary: aSummary({ fullNodeCount: 1 }),
    nodes: all(aMeasuredNode({ condition: 'unknown', filesystems: isFull, enforcement: ['virtual_cluster'] })),
  }),
  'nodes by name: below a threshold, with the verdict of the first, full in bytes or inodes, stale': ofCluster({
    summary: aSummary({ pressedNodeCount: 2, staleNodeCount: 1, fullNodeCount: 1 }),
    nearNodes: all(
      aPressedNode('node-1', { headroom: -1, verdict: ofPods }),
      {
        ...aPressedNode('node-2', { headroom: -1, dataState: 'absent' }),
        ...anAbsentNodeStatus({ lastKnown: aMeasuredNode({ dataAgeMs: 90_000 }) }),
      },
      aPressedNode('node-3'),
    ),
    nodes: all(
      aMeasuredNode({ node: 'node-4', state: 'stale', failure: { reason: 'timeout', message: 'slow', ageMs: 1 } }),
      nodefsOf('node-1', 'evicting', { fullRatio: 0.99 }),
      nodefsOf('node-5', 'full', { inodesFullRatio: 0.9 }),
      nodefsOf('node-6', 'full', { fullRatio: 0.89 }),
    ),
  }),
  'a node under DiskPressure is not close to a threshold': ofCluster({
    summary: aSummary({ refusingNodeCount: 1, nearPressureNodeCount: 1 }),
    ...{ nodes: all(refusing, close), nearNodes: all(refusing, close) },
  }),
  'close nodes, with the verdict of the first': closeWith(ofPods),
  'close nodes without a verdict, with the command that explains the first': closeWith(undefined),
  'no nodes in scope': ofCluster({ nodes: all() }),
  'three of many failing checks': {
    readinessChecks: Array.from({ length: 40 }, (_, index) => ({ name: `pods in n${index}`, isOk: false })),
    cluster: undefined,
  },
  'pods missing from a summary': ofGap({ podCount: 2, examplePods: pods('a', 'b') }),
  'a pod without usage': ofGap({ kind: 'no_total', incompleteWorkloadCount: 0, exampleWorkloads: [] }),
  'volumes that are not measured': ofGap({
    ...{ kind: 'volumes_pending', podCount: 4, examplePods: [...pods('a', 'b'), onOther] },
  }),
  'volumes of a pod of no workload': ofGap({
    ...{ kind: 'volumes_pending', incompleteWorkloadCount: 0, exampleWorkloads: [] },
  }),
  'incomplete workloads': incomplete(5, 'a', 'b', 'c'),
  'an incomplete workload of a hostile name': incomplete(1, "x$(id)'"),
  'a watch with events five minutes ago, almost': watch(true, 299_999),
  'a watch without events for five minutes': watch(true, 300_000),
  'a watch that was lost almost 30 s ago': watch(false, 29_999),
  'a watch that was lost 30 s ago': watch(false, 30_000),
  'a watch that never had events': watch(false, undefined),
  'dropped families': ofHealth({ droppedFamilies: ['a', 'b'] }),
  'a name clash': ofHealth({ workloadNameClashCount: 1 }),
  'a failed reload, with the check of the file': ofHealth({ isLastReloadSuccessful: false }),
  'a broken file of evictions': ofHealth({ evictionFileFault: { text: 'evictions.file is broken: it is empty' } }),
  'kubelet configuration that may not be read': ofHealth({ isConfigurationForbidden: true }),
  'kubelet TLS that is not verified': ofHealth({ isKubeletTlsUnverified: true }),
  'nodes without data do not hide what is missing elsewhere': ofCluster({ absences: [anAbsence()], gaps: [aGap()] }),
  'nodes without data: for each reason, with examples': ofCluster({
    absences: [
      anAbsence({ reason: 'tls', nodeCount: 12, exampleNodes: ['a', 'b', 'c'], dataAgeMs: undefined }),
      anAbsence({ expectedPodCount: 0, incompleteWorkloadCount: 0 }),
    ],
  }),
  'an API server that is away, with nodes without data because of it, and no others': {
    health: away,
    cluster: aCluster({
      absences: [
        anAbsence({ reason: 'unauthorized', hint: 'Wait.', isOfApiServer: true, nodeCount: 4, expectedPodCount: 9 }),
        anAbsence(),
      ],
    }),
  },
  'an API server that is away, and no node has data, for it: pods in trouble as last known are part of it':
    troubledWhileAway({ freshNodeCount: 0, absentNodeCount: 4 }),
  'an API server that is away, and nodes have no data for another cause too: pods in trouble are a problem':
    troubledWhileAway({ freshNodeCount: 0, absentNodeCount: 5 }),
  'an API server that is away, and a node has data: pods in trouble are a problem': troubledWhileAway({
    ...{ freshNodeCount: 0, staleNodeCount: 1, absentNodeCount: 4 },
  }),
  'an API server that is away: nodes in trouble as last known are part of it': {
    health: away,
    cluster: aCluster({
      absences: [anAbsence({ isOfApiServer: true, nodeCount: 9 })],
      summary: aSummary({
        ...{ pressedNodeCount: 1, refusingNodeCount: 1, nearPressureNodeCount: 1, noSpaceNodeCount: 1 },
        ...{ fullNodeCount: 1, freshNodeCount: 0, absentNodeCount: 9 },
      }),
      nodes: all(anAbsentNodeStatus({ condition: 'evicting' }), anAbsentNodeStatus({ node: 'silent' })),
      grid: { ...aCluster().grid, troubles: { evicting: 1, refusing: 1, near: 1, no_space: 1, full: 1 } },
    }),
  },
  'pods that summaries lack while the API server is away are no fault of kubelets': { health: away, cluster: lost },
  'pods that summaries lack while it refuses watches are none either': { ...ofHealth({ stores }), cluster: lost },
  'pods that summaries lack while pods are watched': { ...ofHealth({ stores: [lostNodes] }), cluster: lost },
  'an API server that refuses the watches is not away': ofHealth({ stores }),
  'an API server that refuses one watch is not away': ofHealth({
    ...{ isApiServerAway: true, stores: [{ ...store, resource: 'nodes' }, lostPods] },
  }),
  'a watch that cannot be kept': ofHealth({ stores: [polled] }),
  'watches that cannot be kept': ofHealth({
    stores: [
      { ...polled, resource: 'nodes' },
      { ...polled, isConnected: true },
    ],
  }),
  'a watch that cannot be kept, and lists that fail': ofHealth({ stores: [{ ...polled, lastProgressAgeMs: 150_000 }] }),
  'a watch that cannot be kept, and an API server that is away': ofHealth({
    ...{ isApiServerAway: true, stores: [{ ...polled, lastProgressAgeMs: 30_000 }] },
  }),
};

it('a situation has one problem for each cause, the worst first, with what it costs and what to do', async () => {
  const texts = Object.entries(situations).map(([what, of]) => `# ${what}\n${problemsIn(of).map(textOf).join('')}`);
  await expect(texts.join('\n')).toMatchFileSnapshot('../golden/problems.txt');
});

it.each([
  [{ freshNodeCount: 0, absentNodeCount: 1 }, {}, 'warning'],
  [{ freshNodeCount: 2, absentNodeCount: 2 }, {}, 'warning'],
  [{ freshNodeCount: 2, absentNodeCount: 3 }, {}, 'critical'],
  [{ freshNodeCount: 2, absentNodeCount: 3, failedNodeCount: 2 }, { isPartial: true }, 'warning'],
  [{ freshNodeCount: 1, absentNodeCount: 3, failedNodeCount: 3 }, { isPartial: true }, 'critical'],
])('nodes without data are as severe as their alert, by how many they are: %j %j', (nodes, overrides, severity) => {
  const cluster = aCluster({ summary: aSummary(nodes), ...overrides });
  const ofNodes = problemsIn({ cluster: { ...cluster, absences: [anAbsence()] } });
  expect(ofNodes.map((of) => of.severity)).toEqual([severity]);
  const absences = [anAbsence({ isOfApiServer: true })];
  const health = aHealth({ isApiServerAway: true, stores: [lostPods] });
  expect(problemsIn({ health, cluster: { ...cluster, absences } }).map((of) => of.severity)).toEqual([severity]);
});

describe('problems and alerts', async () => {
  const about = new Set(Object.values(rules).flatMap(({ alerts }) => alerts));
  const alerts = alertsOf(await readRules());
  const shipped = new Set(alerts.map(({ alert }) => alert));
  const runbooks = await readRunbooks();

  /** Why no problem is about the same. */
  const others: Readonly<Record<string, string>> = {
    EphemeralStorageLimitPredicted: 'hours ahead: a page tells what comes within ten minutes',
    EphemeralStorageNodeDiskPredicted: 'hours ahead: a page tells what comes within ten minutes',
    EphemeralStorageNodeDataGaps: 'takes the history of an hour',
    EphemeralStorageLabelsOverwritten: 'happens in Prometheus',
    EphemeralStorageExporterDown: 'there is no exporter that could tell',
  };

  it('an alert that a rule names is shipped, with its runbook', () => {
    expect([...about].filter((alert) => !shipped.has(alert) || !runbooks.includes(`\n### ${alert}\n`))).toEqual([]);
  });

  it('a problem is as severe as an alert that it names, and each alert as one of the problem', () => {
    const severitiesOf = (name: string) =>
      alerts
        .filter(({ alert }) => alert === name)
        .map(({ labels: { severity } }) => severity?.replace('info', 'warning'));
    const differing = Object.entries(rules).filter(([, { alerts: names, severities }]) => {
      const ofAlerts = names.map(severitiesOf);
      const isSaid = severities.every((of) => ofAlerts.length === 0 || ofAlerts.flat().includes(of));
      return !isSaid || ofAlerts.some((some) => !some.some((of) => severities.includes(of as 'warning')));
    });
    expect(differing.map(([id]) => id)).toEqual([]);
  });

  it('for each alert there is a problem that says the same, or a reason why not', () => {
    expect([...about, ...Object.keys(others)].toSorted()).toEqual([...shipped].toSorted());
  });
});
