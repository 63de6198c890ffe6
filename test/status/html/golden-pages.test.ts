import { describe, expect, it } from 'vitest';

import type { ClusterReading } from '../../../src/people/query/cluster-reading.js';
import { parseListQuery } from '../../../src/people/query/list-query.js';
import type { NodeObject } from '../../../src/people/query/node-explanation.js';
import type { Status } from '../../../src/people/query/status.js';
import { evictionReport } from '../../../src/people/report/eviction-report.js';
import type { SignalReport } from '../../../src/people/report/signal-report.js';
import { statusDocument } from '../../../src/people/status/document-of.js';
import { renderPage, renderView } from '../../../src/people/status/html/page.js';
import { aContainer, aContainerSummary, aPod, aPodSummary, aVolume } from '../../support/builders.js';
import { anEvictionRecord } from '../../support/eviction-builders.js';
import {
  aBoundPod,
  aClusterSnapshot,
  aDeployment,
  aFreshNode,
  aLimitRatio,
  aMeasuredPod,
  anAbsentNode,
  aNodeSnapshot,
  aPodUsage,
  aReading,
  aWorkloadSnapshot,
} from '../../support/snapshot-builders.js';
import {
  aCluster,
  aGrid,
  aHealth,
  aMeasuredNode,
  anAbsentNodeStatus,
  aNearPod,
  aPressedNode,
  aProblem,
  aStatus,
  aSummary,
} from '../../support/status-builders.js';
import { gib, mib } from '../../support/units.js';
import { aPage } from '../../support/view-pages.js';

const readAtMs = Date.UTC(2026, 0, 1, 13);
const frame = { search: '', metricsPath: '/metrics', documentationUrl: './docs' };

/** A tag a line, without style, script and icon, which are the same on all pages. */
const golden = (html: string): string =>
  html
    .replaceAll(/<(style|script)[^>]*>[^]*?<\/\1>/g, '')
    .replaceAll(/href="data:[^"]*"/g, 'href="data:"')
    .replaceAll('><', '>\n<');

const all = <T>(...items: readonly T[]) => ({ items, totalCount: items.length });

const problems = [
  aProblem({
    severity: 'critical',
    text: '1 limit reached',
    detail: 'shop/a',
    hint: 'Raise it.',
    section: 'next-evictions',
  }),
  aProblem({ severity: 'warning', text: '2 nodes with stale data', section: 'nodes', about: { node: 'node-1' } }),
  aProblem({
    severity: 'warning',
    text: 'pods missing',
    detail: 'shop/b',
    hint: 'Look.',
    section: 'pods',
    only: 'unknown',
  }),
];
const silent = { dataState: 'absent', dataAgeMs: 720_000, absenceReason: 'timeout' } as const;
const nearPods = {
  items: [
    aNearPod({ rule: 'emptydir', volume: 'cache', usedBytes: 3 * gib, limitBytes: 2 * gib, timeToLimitMs: 0 }),
    aNearPod({ pod: 'silent-0', ratio: 1.2, ...silent }),
    aNearPod({ pod: 'low-0', ratio: 0.92, state: 'pending' }),
    aNearPod({ rule: 'container', container: 'app', ratio: 0.85, unenforced: 'dedicated_imagefs' }),
    aNearPod({ pod: 'cart-1', ratio: 0.6, timeToLimitMs: 250_000 }),
  ],
  totalCount: 1_235,
};
const nodefs = { signal: 'nodefs.available', thresholdBytes: 10 * gib } as const;
const nearNodes = {
  items: [
    aPressedNode('soon', {
      ...{ ...nodefs, isAssumed: true, available: 11 * gib, headroom: gib, timeToEvictionMs: 41_000 },
      victims: [
        { rank: 1, namespace: 'shop', pod: 'big', usage: 9 * gib, place: 'above_request' },
        { rank: 2, namespace: 'shop', pod: 'small', usage: 1, place: 'within_request' },
      ],
    }),
    aPressedNode('below', {
      ...{ signal: 'nodefs.inodesFree', thresholdInodes: 1000 },
      ...{ available: 900, headroom: -100, timeToEvictionMs: 0, victims: [] },
    }),
    aPressedNode('left', { ...nodefs, available: 17 * gib, headroom: 7 * gib, victims: undefined, diskPressure: true }),
    aPressedNode('unread', { ...nodefs, available: 9 * gib, headroom: -gib, victims: undefined, unreadPodCount: 12 }),
  ],
  totalCount: 6,
};
const grid = aGrid({
  pools: [
    {
      ...{ pool: 'gpu', nodeCount: 3 },
      nodes: [
        { node: 'ip-1.example.com', condition: 'evicting', fullRatio: 0.931 },
        { node: 'ip-2.example.com', condition: 'silent' },
        { node: 'ip-3.example.com', condition: 'ok', fullRatio: 0.4 },
      ],
    },
  ],
  ...{
    nodeCount: 3,
    conditions: { evicting: 1, silent: 1, ok: 1 },
    troubles: { evicting: 1 },
    commonSuffix: '.example.com',
  },
});
const gap = { fromMs: readAtMs - 7_200_000, untilMs: readAtMs - 7_000_000 };

