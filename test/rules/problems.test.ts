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

function problemsIn(input: Partial<Parameters<typeof problemsOf>[0]>): readonly Problem[] {
  const healthy = { readinessChecks: [], cluster: aCluster(), evictions: [], health: aHealth() };
  return problemsOf({ ...healthy, ...input });
}

const pods = (...names: readonly string[]) => names.map((pod) => ({ namespace: 'shop', pod, node: 'node-1' }));
const onOther = { namespace: 'x', pod: 'c', node: 'node-2' };
const workloads = (...names: readonly string[]) =>
  names.map((workload) => ({ workload, workloadType: 'deployment', workloadNamespace: 'shop' }));

function textsOf(input: Partial<Parameters<typeof problemsOf>[0]>): readonly string[] {
  return problemsIn(input).map(({ severity, text, section }) => `${severity} ${section}: ${text}`);
}

/** A list that shows all that there is. */
const all = <T>(...items: readonly T[]) => ({ items, totalCount: items.length });

it.each([
  [{ ageMs: 3_599_000 }, ['warning evictions: 1 pod evicted in the last hour']],
  [{ ageMs: 3_600_000 }, []],
  [{ ageMs: 0, cause: 'node_admission' as const }, []],
])('an eviction with %j is a problem: %j', (overrides, problems) => {
  expect(textsOf({ evictions: [{ ...evictionReport(anEvictionRecord()), ...overrides }] })).toEqual(problems);
});

describe('evictions', () => {
  const recent = (count: number, overrides: Parameters<typeof anEvictionRecord>[0]): readonly ShownEviction[] =>
    Array.from({ length: count }, () => ({ ...evictionReport(anEvictionRecord(overrides)), ageMs: 1_000 }));

  it('the problem of evictions names the workloads that lost most pods, why, and what to do first', () => {
    const evictions = [
      ...recent(1, { pod: 'alone', workloads: [], cause: 'node_bytes' }),
      ...recent(1, { workloads: [aDeployment('web')], cause: 'pod_limit', limitBytes: 1024 }),
      ...recent(1, { cause: 'node_bytes' }),
      ...recent(2, {}),
    ];
    expect(problemsIn({ evictions })).toEqual([
      {
        severity: 'critical',
        id: 'pods_evicted',
        text: '5 pods evicted in the last hour',
        detail:
          '3 of shop/cart (mostly emptyDir data above its size limit of 100Mi), shop/alone (node low on disk space), 1 of shop/web (pod above the limit of its containers of 1Ki)',
        hint: 'Raise sizeLimit of the emptyDir, or have the pod write less to it.',
        commands: ['kubectl ephemeral-storage explain eviction shop/cart-0'],
        section: 'evictions',
      },
    ]);
  });

  it('an eviction for its node is explained by the node, in a command and not in prose', () => {
    const [problem] = problemsIn({ evictions: recent(1, { cause: 'node_inodes', node: 'node-7' }) });
    expect(problem?.hint).toBeUndefined();
    expect(problem?.commands).toEqual(['kubectl ephemeral-storage explain node node-7']);
  });

  it('what is about to happen comes before evictions that were, however many', () => {
    const nearPods = all(aNearPod({ pod: 'soon', ratio: 0.6, timeToLimitMs: 40_000 }));
    const cluster = aCluster({ summary: aSummary({ nearLimitPodCount: 1 }), nearPods });
    const problems = problemsIn({ cluster, evictions: recent(12, {}) });
    expect(problems.map(({ severity, text }) => [severity, text])).toEqual([
      ['warning', '1 pod near a limit'],
      ['critical', '12 pods evicted in the last hour'],
    ]);
  });

  it.each([
    [2, 'warning'],
    [3, 'critical'],
  ])('evictions of %d pods of a workload are %s', (count, severity) => {
    expect(problemsIn({ evictions: recent(count, {}) })[0]?.severity).toBe(severity);
  });
});

