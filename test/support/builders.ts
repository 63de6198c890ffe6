/** Plain data for tests: each builder returns a valid object with the changes of the test. */
import type { Container, Mount, Node, Pod, Volume } from '../../src/cluster/kube/objects.js';
import type { EvictionThreshold } from '../../src/cluster/kubelet/kubelet-configuration.js';
import type { Figure } from '../../src/cluster/kubelet/summary.js';
import type {
  ContainerFsStats,
  ContainerSummary,
  FilesystemSize,
  FsStats,
  NodeSummary,
  PartFigures,
  PodSummary,
  VolumeSummary,
} from '../../src/cluster/kubelet/summary.js';
import { builder } from './builder.js';

/** A pod that runs on `node-1` since the epoch, with a UID derived from namespace and name. */
export function aPod(overrides: Partial<Pod> = {}): Pod {
  const namespace = overrides.namespace ?? 'shop';
  const name = overrides.name ?? 'cart-0';
  const uid = overrides.uid ?? `uid-${namespace}-${name}`;
  return {
    uid,
    name,
    resourceVersion: '1',
    labels: {},
    namespace,
    kubeletUid: uid,
    isStatic: false,
    nodeName: 'node-1',
    phase: 'Running',
    qosClass: 'Burstable',
    hostIp: '192.0.2.1',
    priorityClass: undefined,
    startTimeMs: 0,
    runningSinceMs: 0,
    runningContainerCount: 1,
    runs: ['main#0'],
    runsChangedAtMs: 0,
    images: [],
    controller: undefined,
    containers: [aContainer()],
    volumes: [],
    rest: undefined,
    overheadBytes: 0,
    priority: 0,
    hasPodLevelResources: false,
    eviction: undefined,
    ...overrides,
  };
}

export const aContainer = builder<Container>(() => ({
  name: 'main',
  kind: 'app',
  mounts: [],
  limitBytes: undefined,
  requestBytes: undefined,
}));

export function aMount(volumeName = 'data', path = `/${volumeName}`): Mount {
  return { volumeName, path };
}

export const aVolume = builder<Volume>(() => ({
  name: 'data',
  type: 'emptydir',
  medium: '',
  sizeLimitBytes: undefined,
  isRawBlock: false,
}));

export function aNode(overrides: Partial<Node> = {}): Node {
  const name = overrides.name ?? 'node-1';
  return {
    uid: `uid-${name}`,
    name,
    resourceVersion: '1',
    labels: {},
    ready: true,
    readyChangedAtMs: 0,
    addresses: [{ type: 'InternalIP', address: '192.0.2.1' }],
    kubeletPort: 10250,
    capacityBytes: undefined,
    allocatableBytes: undefined,
    kubeletVersion: 'v1.37.1',
    operatingSystem: 'linux',
    enforcesStorageLimits: true,
    diskPressure: false,
    containerRuntime: 'containerd://2.1.4',
    images: [],
    ...overrides,
  };
}

/** Without any values but those of the test. */
export const anFsStats = builder<FsStats>(() => ({
  timeMs: undefined,
  availableBytes: undefined,
  capacityBytes: undefined,
  usedBytes: undefined,
  inodes: undefined,
  inodesFree: undefined,
  inodesUsed: undefined,
}));

/** Without any values but those of the test. */
export function aContainerFs({
  usedBytes,
  inodesUsed,
  ...sizes
}: Partial<PartFigures & FilesystemSize> = {}): ContainerFsStats {
  const { availableBytes, capacityBytes, inodes, inodesFree } = anFsStats(sizes);
  return { usedBytes, inodesUsed, filesystem: { availableBytes, capacityBytes, inodes, inodesFree } };
}

export interface ContainerSummaryFigures {
  readonly name?: string;
  /** Without it, the container has no `rootfs` object. */
  readonly rootfsBytes?: Exclude<Figure, undefined>;
  /** Without it, the container has no `logs` object. */
  readonly logsBytes?: Exclude<Figure, undefined>;
}

export function aContainerSummary({
  name = 'main',
  rootfsBytes,
  logsBytes,
}: ContainerSummaryFigures = {}): ContainerSummary {
  return {
    name,
    rootfs: rootfsBytes === undefined ? undefined : aContainerFs({ usedBytes: rootfsBytes }),
    logs: logsBytes === undefined ? undefined : aContainerFs({ usedBytes: logsBytes }),
  };
}

export const aVolumeSummary = builder<VolumeSummary>(() => ({ ...anFsStats(), name: 'data', hasClaim: false }));

/** The summary of `aPod()` with the same namespace and name: 4096 bytes that belong to no container, and no volumes. */
export function aPodSummary(overrides: Partial<PodSummary> = {}): PodSummary {
  const namespace = overrides.namespace ?? 'shop';
  const name = overrides.name ?? 'cart-0';
  return {
    namespace,
    name,
    uid: `uid-${namespace}-${name}`,
    startTimeMs: 0,
    usedBytes: 4096,
    inodesUsed: undefined,
    ioPressure: undefined,
    containers: [aContainerSummary({ rootfsBytes: 0, logsBytes: 0 })],
    volumes: undefined,
    ...overrides,
  };
}

export const aNodeSummary = builder<NodeSummary>(() => ({
  nodeName: 'node-1',
  nodefs: anFsStats({ capacityBytes: 100_000, availableBytes: 60_000, usedBytes: 40_000 }),
  imagefs: undefined,
  containerfs: undefined,
  ioPressure: undefined,
  pods: [],
  kubeletStartedAtMs: undefined,
  saturatedCount: 0,
}));

/** The hard threshold of 1 byte for nodefs. */
export const aThreshold = builder<EvictionThreshold>(() => ({
  signal: 'nodefs.available',
  value: { amount: 1 },
  minReclaim: undefined,
  gracePeriodMs: 0,
}));
