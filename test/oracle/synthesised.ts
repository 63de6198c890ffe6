/** Recordings of what no cluster at hand has: each is one node, measured at the same time. */
import type { Recording } from './predict.js';
import type { RawContainer, RawContainerStats, RawFs, RawIo, RawPod, RawPodStats, RawVolumeStats } from './raw.js';

export const nodeName = 'n1';
const startedAt = '2026-01-01T00:00:00Z';
const measuredAt = '2026-01-01T00:10:00Z';

const disk = {
  capacityBytes: 100_000_000_000,
  availableBytes: 40_000_000_000,
  inodes: 6_000_000,
  inodesFree: 5_900_000,
};
const largeDisk = { ...disk, capacityBytes: 500_000_000_000, availableBytes: 300_000_000_000 };

function fsStats(usedBytes: number, inodesUsed: number, filesystem: RawFs = disk): RawFs {
  return { time: measuredAt, ...filesystem, usedBytes, inodesUsed };
}

function containerStats(name: string, rootfsBytes: number, logsBytes: number): RawContainerStats {
  return { name, rootfs: fsStats(rootfsBytes, 12), logs: fsStats(logsBytes, 2) };
}

function volumeStats(name: string, usedBytes: number, filesystem: RawFs = disk): RawVolumeStats {
  return { ...fsStats(usedBytes, 3, filesystem), time: '2026-01-01T00:08:30.25Z', name };
}

export function containerSpec(name: string, limit?: string, mounts: readonly string[] = []): RawContainer {
  const storage = { 'ephemeral-storage': limit ?? '0' };
  return {
    name,
    ...(limit === undefined ? {} : { resources: { limits: storage, requests: storage } }),
    volumeMounts: mounts.map((volume) => ({ name: volume })),
  };
}

interface PodParts {
  readonly name: string;
  readonly usedBytes?: number;
  readonly containers?: readonly RawContainerStats[];
  readonly volume?: readonly RawVolumeStats[];
  readonly spec?: Partial<RawPod['spec']>;
  readonly annotations?: Readonly<Record<string, string>>;
}

interface RecordedPod {
  readonly stats: RawPodStats;
  readonly pod: RawPod;
}

/** Runs for ten minutes. Without a total the kubelet says nothing of its storage. */
export function recordedPod({ name, usedBytes, containers, volume, spec, annotations = {} }: PodParts): RecordedPod {
  const uid = `uid-${name}`;
  const hash = annotations['kubernetes.io/config.hash'];
  return {
    stats: {
      podRef: { namespace: 'shop', name, uid: hash ?? uid },
      startTime: startedAt,
      containers: containers ?? [],
      ...(volume === undefined ? {} : { volume }),
      ...(usedBytes === undefined ? {} : { 'ephemeral-storage': fsStats(usedBytes, 40) }),
    },
    pod: {
      metadata: { namespace: 'shop', name, uid, annotations },
      spec: { nodeName, containers: [], ...spec },
      status: {
        phase: 'Running',
        qosClass: 'Burstable',
        hostIP: '192.0.2.1',
        startTime: startedAt,
        containerStatuses: (spec?.containers ?? []).map((container) => ({
          name: container.name,
          ...imageOf(container.name),
          state: { running: { startedAt } },
        })),
      },
    },
  };
}

/** One comes from another registry than the node lists it under. */
function imageOf(container: string): { readonly image: string; readonly imageID: string } {
  const image = `registry.example/${container}:1`;
  return { image, imageID: container === 'app' ? 'mirror.example/app@sha256:1' : `sha256:of-${container}` };
}

interface Layout {
  readonly imageFs?: RawFs;
  readonly containerFs?: RawFs;
}

function pressure(waitingUs: number, stalledUs: number): RawIo {
  return { psi: { some: { total: waitingUs }, full: { total: stalledUs } } };
}

/** With pressure stall information: the node's, and that of the first pod alone. */
function underPressure(recorded: Recording, ofNode: RawIo): Recording {
  const { node, pods } = recorded.summary;
  const [first, ...others] = pods;
  if (first === undefined) throw new Error('a recording with pods expected');
  const summary = { node: { ...node, io: ofNode }, pods: [{ ...first, io: pressure(64_000, 0) }, ...others] };
  return { ...recorded, summary };
}