describe('missing lists', () => {
  const missing = (namespace: string, reason: string | undefined): UnlistedReport => {
    return { resource: 'pods', namespace, reason, message: 'x', forMs: 300_000 };
  };

  it.each([
    ['unauthorized', 'the token of the service account'],
    ['forbidden', 'Bind a role that may list and watch nodes and pods'],
    ['tls', 'certificate authority'],
    ['connection', 'the network between it and the exporter'],
  ])('an exporter that could list nothing (%s) names the errors and what to do', (reason, hint) => {
    const unlisted = ['nodes', 'pods'].map((resource) => ({
      ...{ resource, namespace: '', reason, forMs: 60_000 },
      message: `list of ${resource}: the API server answered 401`,
    }));
    const readinessChecks = [{ name: 'nodes', isOk: false }];
    const [problem] = problemsIn({
      ...{ cluster: undefined, readinessChecks, notListed: 'Nothing was listed.' },
      health: aHealth({ unlisted }),
    });
    expect(problem?.detail).toBe(
      'Nothing was listed. Last errors: list of nodes: the API server answered 401, list of pods: the API server answered 401',
    );
    expect(problem?.hint).toContain(hint);
  });

  it('missing lists are one problem for each reason, with what it costs', () => {
    const unlisted = [missing('a', 'forbidden'), missing('b', 'timeout'), missing('c', 'forbidden')];
    const workload = { workload: 'every', workloadType: 'selector', workloadNamespace: '' };
    const cluster = aCluster({ unlisted: { incompleteWorkloadCount: 1, exampleWorkloads: [workload] } });
    const problems = problemsIn({ cluster, health: aHealth({ unlisted }) });
    expect(problems.map(({ text, detail, hint }) => [text, detail, hint])).toEqual([
      [
        'pods of 2 namespaces not listed (forbidden): a, c',
        'for 5m; 1 workload incomplete: every',
        "Bind a role that may list and watch pods to the exporter's service account with a RoleBinding in each of them, or remove them from cluster.namespaces.",
      ],
      [
        'pods of namespace b not listed (timeout)',
        'for 5m; 1 workload incomplete: every',
        "Check the exporter's log for the error.",
      ],
    ]);
  });
});

