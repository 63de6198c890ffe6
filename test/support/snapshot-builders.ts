/** Snapshots of scrapes for tests: each builder returns a valid object with the changes of the test. */
import type { ClusterReading } from '../../src/commands/cluster-reader.js';
import { noEvictionsSeen } from '../../src/history/eviction-log.js';
import { ratioTo } from '../../src/kube/quantity.js';
import type { LimitRatio } from '../../src/node/limit-ratios.js';
import { isActive } from '../../src/node/limits.js';
import type { BoundPod, NodeObjects, NodeSnapshot, NodeState, PodSnapshot } from '../../src/node/node-state.js';
import type { NodeThreshold } from '../../src/node/node-thresholds.js';
import type { ContainerUsage, PodUsage, VolumeUsage } from '../../src/node/usage.js';
import type { ClusterSnapshot } from '../../src/scrape/snapshot.js';
import type { Workload } from '../../src/workload/workload.js';
import type { WorkloadSnapshot } from '../../src/workload/workload-partial.js';
import { builder } from './builder.js';
import { aNode, aNodeSummary, aPod, aPodSummary } from './builders.js';

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

export const aContainerUsage = builder<ContainerUsage>(() => ({
  name: 'main',
  usedBytes: 4096,
  rootfsBytes: 3000,
  logsBytes: 1000,
  rootfsInodesUsed: undefined,
  logsInodesUsed: undefined,
}));

export const aVolumeUsage = builder<VolumeUsage>(() => ({
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

export const aPodUsage = builder<PodUsage>(() => ({
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
}: Partial<Omit<LimitRatio, 'ratio'>> = {}): LimitRatio {
  return { rule, container, volume, usedBytes, limitBytes, ratio: ratioTo(usedBytes, limitBytes) };
}

/** A pod that the API server knows. */
export function aPodSnapshot(overrides: Partial<PodSnapshot> = {}): PodSnapshot {
  const namespace = overrides.namespace ?? 'shop';
  const name = overrides.name ?? 'cart-0';
  const { usage = aPodUsage() } = overrides;
  return {
    namespace,
    name,
    pod: aPod({ namespace, name }),
    summary: aPodSummary({ namespace, name, usedBytes: usage.usedBytes }),
    usage,
    startTimeMs: undefined,
    limitBytes: undefined,
    requestBytes: undefined,
    ratios: [],
    workloads: [aWorkload()],
    ...overrides,
  };
}

export function aNodeSnapshot(overrides: Partial<NodeSnapshot> = {}): NodeSnapshot {
  const nodeName = overrides.nodeName ?? 'node-1';
  const { pods = [aPodSnapshot()] } = overrides;
  return {
    node: aNode({ name: nodeName }),
    nodeName,
    summary: aNodeSummary({ nodeName }),
    layout: { hasDedicatedImagefs: undefined, hasSplitImagefs: undefined },
    podsOnNode: [],
    thresholds: [],
    headrooms: [],
    logRotation: undefined,
    listedPods: pods,
    pods,
    endedPods: pods.flatMap(({ pod }) => (pod === undefined || isActive(pod) ? [] : [pod])),
    podsWithoutTotal: [],
    skippedPods: new Map(),
    unknownItems: { container: 0, volume: 0 },
    listedPodUids: new Set(),
    measuredPodUids: new Set(),
    unknownPods: [],
    unreadPodCount: undefined,
    ...overrides,
  };
}

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
): Extract<NodeState, { readonly ageMs: number }> {
  return {
    state: 'fresh',
    nodeName: snapshot.nodeName,
    node: snapshot.node,
    unmeasured: [],
    allocatableBytes: undefined,
    expectedPods: 1,
    measuredPods: 1,
    ageMs,
    fetchedAtMs: Date.UTC(2026, 0, 1),
    snapshot,
    missingPods: 0,
    danglingPods: 0,
  };
}

export function anAbsentNode(
  nodeName: string,
  reason: Extract<NodeState, { readonly reason: unknown }>['reason'],
): NodeState {
  const node = reason === 'no_node' ? undefined : aNode({ name: nodeName });
  const counts = { allocatableBytes: undefined, expectedPods: 1, measuredPods: 0, unmeasured: [] };
  return { state: 'absent', nodeName, node, ...counts, reason };
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
    pods: pods.flatMap(({ namespace, name, pod, limitBytes, requestBytes, workloads }) =>
      pod === undefined ? [] : [{ pod: { ...pod, namespace, name }, limitBytes, requestBytes, workloads }],
    ),
  });
}

/** The API server knows what its summaries show. */
export function aClusterSnapshot(overrides: Partial<ClusterSnapshot> = {}): ClusterSnapshot {
  const nodes = overrides.nodes ?? [aFreshNode()];
  return {
    nodes,
    objects: nodes.flatMap((node) => (node.state === 'absent' ? [] : [objectsOf(node.snapshot)])),
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
    snapshot,
    knownPods: measured.flatMap(({ pod, workloads }) => (pod === undefined ? [] : [{ pod, workloads }])),
    knownNodes: snapshot.nodes.flatMap((node) => (node.state === 'absent' ? [] : [node.snapshot.node])),
    readAtMs: Date.UTC(2026, 0, 1),
    failures: new Map(),
    evictions: [],
    notes: [],
    ...overrides,
  };
}
