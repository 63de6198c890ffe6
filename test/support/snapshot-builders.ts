/** Snapshots of scrapes for tests: each builder returns a valid object with the changes of the test. */
import type { Pod } from '../../src/cluster/kube/objects.js';
import { ratioTo } from '../../src/cluster/kube/quantity.js';
import { wholeCluster } from '../../src/cluster/kube/scope.js';
import type { PodSummary } from '../../src/cluster/kubelet/summary.js';
import { noEvictionsSeen } from '../../src/facts/history/eviction-snapshot.js';
import { nothingFrozen } from '../../src/facts/node/frozen-statistics.js';
import { type LimitRatio, limitStanding, nearestRatio } from '../../src/facts/node/limit-ratios.js';
import { isActive } from '../../src/facts/node/limits.js';
import type { NodeThreshold } from '../../src/facts/node/node-thresholds.js';
import {
  noCoverage,
  type NodeForecasts,
  type NodeObjects,
  type NodeSnapshot,
  type NodeView,
} from '../../src/facts/node/node-view.js';
import type { BoundPod, DerivedPod, PodContext, PodRecord } from '../../src/facts/node/pod-record.js';
import type { Component, ContainerUsage, MeasuredUsage, PodUsage, VolumeUsage } from '../../src/facts/node/usage.js';
import type { ClusterSnapshot } from '../../src/facts/scrape/snapshot.js';
import type { Workload } from '../../src/facts/workload/workload.js';
import type { WorkloadSnapshot } from '../../src/facts/workload/workload-partial.js';
import { type ClusterReading, noHistory } from '../../src/people/query/cluster-reading.js';
import { builder } from './builder.js';
import { aNode, aNodeSummary, aPod, aPodSummary } from './builders.js';

export const noForecasts: NodeForecasts = { measuredAtMs: 0, pods: new Map(), thresholds: [] };

export const aWorkload = builder<Workload>(() => ({
  namespace: '',
  name: 'cart',
  type: 'selector',
  origin: { source: 'configured' },
}));

/** The workload of a Deployment in the namespace `shop`. */
export function aDeployment(name: string): Workload {
  return { namespace: 'shop', name, type: 'deployment', origin: { source: 'controller', kind: 'Deployment' } };
}

/** Collected, complete, one pod of one container. */
export const aWorkloadSnapshot = builder<WorkloadSnapshot>(() => ({
  workload: aWorkload(),
  expectedPods: 1,
  measuredPods: 1,
  podsOnAbsentNodes: 0,
  complete: true,
  mayHaveUnlistedPods: false,
  backoffMs: 0,
  limitBytes: undefined,
  requestBytes: undefined,
  usage: {
    usedBytes: 4096,
    podMaxUsedBytes: 4096,
    containers: [{ container: 'main', usedBytes: 4096, maxUsedBytes: 4096 }],
  },
}));

/** Of which all is known. */
type Known<T> = { readonly [K in keyof T]: Exclude<T[K], 'impossible'> };

export const aContainerUsage = builder<Known<ContainerUsage> & { readonly usedBytes: number }>(() => ({
  name: 'main',
  usedBytes: 4096,
  rootfsBytes: 3000,
  logsBytes: 1000,
  rootfsInodesUsed: undefined,
  logsInodesUsed: undefined,
}));

export const aVolumeUsage = builder<Known<VolumeUsage>>(() => ({
  name: 'data',
  type: 'emptydir',
  medium: '',
  usedBytes: 0,
  capacityBytes: undefined,
  availableBytes: undefined,
  inodesUsed: undefined,
  sizeLimitBytes: undefined,
  measuredAtMs: undefined,
}));

interface KnownUsage extends MeasuredUsage {
  readonly components: Readonly<Record<Component, number>>;
  readonly containers: readonly Known<ContainerUsage>[];
  readonly volumes: readonly Known<VolumeUsage>[];
}

export const aPodUsage = builder<KnownUsage>(() => ({
  usedBytes: 4096,
  inodesUsed: undefined,
  components: { rootfs: 3000, logs: 1000, emptydir: 0, configmap: 0, other: 96 },
  containers: [aContainerUsage()],
  volumes: [aVolumeUsage()],
  volumesPending: false,
}));

/** Its ratio follows from usage and limit. */
export function aLimitRatio({
  rule = 'pod',
  container = '',
  volume = '',
  usedBytes = 1,
  limitBytes = 2,
  unenforced,
}: Partial<Omit<LimitRatio, 'ratio'>> = {}): LimitRatio {
  return { rule, container, volume, usedBytes, limitBytes, ratio: ratioTo(usedBytes, limitBytes), unenforced };
}