describe('problems of the cluster', () => {
  it.each([
    [{ reachedLimitPodCount: 1 }, 'warning next-evictions: 1 pod above a limit'],
    [{ reachedLimitPodCount: 2 }, 'warning next-evictions: 2 pods above a limit'],
    [{ unenforcedReachedPodCount: 2 }, 'warning pods: 2 pods above a limit that does not evict them'],
    [{ pressedNodeCount: 1 }, 'critical next-evictions: 1 node below an eviction threshold'],
    [{ refusingNodeCount: 1 }, 'critical nodes: 1 node under DiskPressure'],
    [{ nearLimitPodCount: 3 }, 'warning next-evictions: 3 pods near a limit'],
    [{ staleNodeCount: 2 }, 'warning nodes: 2 nodes with stale data'],
    [{ fullNodeCount: 1 }, 'warning nodes: 1 node at least 90 % full'],
    [{ noSpaceNodeCount: 1 }, 'critical nodes: 1 node with a disk that fills up and no eviction threshold'],
  ])('a problem is reported for %j', (summary, text) => {
    expect(textsOf({ cluster: aCluster({ summary: aSummary(summary) }) })).toEqual([text]);
  });

  it('a pod above a limit that does not evict it is named', () => {
    const unenforcedReachedPods = [{ namespace: 'kube-system', pod: 'etcd-0', node: 'node-1' }];
    const cluster = aCluster({ summary: aSummary({ unenforcedReachedPodCount: 1 }), unenforcedReachedPods });
    const about = { namespace: 'kube-system', pod: 'etcd-0' };
    expect(problemsIn({ cluster })).toMatchObject([{ detail: 'kube-system/etcd-0', about }]);
  });

  it.each([
    ['isolation_disabled', 'nodes whose kubelets enforce no limits'],
    ['rootfs_not_measured', 'nodes where limits do not see writable layers'],
    ['threshold_unset', 'nodes without an eviction threshold for a disk'],
    ['threshold_refuted', 'nodes with other eviction thresholds than the defaults of Kubernetes'],
    ['capacity_differs', 'nodes whose capacity is not that of their disks'],
    ['statistics_frozen', 'nodes whose kubelets report old values'],
    ['free_space_unknown', 'nodes whose kubelets do not report what is free'],
  ] as const)('nodes with %s are one problem, with what to do', (kind, text) => {
    const enforcement = [{ kind, nodeCount: 5, exampleNodes: ['a', 'b', 'c'] }];
    const [problem, ...others] = problemsIn({ cluster: aCluster({ enforcement }) });
    expect(problem).toMatchObject({ severity: 'warning', text: `5 ${text}`, detail: 'a, b, c and 2 more' });
    expect(problem?.hint).toMatch(/\.$/);
    expect(others).toEqual([]);
  });

  it.each([
    ['threshold_unset', ['imagefs.available'], /^Set imagefs.available in evictionHard/],
    ['threshold_refuted', ['nodefs.available', 'nodefs.inodesFree'], /of nodefs.available, nodefs.inodesFree,/],
  ] as const)('the hint for %s names its signals %j', (kind, signals, hint) => {
    const enforcement = [{ kind, nodeCount: 1, exampleNodes: ['a'], signals }];
    expect(problemsIn({ cluster: aCluster({ enforcement }) })[0]?.hint).toMatch(hint);
  });

  it('a separate disk for images is no problem', () => {
    const enforcement = [{ kind: 'dedicated_imagefs', nodeCount: 1, exampleNodes: ['a'] }] as const;
    expect(problemsIn({ cluster: aCluster({ enforcement }) })).toEqual([]);
  });

  it('emptyDirs in memory that are full are one problem, with the command that shows the first', () => {
    const place = { namespace: 'shop', pod: 'web-0', node: 'node-1', volume: 'shm' };
    const finding = { ...place, kind: 'memory_volume_full', what: 'full', fix: 'Raise it.', podCount: 2 } as const;
    const findings = [{ kind: finding.kind, findingCount: 2, items: [finding], totalCount: 1 }];
    expect(problemsIn({ cluster: aCluster({ findings }) })).toEqual([
      {
        severity: 'warning',
        id: 'memory_volume_full',
        text: '2 emptyDirs in memory are full: writes fail',
        detail: 'shop/web-0 (shm) and 1 more',
        commands: ['kubectl ephemeral-storage explain pod shop/web-0'],
        section: 'findings',
      },
    ]);
  });

  it('a node without data is a warning when nodes have not had time to answer', () => {
    const cluster = aCluster({ isPartial: true, absences: [anAbsence({ isAwaited: true })] });
    expect(textsOf({ cluster })).toEqual(['warning nodes: 1 node has not answered yet: node-2']);
  });

  it('many nodes that have not had time to answer are one line: how many have, and no names', () => {
    const absence = anAbsence({ isAwaited: true, nodeCount: 600, exampleNodes: ['a', 'b', 'c'], dataAgeMs: undefined });
    const summary = aSummary({ freshNodeCount: 67, absentNodeCount: 601 });
    const cluster = aCluster({ isPartial: true, absences: [absence], summary });
    expect(problemsIn({ cluster })).toEqual([
      {
        severity: 'warning',
        id: 'node_without_data',
        text: 'being read: 67 of 668 nodes have answered',
        detail: '2 pods not measured, 1 workload incomplete: shop/cart',
        hint: 'A page waits for half a second: the next one has what they answer.',
        commands: [],
        section: 'nodes',
        only: 'unknown',
      },
    ]);
  });

  it('a problem names its pods', () => {
    const items = [
      aNearPod({ pod: 'over', ratio: 1.2 }),
      aNearPod({ pod: 'near', ratio: 0.9 }),
      aNearPod({ pod: 'silent', ratio: 0.9, dataState: 'absent' }),
    ];
    const summary = aSummary({ reachedLimitPodCount: 1, nearLimitPodCount: 2 });
    const cluster = aCluster({ summary, nearPods: { items, totalCount: 3 } });
    expect(problemsIn({ cluster }).map(({ text, detail, commands }) => [text, detail, commands])).toEqual([
      ['1 pod above a limit', 'shop/over', ['kubectl ephemeral-storage explain pod shop/over']],
      [
        '2 pods near a limit',
        'shop/near, shop/silent (last known 1s ago)',
        ['kubectl ephemeral-storage explain pod shop/near'],
      ],
    ]);
  });

  it('what is evicted within ten minutes is a problem with its time, below 80 % of a limit too', () => {
    const minuteMs = 60_000;
    const nearPods = all(aNearPod({ pod: 'soon', ratio: 0.6, timeToLimitMs: 2 * minuteMs }));
    const nearNodes = all(aPressedNode('node-1', { timeToEvictionMs: 4 * minuteMs }), aPressedNode('node-2'));
    const cluster = aCluster({
      summary: aSummary({ nearLimitPodCount: 1, nearPressureNodeCount: 2 }),
      nearPods,
      nearNodes,
    });
    expect(problemsIn({ cluster })).toMatchObject([
      {
        severity: 'warning',
        text: '1 pod near a limit',
        detail: 'shop/soon (in 2m)',
        timeToEvictionMs: 2 * minuteMs,
      },
      {
        severity: 'warning',
        text: '2 nodes close to an eviction threshold',
        detail: 'node-1 (in 4m), node-2',
        commands: ['kubectl ephemeral-storage explain node node-1'],
      },
    ]);
  });

  it.each([
    ['a node, before pods that are merely near a limit', undefined, 4, ['node', 'pod', 'pods']],
    ['a node, before a pod that is evicted later', 9, 4, ['node', 'pod', 'pods']],
    ['a pod, before a node that evicts later', 3, 4, ['pod', 'node', 'pods']],
    ['a node and a pod that are close, with no time or a long one', 11, undefined, ['pod', 'node', 'pods']],
  ])('what happens first comes first: %s', (_case, podMinutes, nodeMinutes, order) => {
    const minutes = (count: number | undefined) => (count === undefined ? undefined : count * 60_000);
    const limit = aNearPod({ pod: 'near', ratio: 0.9, timeToLimitMs: minutes(podMinutes) });
    const cluster = aCluster({
      summary: aSummary({ nearLimitPodCount: 1, nearPressureNodeCount: 1 }),
      nearPods: all(limit),
      nearNodes: all(aPressedNode('node-1', { timeToEvictionMs: minutes(nodeMinutes) })),
      gaps: [aGap({ podCount: 2, examplePods: pods('a', 'b') })],
    });
    expect(problemsIn({ cluster }).map(({ text }) => text.split(' ')[1])).toEqual(order);
  });

  it('a full disk without a threshold is one critical problem, with its sentence and the first command', () => {
    const verdict = { kind: 'no_space', text: 'Writes fail.', commands: ['first', 'second'] } as const;
    const filesystems = [{ filesystem: 'nodefs', fullRatio: 1 }] as const;
    const cluster = aCluster({
      summary: aSummary({ fullNodeCount: 1, noSpaceNodeCount: 1 }),
      nodes: all<ListedNodeReport>(
        aMeasuredNode({ filesystems, verdict, condition: 'no_space' }),
        anAbsentNodeStatus({ condition: 'full', lastKnown: aMeasuredNode({ filesystems, dataAgeMs: 90_000 }) }),
      ),
    });
    expect(problemsIn({ cluster })).toMatchObject([
      {
        severity: 'critical',
        detail: 'node-1: Writes fail.',
        commands: ['first', 'second'],
        about: { node: 'node-1' },
      },
      { severity: 'warning', text: '1 node at least 90 % full', detail: 'node-2 (last known 1m30s ago)' },
    ]);
  });

  it('what fills the disk of the host of a virtual cluster is not promised', () => {
    const filesystems = [{ filesystem: 'nodefs', fullRatio: 1 }] as const;
    const node = aMeasuredNode({ condition: 'unknown', filesystems, enforcement: ['virtual_cluster'] });
    const cluster = aCluster({ summary: aSummary({ fullNodeCount: 1 }), nodes: all(node) });
    expect(problemsIn({ cluster })[0]?.hint).toMatch(/^Writes fail when nothing is free/);
  });

  it('a problem names its nodes', () => {
    const verdict = { kind: 'pods', text: 'Pods are the cause.', commands: ['first', 'second'] } as const;
    const below = { headroom: -1 };
    const nearNodes = all(
      aPressedNode('node-1', { ...below, verdict }),
      {
        ...aPressedNode('node-2', { ...below, dataState: 'absent' }),
        ...anAbsentNodeStatus({ lastKnown: aMeasuredNode({ dataAgeMs: 90_000 }) }),
      },
      aPressedNode('node-3'),
    );
    const nodefs = (node: string, condition: 'evicting' | 'full', ratios: object) =>
      aMeasuredNode({ node, condition, filesystems: [{ filesystem: 'nodefs', fullRatio: 0.1, ...ratios }] });
    const failure = { reason: 'timeout', message: 'slow', ageMs: 1 } as const;
    const cluster = aCluster({
      summary: aSummary({ pressedNodeCount: 2, staleNodeCount: 1, fullNodeCount: 1 }),
      nearNodes,
      nodes: all(
        aMeasuredNode({ node: 'node-4', state: 'stale', failure }),
        nodefs('node-1', 'evicting', { fullRatio: 0.99 }),
        nodefs('node-5', 'full', { inodesFullRatio: 0.9 }),
        nodefs('node-6', 'full', { fullRatio: 0.89 }),
      ),
    });
    expect(problemsIn({ cluster })).toMatchObject([
      {
        text: '2 nodes below an eviction threshold',
        detail: 'node-1, node-2 (last known 1m30s ago). node-1: Pods are the cause.',
        commands: ['first', 'second'],
      },
      {
        text: '1 node at least 90 % full',
        detail: 'node-5',
        commands: ['kubectl ephemeral-storage explain node node-5'],
      },
      { text: '1 node with stale data', detail: 'node-4 (no answer in time)' },
    ]);
  });

  it('a node under DiskPressure is no node close to a threshold', () => {
    const [refusing, near] = [aPressedNode('node-1', { diskPressure: true }), aPressedNode('node-2')];
    const summary = aSummary({ refusingNodeCount: 1, nearPressureNodeCount: 1 });
    const cluster = aCluster({ summary, nodes: all(refusing, near), nearNodes: all(refusing, near) });
    expect(problemsIn({ cluster }).map(({ text, detail }) => [text, detail])).toEqual([
      ['1 node under DiskPressure', 'node-1'],
      ['1 node close to an eviction threshold', 'node-2'],
    ]);
  });

  it('a problem of several nodes has the verdict of the first, and the command that explains it without one', () => {
    const verdict = { kind: 'pods', text: 'Pods are the cause.', commands: ['first'] } as const;
    const problemOf = (of: typeof verdict | undefined) => {
      const nodes = ['node-1', 'node-2'].map((node) => aPressedNode(node, { timeToEvictionMs: 60_000, verdict: of }));
      const cluster = aCluster({ summary: aSummary({ nearPressureNodeCount: 2 }), nearNodes: all(...nodes) });
      return problemsIn({ cluster })[0];
    };
    expect(problemOf(verdict)?.detail).toMatch(/^node-1 \(.*\), node-2 \(.*\)\. node-1: Pods are the cause\.$/);
    expect(problemOf(verdict)?.commands).toEqual(['first']);
    expect(problemOf(undefined)?.commands).toEqual(['kubectl ephemeral-storage explain node node-1']);
  });

  it('a scope without nodes is a problem', () => {
    expect(textsOf({ cluster: aCluster({ nodes: all() }) })).toEqual(['warning nodes: no nodes in scope']);
  });

  it('the problem of an exporter that is not ready names three of many failing checks', () => {
    const readinessChecks = Array.from({ length: 40 }, (_, index) => ({ name: `pods in n${index}`, isOk: false }));
    expect(textsOf({ readinessChecks, cluster: undefined })).toEqual([
      'critical trust: not ready: pods in n0, pods in n1, pods in n2 and 37 more',
    ]);
  });

  const ofPods = { section: 'pods', only: 'unknown' };
  const incomplete = (count: number, ...names: readonly string[]) =>
    aGap({
      ...({ kind: 'other', podCount: 0, examplePods: [] } as const),
      ...{ incompleteWorkloadCount: count, exampleWorkloads: workloads(...names) },
    });
  const hostile = "x$(id)'";

  it.each([
    [
      aGap({ podCount: 2, examplePods: pods('a', 'b') }),
      ofPods,
      '2 pods missing from the summaries of their nodes',
      'shop/a, shop/b on node-1; 1 workload incomplete: shop/cart',
      "A pod that `kubectl get pod` does not show was deleted: the exporter reads its list again within ten minutes. For others, check the kubelet's log: a summary has pods a minute after their start.",
    ],
    [
      aGap({ kind: 'no_total', incompleteWorkloadCount: 0, exampleWorkloads: [] }),
      { ...ofPods, about: { namespace: 'shop', pod: 'cart-0' } },
      '1 pod without usage in the summary of its node',
      'shop/cart-0 on node-1',
      "Check the kubelet's log, and whether the container runtime reports statistics.",
    ],
    [
      aGap({ kind: 'volumes_pending', podCount: 4, examplePods: [...pods('a', 'b'), onOther] }),
      ofPods,
      'volumes of 4 pods not measured',
      'shop/a, shop/b on node-1, x/c on node-2 and 1 more; totals or ratios are too low; 1 workload incomplete: shop/cart',
      'A kubelet measures volumes within two minutes of its start. If it takes longer, check its log and the disk.',
    ],
    [
      incomplete(5, 'a', 'b', 'c'),
      { section: 'workloads' },
      '5 incomplete workloads',
      'shop/a, shop/b, shop/c and 2 more',
      undefined,
      'kubectl ephemeral-storage explain workload shop/a',
    ],
    [
      incomplete(1, hostile),
      { section: 'workloads' },
      '1 incomplete workload',
      `shop/${hostile}`,
      undefined,
      `kubectl ephemeral-storage explain workload 'shop/x$(id)'"'"''`,
    ],
  ])(
    'a gap is a problem with its pods, its cost and what to do: %j',
    (gap, place, text, ...[detail, hint, ...commands]) => {
      const problem = { severity: 'warning', ...place, text, detail, ...(hint && { hint }), commands };
      expect(problemsIn({ cluster: aCluster({ gaps: [gap] }) })).toMatchObject([problem]);
    },
  );

  it.each([
    [true, 299_999, []],
    [true, 300_000, ['warning trust: watch of pods had no events for 5m']],
    [false, 29_999, []],
    [false, 30_000, ['warning trust: watch of pods is disconnected: no events for 30s']],
    [false, undefined, []],
  ])('a watch (connected: %s) without events for %s ms is judged by age', (isConnected, lastProgressAgeMs, texts) => {
    const stores = [{ resource: 'pods', objectCount: 1, isConnected, isPolled: false, lastProgressAgeMs }];
    expect(textsOf({ health: aHealth({ stores }) })).toEqual(texts);
  });

  it.each([
    [{ droppedFamilies: ['a', 'b'] }, 'warning trust: 2 metric families dropped by metrics.maxSeries'],
    [{ workloadNameClashCount: 1 }, 'warning trust: 1 workload name clash'],
    [{ isLastReloadSuccessful: false }, 'warning trust: the last reload of the settings failed'],
    [
      { evictionFileFault: { text: 'evictions.file is broken: it is empty' } },
      'warning evictions: evictions.file is broken: it is empty',
    ],
    [{ isConfigurationForbidden: true }, 'warning trust: the configuration of kubelets is not readable'],
    [{ isKubeletTlsUnverified: true }, 'warning trust: kubelet TLS verification is disabled'],
  ])('a problem of the exporter itself is reported: %j', (health, text) => {
    expect(textsOf({ health: aHealth(health) })).toEqual([text]);
  });

  it('a failed reload has the check of the file as its next step', () => {
    const [problem] = problemsIn({ health: aHealth({ isLastReloadSuccessful: false }) });
    expect(problem?.hint).toContain('check-config --config.file FILE');
  });
});

