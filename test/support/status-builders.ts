/** Parts of a status without problems: each builder returns a valid object with the changes of the test. */
import type { ClusterReading } from '../../src/people/query/cluster-reading.js';
import type { ClusterReport } from '../../src/people/query/cluster-report.js';
import type { HealthReport, Problem, Status } from '../../src/people/query/status.js';
import type { AbsenceReport, GapReport } from '../../src/people/report/lack-report.js';
import type { LimitReport } from '../../src/people/report/limit-report.js';
import type { NodeGridReport } from '../../src/people/report/node-grid.js';
import type { ListedNodeReport } from '../../src/people/report/node-report.js';
import type { NodeWithPodsReport, SilentNodeReport } from '../../src/people/report/node-report.js';
import type { MeasuredPodReport } from '../../src/people/report/pod-report.js';
import type { NodePressureReport } from '../../src/people/report/pressure-report.js';
import type { Moment, StatusSettings } from '../../src/people/status/status-source.js';
import { builder } from './builder.js';
import { aReading } from './snapshot-builders.js';

const cart = { workload: 'cart', workloadType: 'deployment', workloadNamespace: 'shop' };
const components = { rootfs: 3000, logs: 1000, emptydir: 0, configmap: 0, other: 96 };

export const aHealth = builder<HealthReport>(() => ({
  stores: [
    { resource: 'nodes', objectCount: 1, isConnected: true, isPolled: false, lastProgressAgeMs: 5_000 },
    { resource: 'pods', objectCount: 1, isConnected: true, isPolled: false, lastProgressAgeMs: 5_000 },
  ],
  unlisted: [],
  isApiServerAway: false,
  scrapes: { success: 3, error: 0 },
  kubeletRequests: { success: 2, timeout: 0 },
  seriesCount: 40,
  droppedSeriesCount: 0,
  droppedFamilies: [],
  workloadNameClashCount: 0,
  isLastReloadSuccessful: true,
  isKubeletTlsUnverified: false,
  isConfigurationForbidden: false,
  evictionsSinceMs: Date.UTC(2026, 0, 1),
  evictionGaps: [],
}));

export const aProblem = builder<Problem>(() => ({
  id: 'node_full',
  severity: 'warning',
  text: 'x',
  commands: [],
  section: 'nodes',
}));

export const aPodStatus = builder<MeasuredPodReport>(() => ({
  namespace: 'shop',
  pod: 'cart-0',
  node: 'node-1',
  usedBytes: 4096,
  components,
  state: 'measured',
  isKnown: true,
  isExempt: false,
  hasLimits: false,
  standing: 'unbound',
  dataState: 'fresh',
  dataAgeMs: 1_500,
  workloads: [cart],
}));

/** By its nearest limit; `ratio`: where the bytes do not matter. */
export function aNearPod({
  usedBytes = 4096,
  limitBytes = 8192,
  ratio = usedBytes / limitBytes,
  rule = 'pod',
  container,
  volume,
  unenforced,
  ...of
}: Partial<LimitReport> & Partial<MeasuredPodReport> = {}): MeasuredPodReport {
  const isNear = ratio >= 0.8 || (of.timeToLimitMs ?? Infinity) <= 600_000;
  return aPodStatus({
    hasLimits: true,
    standing: ratio > 1 ? 'above' : isNear ? 'near' : 'growing',
    nearestLimit: { rule, container, volume, usedBytes, limitBytes, ratio, unenforced },
    ...of,
  });
}

export const aMeasuredNode = builder<NodeWithPodsReport>(() => ({
  node: 'node-1',
  condition: 'ok',
  state: 'fresh',
  expectedPodCount: 1,
  measuredPodCount: 1,
  dataAgeMs: 1_500,
  filesystems: [
    { filesystem: 'nodefs', usedBytes: 40_000, availableBytes: 60_000, capacityBytes: 100_000, fullRatio: 0.4 },
  ],
  podCount: 1,
  podsUsedBytes: 4096,
  podsRequestedBytes: 0,
  pendingPodCount: 0,
  otherPodCount: 0,
  otherPodsUsedBytes: 0,
  missingPodCount: 0,
  danglingPodCount: 0,
}));