export function recording(pods: readonly RecordedPod[], runtime: Layout = { imageFs: fsStats(9000, 80) }): Recording {
  return {
    summary: { node: { nodeName, fs: fsStats(60_000, 900), runtime }, pods: pods.map(({ stats }) => stats) },
    pods: pods.map(({ pod }) => pod),
    nodes: [
      {
        metadata: { name: nodeName, uid: 'uid-n1' },
        status: {
          allocatable: { 'ephemeral-storage': '88Gi' },
          conditions: [{ type: 'DiskPressure', status: 'True' }],
          nodeInfo: {
            operatingSystem: 'linux',
            kubeletVersion: 'v1.37.1',
            containerRuntimeVersion: 'containerd://2.1.4',
          },
          images: [
            { names: ['registry.example/app@sha256:1', 'registry.example/app:1'], sizeBytes: 700_000_000 },
            { names: ['registry.example/etcd:1'], sizeBytes: 60_000_000 },
            { names: ['registry.example/old@sha256:3', 'registry.example/old:3'], sizeBytes: 5_000_001 },
            { names: null, sizeBytes: 400 },
            { names: ['a:1', 'b:1', 'c:1', 'd:1', 'e:1'], sizeBytes: 30 },
          ],
        },
      },
    ],
  };
}

const limited = recordedPod({
  name: 'limited',
  usedBytes: 1000 + 500 + 4096,
  containers: [containerStats('app', 1000, 500)],
  spec: { containers: [containerSpec('app', '2k')] },
});

/** 10,000 bytes: writable layers 600 and 400, logs 50 and 70, an emptyDir of 3,333, a configMap of 1,451, 4,096 for the kubelet. */
const shared = recordedPod({
  name: 'shared',
  usedBytes: 10_000,
  containers: [containerStats('app', 600, 50), containerStats('helper', 400, 70)],
  volume: [
    volumeStats('cache', 3333),
    volumeStats('settings', 1451),
    volumeStats('memory', 7777, { capacityBytes: 8192, availableBytes: 415 }),
    volumeStats('token', 12_288),
    { ...volumeStats('claim', 555, largeDisk), pvcRef: { namespace: 'shop', name: 'claim' } },
  ],
  spec: {
    containers: [containerSpec('app', '100k', ['cache', 'memory']), containerSpec('helper', undefined, ['cache'])],
    volumes: [
      { name: 'cache', emptyDir: { sizeLimit: '4k' } },
      { name: 'settings', ...{ configMap: { name: 'settings' } } },
      { name: 'memory', emptyDir: { medium: 'Memory', sizeLimit: '7Ki' } },
      { name: 'token', ...{ projected: {} } },
      { name: 'claim', ...{ persistentVolumeClaim: { claimName: 'claim' } } },
    ],
  },
});

const withSidecars = recordedPod({
  name: 'sidecars',
  usedBytes: 4096 + 330,
  containers: [containerStats('app', 100, 10), containerStats('proxy', 200, 20)],
  spec: {
    initContainers: [
      { ...containerSpec('proxy', '300'), restartPolicy: 'Always' },
      containerSpec('migrate', '5k'),
      { ...containerSpec('late', '1k'), restartPolicy: 'Always' },
    ],
    containers: [containerSpec('app', '1500m')],
    ephemeralContainers: [containerSpec('debug')],
    overhead: { 'ephemeral-storage': '64' },
  },
});

const staticPod = recordedPod({
  name: `etcd-${nodeName}`,
  usedBytes: 30_000,
  containers: [containerStats('etcd', 10_000, 20_000)],
  annotations: { 'kubernetes.io/config.mirror': 'h1', 'kubernetes.io/config.hash': 'h1' },
  spec: { priorityClassName: 'system-node-critical', containers: [containerSpec('etcd', '12k')] },
});

/** A virtual machine keeps the writable layer of the first out of the kubelet's sight. */
const unseen = recordedPod({
  name: 'unseen',
  usedBytes: 4096,
  containers: [{ name: 'app', logs: fsStats(500, 2) }],
  spec: { containers: [containerSpec('app', '2k')] },
});