it('the problem of volumes that are not measured says what that does to values', () => {
  const gap = aGap({ kind: 'volumes_pending', incompleteWorkloadCount: 0, exampleWorkloads: [] });
  expect(problemsIn({ cluster: aCluster({ gaps: [gap] }) })[0]?.detail).toBe(
    'shop/cart-0 on node-1; totals or ratios are too low',
  );
});

it('nodes without data do not hide what is missing elsewhere', () => {
  const cluster = aCluster({ absences: [anAbsence()], gaps: [aGap()] });
  expect(textsOf({ cluster }).slice(1)).toEqual(['warning pods: 1 pod missing from the summary of its node']);
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
  const stores = [{ resource: 'pods', objectCount: 9, isConnected: false, isPolled: false, lastProgressAgeMs: 81_000 }];
  const health = aHealth({ isApiServerAway: true, stores });
  const absences = [anAbsence({ isOfApiServer: true })];
  expect(problemsIn({ health, cluster: { ...cluster, absences } }).map((of) => of.severity)).toEqual([severity]);
});

it('nodes without data are a problem for each reason, with examples', () => {
  const absences = [
    anAbsence({ reason: 'tls', nodeCount: 12, exampleNodes: ['a', 'b', 'c'], dataAgeMs: undefined }),
    anAbsence({ expectedPodCount: 0, incompleteWorkloadCount: 0 }),
  ];
  expect(problemsIn({ cluster: aCluster({ absences }) }).map(({ text, detail }) => [text, detail])).toEqual([
    [
      '12 nodes without data (certificate not accepted): a, b, c and 9 more',
      'no data since the exporter started; 2 pods not measured, 1 workload incomplete: shop/cart',
    ],
    ['1 node without data (no answer in time): node-2', 'last data 12m ago'],
  ]);
});