/** Close to its threshold, by what was measured just now. */
export function aPressedNode(
  node: string,
  { verdict, diskPressure, ...pressure }: Partial<NodePressureReport> & { readonly diskPressure?: boolean } = {},
): ListedNodeReport {
  return {
    ...aMeasuredNode({ node, verdict, diskPressure, condition: diskPressure === true ? 'refusing' : 'near' }),
    pressure: {
      ...({ node, isAssumed: false, available: 1, headroom: 1, victims: [], verdict } as const),
      ...({ dataState: 'fresh', dataAgeMs: 1, signal: 'nodefs.available', ...pressure } as const),
    },
  };
}

export const anAbsentNodeStatus = builder<SilentNodeReport>(() => ({
  node: 'node-2',
  state: 'absent',
  expectedPodCount: 2,
  measuredPodCount: 0,
  condition: 'silent',
  reason: 'timeout',
  hint: 'Look at the node.',
  failure: { reason: 'timeout', message: 'summary of node node-2: no complete answer within 10 s', ageMs: 3_000 },
}));

export const anAbsence = builder<AbsenceReport>(() => ({
  condition: 'silent',
  reason: 'timeout',
  hint: 'Look at the node.',
  commands: ['kubectl describe node node-2'],
  nodeCount: 1,
  isAwaited: false,
  exampleNodes: ['node-2'],
  dataAgeMs: 720_000,
  expectedPodCount: 2,
  incompleteWorkloadCount: 1,
  exampleWorkloads: [cart],
  isOfApiServer: false,
}));

export const aGap = builder<GapReport>(() => ({
  kind: 'missing',
  podCount: 1,
  examplePods: [{ namespace: 'shop', pod: 'cart-0', node: 'node-1' }],
  incompleteWorkloadCount: 1,
  exampleWorkloads: [cart],
}));

export function aCluster({ summary, ...overrides }: Partial<ClusterReport> = {}): ClusterReport {
  return {
    isPartial: false,
    summary: summary ?? aSummary(),
    nearPods: { items: [], totalCount: 0 },
    unenforcedReachedPods: [],
    nearNodes: { items: [], totalCount: 0 },
    absences: [],
    gaps: [],
    unlisted: { incompleteWorkloadCount: 0, exampleWorkloads: [] },
    nodes: { items: [aMeasuredNode()], totalCount: 1 },
    grid: aGrid(),
    enforcement: [],
    findings: [],
    ...overrides,
  };
}

export const aGrid = builder<NodeGridReport>(() => ({
  pools: [{ nodeCount: 1, nodes: [{ node: 'node-1', condition: 'ok', fullRatio: 0.4 }] }],
  poolCount: 1,
  nodeCount: 1,
  conditions: { ok: 1 },
  troubles: {},
  commonSuffix: '',
}));

export const aSummary = builder<ClusterReport['summary']>(() => ({
  freshNodeCount: 1,
  staleNodeCount: 0,
  absentNodeCount: 0,
  failedNodeCount: 0,
  skippedNodeCount: 0,
  fullNodeCount: 0,
  noSpaceNodeCount: 0,
  oldestDataAgeMs: 1_500,
  expectedPodCount: 1,
  measuredPodCount: 1,
  podCount: 1,
  podsUsedBytes: 4096,
  pendingPodCount: 0,
  unenforcedPodCount: 0,
  limitedPodCount: 1,
  nearLimitPodCount: 0,
  reachedLimitPodCount: 0,
  unenforcedReachedPodCount: 0,
  unknownLimitPodCount: 0,
  pressedNodeCount: 0,
  pressedEmptyNodeCount: 0,
  refusingNodeCount: 0,
  nearPressureNodeCount: 0,
  unknownPressureNodeCount: 0,
  incompleteWorkloadCount: 0,
  unlistedNamespaceCount: 0,
}));

export const aStatus = builder<Status>(() => ({
  version: '1.2.3',
  clusterName: 'prod-1',
  links: [],
  scope: 'whole cluster',
  generatedAtMs: Date.UTC(2026, 0, 1, 12),
  uptimeMs: 60_000,
  isReady: true,
  problems: [],
  readinessChecks: [
    { name: 'nodes', isOk: true },
    { name: 'pods', isOk: true },
  ],
  cluster: aCluster(),
  evictions: { items: [], totalCount: 0, refusedCount: 0 },
  health: aHealth(),
  configuration: 'cache:\n  ttl: 55s\n',
}));

export function aMoment(status: Status = aStatus(), reading: ClusterReading = aReading()): Moment {
  return { status, reading, settings: someStatusSettings };
}

export const someStatusSettings: StatusSettings = {
  clusterName: 'prod-1',
  links: [],
  scope: 'whole cluster',
  configuration: 'cache: {}',
  attribution: 'measured',
  definitions: [],
};