const statuses: Readonly<Record<string, Partial<Status>>> = {
  well: {},
  trouble: {
    problems,
    links: [{ name: 'Grafana', url: 'https://grafana.example.com/d/x?a=1&b=2' }],
    cluster: aCluster({
      ...{ isPartial: true, nearPods, nearNodes, grid },
      summary: aSummary({
        ...{ absentNodeCount: 1, freshNodeCount: 2, pressedNodeCount: 3, pressedEmptyNodeCount: 1 },
        ...{ nearPressureNodeCount: 2, reachedLimitPodCount: 1_001, nearLimitPodCount: 2 },
        ...{ unenforcedPodCount: 2, unknownLimitPodCount: 2, podCount: 15_999, podsUsedBytes: 7 * gib },
        ...{ expectedPodCount: 20_000, measuredPodCount: 16_000, pendingPodCount: 1_234 },
      }),
    }),
    evictions: { ...all({ ...evictionReport(anEvictionRecord()), ageMs: 300_000 }), totalCount: 3, refusedCount: 7 },
    health: aHealth({ evictionGaps: [gap] }),
  },
  unlisted: {
    cluster: undefined,
    notListed: 'Nodes and pods have not been listed.',
    isReady: false,
    problems: [
      aProblem({
        severity: 'critical',
        text: 'not ready: pods',
        detail: 'forbidden',
        hint: 'Bind it.',
        section: 'trust',
      }),
    ],
    readinessChecks: [{ name: 'pods', isOk: false, message: 'not listed yet: forbidden' }],
  },
};

const signal: SignalReport = {
  ...{ signal: 'nodefs.available', thresholdBytes: 10 * gib, isAssumed: true },
  ...{ available: 30 * gib, headroom: 20 * gib, isCrossed: false },
  victims: [
    { rank: 1, namespace: 'shop', pod: 'big', usage: 9 * gib, request: 0, place: 'above_request', priority: 0 },
    {
      ...{ rank: 2, namespace: 'shop', pod: 'core', usage: 1, request: 5, place: 'within_request', priority: 7 },
      exempt: 'critical',
    },
  ],
  toFree: {
    ...{ amount: gib, isMissing: false, victims: [{ namespace: 'shop', pod: 'big', freed: 9 * gib }] },
    ...{ freed: 9 * gib, isEnough: true },
  },
};
const disk: NodeObject['disks'][number] = {
  filesystem: 'nodefs',
  capacityBytes: 100 * gib,
  parts: [
    { kind: 'rootfs', bytes: 30 * gib },
    { kind: 'logs', bytes: 10 * gib },
    { kind: 'images', bytes: 20 * gib },
    { kind: 'unattributed', bytes: 10 * gib },
    { kind: 'free', bytes: 30 * gib },
  ],
  ...{ thresholdBytes: 10 * gib, headroomBytes: 20 * gib, isAssumed: true },
};
const finding = {
  ...({ namespace: 'shop', pod: 'cart-0', kind: 'volume_not_mounted' } as const),
  ...{ what: 'no container mounts emptyDir data', fix: 'Mount it.' },
};
const images = {
  ...({ sizes: 'compressed', imageCount: 4, sizeBytes: 8 * gib, isCut: false, unusedBytes: 2 * gib } as const),
  maxCopiesBytes: 8 * gib,
  collection: { startsInBytes: 6 * gib, wantedBytes: 5 * gib, isEnough: false, minAgeMs: 0 },
};
const verdict = { kind: 'pods', text: 'Pods are the cause.', commands: ['kubectl delete pod -n shop cart-0'] } as const;
const explained = { signals: [signal, { signal: 'imagefs.inodesFree', isCrossed: false }], kubeletVersion: 'v1.37.1' };

const nodes: Readonly<Record<string, object>> = {
  near: {
    ...{ ...aMeasuredNode(), ...explained, condition: 'near', state: 'stale', verdict, images },
    ...{ findings: [finding, finding], diskPressure: true, otherPodCount: 1, otherPodsUsedBytes: 1024 },
    ...{ pendingPodCount: 1, missingPodCount: 2, danglingPodCount: 3 },
    listedImages: [{ name: 'redis:7', sizeBytes: gib, isUnused: true }, { sizeBytes: 1 }],
    pressure: {
      ...{ ...nodefs, dataState: 'fresh', dataAgeMs: 1_500, isAssumed: false, node: 'node-1' },
      ...{ available: 1, headroom: gib, timeToEvictionMs: 240_000 },
    },
  },
  silent: {
    ...{ ...anAbsentNodeStatus(), ...explained, condition: 'silent', signals: [], verdict },
    ...{ findings: [], listedImages: [], lastKnown: aMeasuredNode({ dataAgeMs: 720_000 }) },
  },
};