export interface MeasuredPodFields extends Partial<
  Pick<
    DerivedPod,
    'summary' | 'workloads' | 'isNameless' | 'evictionMs' | 'standing' | 'unenforced' | 'usage' | 'ratios'
  >
> {
  readonly namespace?: string;
  readonly name?: string;
  readonly startTimeMs?: number | undefined;
  /** Undefined for a pod that the API server does not know. */
  readonly pod?: Pod | undefined;
  readonly limitBytes?: number | undefined;
  readonly requestBytes?: number | undefined;
}

/** A measured pod that the API server knows. In a node of {@link aNodeSnapshot}, this is what is derived of it. */
export function aMeasuredPod(fields: MeasuredPodFields = {}): DerivedPod<MeasuredUsage> {
  const { pod, limitBytes, requestBytes, isNameless = false, evictionMs, unenforced, ratios = [] } = fields;
  const { usage = aPodUsage(), workloads = [aWorkload()] } = fields;
  const entry = entryOf(fields, usage);
  const known = 'pod' in fields ? pod : aPod({ namespace: entry.namespace, name: entry.name });
  return {
    bound: known && { pod: known, limitBytes, requestBytes, workloads },
    isNameless,
    isPending: usage.volumesPending,
    containers: usage.containers.map(({ name: container, usedBytes }) => {
      return { container, usedBytes, maxUsedBytes: usedBytes };
    }),
    unknownItems: usage.unknownItems,
    evictionMs,
    unenforced,
    ...standingOf(fields),
    ratios,
    summary: entry,
    usage: measuredUsage(usage),
    workloads,
  };
}

function standingOf({ ratios = [], standing }: MeasuredPodFields) {
  const nearest = nearestRatio(ratios);
  return { standing: standing ?? limitStanding(nearest), nearestRatio: nearest?.ratio };
}

function measuredUsage({ usedBytes = 0, ...usage }: PodUsage): MeasuredUsage {
  return { usedBytes, ...usage };
}

function entryOf(fields: MeasuredPodFields, { usedBytes }: PodUsage): PodSummary {
  const { summary, usage, startTimeMs } = fields;
  const { namespace = summary?.namespace ?? 'shop', name = summary?.name ?? 'cart-0' } = fields;
  if (summary === undefined) return aPodSummary({ namespace, name, usedBytes, startTimeMs });
  return { ...summary, namespace, name, startTimeMs, usedBytes: usage?.usedBytes ?? summary.usedBytes };
}

/** The same pod without a total. */
export function withoutTotal(pod: DerivedPod): DerivedPod {
  const summary = { ...pod.summary, usedBytes: undefined };
  const usage = { ...pod.usage, usedBytes: undefined, components: { ...pod.usage.components, other: undefined } };
  const containers = pod.containers.map(({ container }) => {
    return { container, usedBytes: undefined, maxUsedBytes: undefined };
  });
  return { ...pod, summary, containers, isPending: false, usage };
}

/** Of pods that come with what is derived of them. */
const givenContext: PodContext = {
  usageOf: (pod: Partial<DerivedPod>) => pod.usage ?? aPodUsage(),
  ratiosOf: (pod: Partial<DerivedPod>) => pod.ratios ?? [],
};

export function aNodeSnapshot(overrides: Partial<NodeSnapshot> = {}): NodeSnapshot {
  const nodeName = overrides.nodeName ?? 'node-1';
  const { pods = [aMeasuredPod()] } = overrides;
  return {
    node: aNode({ name: nodeName }),
    nodeName,
    summary: aNodeSummary({ nodeName }),
    arrivedAtMs: 0,
    layout: { hasDedicatedImagefs: undefined, hasSplitImagefs: undefined },
    frozen: nothingFrozen,
    podsOnNode: [],
    thresholds: [],
    refutedSignals: [],
    unsetSignals: [],
    unenforced: undefined,
    images: undefined,
    logRotation: undefined,
    listedPods: [...pods, ...(overrides.podsWithoutTotal ?? [])],
    context: givenContext,
    pods,
    endedPods: pods.flatMap(({ bound }) => (bound === undefined || isActive(bound.pod) ? [] : [bound.pod])),
    podsWithoutTotal: [],
    skippedPods: new Map(),
    unknownItems: { containerCount: 0, volumeCount: 0 },
    listedPodUids: uidsOf([...pods, ...(overrides.podsWithoutTotal ?? [])]),
    measuredPodUids: uidsOf(pods),
    unknownPods: [],
    unreadPodCount: undefined,
    evictionMs: undefined,
    forecasts: noForecasts,
    fills: [],
    ...overrides,
  };
}