describe('an API server that is away', () => {
  const stores = [
    { resource: 'nodes', objectCount: 4, isConnected: false, isPolled: false, lastProgressAgeMs: 116_000 },
    { resource: 'pods', objectCount: 9, isConnected: false, isPolled: false, lastProgressAgeMs: 81_000 },
  ];
  const health = aHealth({ isApiServerAway: true, stores });
  const problem = {
    severity: 'warning',
    id: 'api_server_away',
    text: 'API server not reachable',
    detail: 'no events for 1m21s; changes of nodes and pods are not seen',
    hint: 'Check the API server and the network between it and the exporter.',
    commands: [],
    section: 'trust',
  };

  it('the problem of an API server that is away includes nodes without data because of it, and no others', () => {
    const absences = [
      anAbsence({ reason: 'unauthorized', hint: 'Wait.', isOfApiServer: true, nodeCount: 4, expectedPodCount: 9 }),
      anAbsence(),
    ];
    expect(problemsIn({ health, cluster: aCluster({ absences }) })).toEqual([
      {
        ...problem,
        detail:
          'no events for 1m21s; changes of nodes and pods are not seen; 4 nodes without data (credentials not accepted): node-2 and 3 more; last data 12m ago; 9 pods not measured, 1 workload incomplete: shop/cart',
        hint: `${problem.hint} Wait.`,
      },
      expect.objectContaining({ text: '1 node without data (no answer in time): node-2' }),
    ]);
  });

  it.each<[string, Parameters<typeof aSummary>[0], boolean]>([
    ['no node has data, for it', { freshNodeCount: 0, absentNodeCount: 4 }, true],
    ['nodes have no data for another cause too', { freshNodeCount: 0, absentNodeCount: 5 }, false],
    ['a node has data', { freshNodeCount: 0, staleNodeCount: 1, absentNodeCount: 4 }, false],
  ])('pods in trouble as last known are part of that problem where %s', (_what, nodes, isPart) => {
    const absences = [anAbsence({ isOfApiServer: true, nodeCount: 4 })];
    const nearPods = { items: [aNearPod({ ratio: 1.2 }), aNearPod({ pod: 'cart-1', ratio: 0.9 })], totalCount: 2 };
    const summary = aSummary({ ...nodes, reachedLimitPodCount: 1, nearLimitPodCount: 1 });
    const problems = problemsIn({ health, cluster: aCluster({ absences, nearPods, summary }) });
    const own = problems.map(({ id }) => id).filter((id) => id.startsWith('pod_'));
    expect(own).toEqual(isPart ? [] : ['pod_above_limit', 'pod_near_limit']);
    const away = problems.find(({ id }) => id === 'api_server_away')?.detail ?? '';
    const text = '; 2 pods were near a limit or above one when last known: shop/cart-0, shop/cart-1';
    expect(away.endsWith(text)).toBe(isPart);
  });

  it('nodes in trouble as last known are part of that problem too', () => {
    const absences = [anAbsence({ isOfApiServer: true, nodeCount: 9 })];
    const counts = { pressedNodeCount: 1, refusingNodeCount: 1, nearPressureNodeCount: 1, noSpaceNodeCount: 1 };
    const summary = aSummary({ ...counts, fullNodeCount: 1, freshNodeCount: 0, absentNodeCount: 9 });
    const troubles = { evicting: 1, refusing: 1, near: 1, no_space: 1, full: 1 };
    const nodes = all(anAbsentNodeStatus({ condition: 'evicting' }), anAbsentNodeStatus({ node: 'silent' }));
    const cluster = aCluster({ absences, summary, nodes, grid: { ...aCluster().grid, troubles } });
    const found = problemsIn({ health, cluster });
    expect(found.map(({ id }) => id)).toEqual(['api_server_away']);
    expect(found[0]?.detail).toMatch(/; 5 nodes had a disk in trouble when last known: node-2 and 4 more$/);
  });

  const lost = aCluster({ gaps: [aGap({ podCount: 2, incompleteWorkloadCount: 0, exampleWorkloads: [] })] });

  it.each([
    ['away', true, 'API server not reachable'],
    ['refusing', false, 'watches of nodes, pods are disconnected: no events for 1m56s'],
  ])(
    'pods that summaries lack while the API server is %s are no fault of kubelets',
    (_state, isApiServerAway, text) => {
      const problems = problemsIn({ health: aHealth({ isApiServerAway, stores }), cluster: lost });
      expect(problems.map((of) => of.text)).toEqual([text]);
      expect(problems[0]?.detail).toMatch(
        /not seen; 2 pods are no longer in the summaries of their nodes: they may have ended or moved$/,
      );
    },
  );

  it('pods that summaries lack while pods are watched are a problem of the kubelets', () => {
    const texts = textsOf({ cluster: lost, health: aHealth({ stores: stores.slice(0, 1) }) });
    expect(texts).toContain('warning pods: 2 pods missing from the summaries of their nodes');
  });

  it.each([
    ['refuses the watches', { stores }, 'watches of nodes, pods are disconnected: no events for 1m56s'],
    [
      'refuses one',
      {
        isApiServerAway: true,
        stores: [
          { resource: 'nodes', objectCount: 4, isConnected: true, isPolled: false, lastProgressAgeMs: 1 },
          ...stores.slice(1),
        ],
      },
      'watch of pods is disconnected: no events for 1m21s',
    ],
  ])('an API server that %s is not one that is away', (_case, overrides, text) => {
    expect(problemsIn({ health: aHealth(overrides) })).toEqual([
      {
        severity: 'warning',
        text,
        detail: expect.stringContaining('are not seen') as string,
        hint: "Check the exporter's log for the error, its credentials and its role.",
        id: 'watch_disconnected',
        commands: [],
        section: 'trust',
      },
    ]);
  });
});