const id = { namespace: 'shop', name: 'cart-0' };
const pod = aPod({
  ...id,
  containers: [aContainer({ name: 'app', limitBytes: 100 * mib }), aContainer({ name: 'proxy' })],
  volumes: [aVolume({ name: 'cache' })],
});
const container = { name: 'app', rootfsBytes: 80 * mib, logsBytes: 5 * mib };
const summary = aPodSummary({ ...id, usedBytes: 90 * mib + 7, containers: [aContainerSummary(container)] });
const memory = { rule: 'emptydir', volume: 'tmp', usedBytes: 9, limitBytes: 10, unenforced: 'memory_medium' } as const;
const near = aLimitRatio({ usedBytes: 90 * mib, limitBytes: 100 * mib });
const measured = aMeasuredPod({
  ...{ ...id, pod, summary, usage: aPodUsage({ usedBytes: 90 * mib + 7 }), workloads: [aDeployment('cart')] },
  ratios: [aLimitRatio(memory), near],
});
const lost = aBoundPod({
  pod: aPod({ namespace: 'shop', name: 'cart-9', nodeName: 'node-2' }),
  workloads: [aDeployment('cart')],
});
const absent = { ...anAbsentNode('node-2', 'timeout'), unmeasured: [lost] };
const reading = (more: Partial<ClusterReading> = {}): ClusterReading =>
  aReading({
    readAtMs,
    snapshot: aClusterSnapshot({
      nodes: [aFreshNode(aNodeSnapshot({ pods: [measured] })), absent],
      workloads: [
        aWorkloadSnapshot({ workload: aDeployment('cart'), complete: false, expectedPods: 3, measuredPods: 2 }),
      ],
    }),
    evictions: [evictionReport(anEvictionRecord())],
    samplesOf: () => [0, 1, 2, 3].map((at) => ({ atMs: at * 60_000, usedBytes: (87 + at) * mib })),
    ...more,
  });

describe('pages are those that were read last', () => {
  it.each(Object.entries(statuses))('the overview: %s', async (name, overrides) => {
    const status = aStatus(overrides);
    const html = renderPage(statusDocument('/', { status, reading: reading() }), { ...frame, path: '/', status });
    await expect(golden(html)).toMatchFileSnapshot(`../../golden/page-overview-${name}.html`);
  });

  it('the problems and the exporter', async () => {
    const stores = [{ resource: 'pods', objectCount: 7, isConnected: false, isPolled: false }];
    const unlisted = ['a', 'b'].map((namespace) => ({ resource: 'pods', namespace, message: 'x', forMs: 60_000 }));
    const health = aHealth({
      ...{ stores, unlisted, kubeletRequests: { success: 2, http_status: 3, tls: 0 }, droppedSeriesCount: 5 },
      ...{ isLastReloadSuccessful: false, isKubeletTlsUnverified: true, seriesCount: undefined },
    });
    const status = aStatus({ problems, health });
    const exporter = renderPage(statusDocument('/exporter', { status, reading: reading() }), {
      ...frame,
      path: '/exporter',
      status,
    });
    await expect(golden(exporter)).toMatchFileSnapshot('../../golden/page-exporter.html');
    const data = { items: problems, totalCount: 3, limit: 50, isComplete: true };
    const view = { kind: 'problems', query: parseListQuery('problems', {}), data } as const;
    const html = renderView(view, { ...frame, path: '/problems', status });
    await expect(golden(html)).toMatchFileSnapshot('../../golden/page-problems.html');
  });

  it.each(Object.entries(nodes))('a node: %s', async (name, node) => {
    const pods = { items: [], totalCount: 0, limit: 50, isComplete: true };
    const data = { disks: [disk], pods, evictions: [], node: node as NodeObject['node'] };
    const view = { kind: 'node', query: parseListQuery('pods', {}), data } as const;
    const status = aStatus({ cluster: aCluster({ grid }) });
    const html = renderView(view, { ...frame, path: `/nodes/${data.node.node}`, status });
    await expect(golden(html)).toMatchFileSnapshot(`../../golden/page-node-${name}.html`);
  });

  it.each([
    ['pod', reading(), 'pod', ['shop', 'cart-0']],
    ['workload', reading(), 'workload', ['shop', 'deployment', 'cart']],
    ['namespace', reading(), 'namespace', ['shop']],
    ['eviction', reading(), 'eviction', ['uid-cart-0']],
    ['evictions', reading(), 'evictions', []],
    ['nodes', reading(), 'nodes', []],
  ] as const)('things of a cluster: %s', async (name, of, kind, path) => {
    const { html } = await aPage(of, { kind, path, status: { clusterName: 'prod' } });
    await expect(golden(html)).toMatchFileSnapshot(`../../golden/page-${name}.html`);
  });
});