const uidsOf = (pods: readonly PodRecord[]): ReadonlySet<string> =>
  new Set(pods.flatMap(({ bound }) => (bound === undefined ? [] : [bound.pod.uid])));

/** A hard threshold of nodefs that is crossed by one byte. */
export const aNodeThreshold = builder<NodeThreshold>(() => ({
  signal: 'nodefs.available',
  gracePeriodMs: 0,
  isAssumed: false,
  threshold: 2,
  minReclaim: 0,
  clearedAt: 2,
  available: 1,
  headroom: -1,
  isCrossed: true,
}));

export function aFreshNode(
  snapshot: NodeSnapshot = aNodeSnapshot(),
  ageMs = 1_500,
): Extract<NodeView, { readonly ageMs: number }> {
  return {
    state: 'fresh',
    nodeName: snapshot.nodeName,
    node: snapshot.node,
    objects: objectsOf(snapshot),
    ...noCoverage,
    expectedPods: 1,
    measuredPods: 1,
    ageMs,
    fetchedAtMs: Date.UTC(2026, 0, 1),
    snapshot,
    danglingPods: 0,
  };
}

export function anAbsentNode(
  nodeName: string,
  reason: Extract<NodeView, { readonly reason: unknown }>['reason'],
): NodeView {
  const node = reason === 'no_node' ? undefined : aNode({ name: nodeName });
  return { state: 'absent', nodeName, node, objects: undefined, ...noCoverage, expectedPods: 1, reason };
}

export const aBoundPod = builder<BoundPod>(() => ({
  pod: aPod(),
  limitBytes: undefined,
  requestBytes: undefined,
  workloads: [aWorkload()],
}));

export function someNodeObjects(overrides: Partial<NodeObjects> = {}): NodeObjects {
  const nodeName = overrides.nodeName ?? 'node-1';
  return {
    nodeName,
    node: aNode({ name: nodeName }),
    pods: [aBoundPod()],
    formerPods: [],
    runningPodCount: 1,
    runningContainerCount: 1,
    ...overrides,
  };
}

/** Those of a node all of whose pods are measured. */
function objectsOf({ node, nodeName, pods }: NodeSnapshot): NodeObjects {
  return someNodeObjects({
    nodeName,
    node,
    pods: pods.flatMap(({ summary: { namespace, name }, bound }) =>
      bound === undefined ? [] : [{ ...bound, pod: { ...bound.pod, namespace, name } }],
    ),
  });
}

/** The API server knows what its summaries show. */
export function aClusterSnapshot(overrides: Partial<ClusterSnapshot> = {}): ClusterSnapshot {
  return {
    nodes: [aFreshNode()],
    gone: [],
    workloads: [aWorkloadSnapshot()],
    evictions: noEvictionsSeen,
    unlistedNamespaces: [],
    ...overrides,
  };
}

/** A command's reading of a cluster: the snapshot, and the API objects of its pods. */
export function aReading(overrides: Partial<ClusterReading> = {}): ClusterReading {
  const snapshot = overrides.snapshot ?? aClusterSnapshot();
  const measured = snapshot.nodes.flatMap((node) => (node.state === 'absent' ? [] : node.snapshot.pods));
  return {
    scope: wholeCluster,
    ttlMs: 55_000,
    snapshot,
    knownPods: measured.flatMap(({ bound, workloads }) => (bound === undefined ? [] : [{ pod: bound.pod, workloads }])),
    knownNodes: snapshot.nodes.flatMap((node) => (node.state === 'absent' ? [] : [node.snapshot.node])),
    readAtMs: Date.UTC(2026, 0, 1),
    failures: new Map(),
    ...noHistory,
    evictions: [],
    notes: [],
    ...overrides,
  };
}

/** A reading of these nodes. */
export function aReadingOf(...nodes: readonly NodeView[]): ClusterReading {
  return aReading({ snapshot: aClusterSnapshot({ nodes }) });
}

/** A reading of one node with data. */
export function aNodeReading(of: Partial<NodeSnapshot> = {}, ageMs?: number): ClusterReading {
  return aReadingOf(aFreshNode(aNodeSnapshot(of), ageMs));
}