const restarted = recordedPod({
  name: 'restarted',
  usedBytes: 900,
  containers: [containerStats('app', 800, 100)],
  spec: { containers: [containerSpec('app', '1M', ['cache'])], volumes: [{ name: 'cache', emptyDir: {} }] },
});

function withPhase(pod: RawPod, phase: string): RawPod {
  return { ...pod, status: { ...pod.status, phase } };
}

/** On a node that is silent, one init container has run for ten minutes. */
const initialising: RawPod = {
  ...restarted.pod,
  spec: { ...restarted.pod.spec, nodeName: 'n2' },
  status: {
    phase: 'Pending',
    startTime: startedAt,
    initContainerStatuses: [{ name: 'setup', state: { running: { startedAt } } }],
    containerStatuses: [{ name: 'app', state: {} }],
  },
};

export const synthesised = {
  'a dedicated image filesystem': recording([limited], { imageFs: fsStats(9000, 80, largeDisk) }),
  'a split container filesystem': recording([limited], {
    imageFs: fsStats(9000, 80, largeDisk),
    containerFs: fsStats(700, 9),
  }),
  'one filesystem for all': recording([limited], { imageFs: fsStats(9000, 80), containerFs: fsStats(9000, 80) }),
  'volumes of many kinds': recording([shared]),
  'sidecars and init containers': recording([withSidecars]),
  'sidecars on a node of 1.36': {
    ...recording([withSidecars]),
    nodes: [{ metadata: { name: nodeName, uid: 'uid-n1' }, status: { nodeInfo: { kubeletVersion: 'v1.36.9' } } }],
  },
  'a static critical pod over its limit': recording([staticPod]),
  'a virtual kubelet without storage': recording([
    recordedPod({ name: 'virtual', containers: [{ name: 'app' }], spec: { containers: [containerSpec('app', '1k')] } }),
  ]),
  'a writable layer that is not measured': recording([unseen, limited]),
  'a node without measured writable layers': recording([unseen]),
  'a full emptyDir in memory': recording([
    recordedPod({
      name: 'full',
      usedBytes: 4096,
      volume: [volumeStats('memory', 8192, { capacityBytes: 8192, availableBytes: 0 })],
      spec: {
        containers: [containerSpec('app', undefined, ['memory'])],
        volumes: [{ name: 'memory', emptyDir: { medium: 'Memory', sizeLimit: '8Ki' } }],
      },
    }),
  ]),
  'parts that are negative to the kubelet': recording([
    limited,
    recordedPod({
      name: 'negative',
      usedBytes: 5_000,
      containers: [containerStats('app', 2 ** 63, 500), containerStats('helper', 40, 5)],
      volume: [volumeStats('cache', 2 ** 64), volumeStats('settings', 1451)],
      spec: { ...shared.pod.spec },
    }),
  ]),
  'totals that are negative to the kubelet': recording([
    limited,
    recordedPod({ name: 'shared', ...shared.stats, ...shared.pod, usedBytes: 2 ** 63 } as PodParts),
  ]),
  'a kubelet that just restarted': recording([restarted, limited]),
  'a kubelet without pods': recording([]),
  'a pod that runs elsewhere': {
    ...recording([limited]),
    pods: [{ ...limited.pod, spec: { ...limited.pod.spec, nodeName: 'n2' } }],
    nodes: [{ metadata: { name: 'n2', uid: 'uid-n2' } }],
  },
  'pods that a summary lacks': {
    ...recording([limited]),
    pods: [limited.pod, shared.pod, withPhase(withSidecars.pod, 'Succeeded'), initialising],
    nodes: [{ metadata: { name: 'n2', uid: 'uid-n2' } }],
  },
  'a pod on a node that is gone': {
    ...recording([limited]),
    pods: [limited.pod, { ...shared.pod, spec: { ...shared.pod.spec, nodeName: 'n3' } }],
  },
  'pods that wait for the disk': underPressure(recording([limited, shared]), pressure(82_998_085, 11_058_814)),
  'a kernel that does not measure pressure': underPressure(recording([limited]), pressure(0, 0)),
  'several pods of several kinds': recording([shared, withSidecars, staticPod, restarted, limited]),
} as const satisfies Readonly<Record<string, Recording>>;