describe('a watch that cannot be kept', () => {
  const polled = { resource: 'pods', objectCount: 9, isConnected: false, isPolled: true, lastProgressAgeMs: 149_999 };
  const nodes = { ...polled, resource: 'nodes' };

  it('a watch that cannot be kept is one warning, with how old the data may be and what to do', () => {
    expect(problemsIn({ health: aHealth({ stores: [polled] }) })).toEqual([
      {
        severity: 'warning',
        id: 'watch_polled',
        text: 'watch of pods does not last: pods are listed about every minute instead',
        detail: 'changes of pods are seen up to 75 s late',
        commands: [],
        hint: expect.stringMatching(/proxy or load balancer .*the verb watch/) as string,
        section: 'trust',
      },
    ]);
    expect(textsOf({ health: aHealth({ stores: [nodes, { ...polled, isConnected: true }] }) })).toEqual([
      'warning trust: watches of nodes, pods do not last: nodes and pods are listed about every minute instead',
    ]);
  });

  it.each([
    [false, 150_000, 'warning trust: watch of pods is disconnected: no events for 2m30s'],
    [true, 30_000, 'warning trust: API server not reachable'],
  ])('a lost watch is not the headline when lists fail (away: %s)', (isApiServerAway, lastProgressAgeMs, text) => {
    const stores = [{ ...polled, lastProgressAgeMs }];
    expect(textsOf({ health: aHealth({ isApiServerAway, stores }) })).toEqual([text]);
  });
});

it('the worst problems come first', () => {
  const cluster = aCluster({ summary: aSummary({ nearLimitPodCount: 1, pressedNodeCount: 1 }) });
  expect(textsOf({ cluster }).map((text) => text.split(' ')[0])).toEqual(['critical', 'warning']);
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
