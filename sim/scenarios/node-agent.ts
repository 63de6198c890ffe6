import { type FileSizes, HostTree } from '../host/host-tree.js';
import { type PodFiles, SimulatedDisk } from '../host/simulated-disk.js';
import { kib, mib, minuteMs, still } from '../model/demo-units.js';
import { exporterPod } from '../model/exporter-pod.js';
import { Random } from '../model/random.js';
import type { Scenario } from '../model/scenario.js';
import type { PodSpec } from '../model/specs.js';

/** A scenario whose node is on the disk of this machine, until disposal. */
export interface NodeAgentScenario extends Scenario, AsyncDisposable {
  /** The folder that stands for the root of the node. */
  readonly hostRoot: string;
  /** The exporter's pod, which has files there too. */
  readonly exporter: PodSpec;
}

const nodeName = 'node-1';
/** So full that its kubelet is close to evicting pods. */
const capacityBytes = 178 * mib;
const refreshMs = 10_000;
const dayMs = 24 * 60 * minuteMs;
/** Of its pods: the kubelet has measured all of their volumes. */
const hasRunMs = dayMs;

const images = [
  { name: 'registry.example/node-build:24', layers: [{ 'usr/lib/base': 3 * mib }, { 'usr/local/lib/node': 6 * mib }] },
  { name: 'registry.example/postgres:18', layers: [{ 'usr/lib/postgresql': 8 * mib }] },
  { name: 'registry.example/web:7', layers: [{ 'usr/sbin/nginx': mib }, { 'srv/app': 3 * mib }] },
  { name: 'registry.example/log-agent:4', layers: [{ 'usr/bin/agent': 3 * mib }] },
  { name: 'registry.example/exporter:1', layers: [{ 'app/dist': 4 * mib }] },
  { name: 'registry.example/node-build:22', layers: [{ 'usr/local/lib/node': 8 * mib }], isUnused: true },
] as const;

const quiet = { readBytesPerSecond: 0, writtenBytesPerSecond: 2 * kib, processCount: 4 };

/** Caches of package manager and build fill its emptyDir nearly to its size limit. */
const builder = {
  containers: {
    build: {
      rootfs: { 'root/.cache/pip/wheels.tar': 3 * mib, 'tmp/core.4711': mib, 'var/tmp/build.lock': 4 * kib },
      logs: { '0.log': mib / 2 },
    },
  },
  volumes: {
    cache: {
      'npm/_cacache/content-v2/sha512/electron.tgz': 9 * mib,
      'npm/_cacache/content-v2/sha512/esbuild.tgz': 5 * mib,
      'npm/_cacache/index-v5/entries': mib,
      'turbo/web-a41f.tar.zst': 8 * mib,
      'turbo/api-77c0.tar.zst': 5 * mib,
      'playwright/ffmpeg.zip': 1.25 * mib,
    },
  },
  activity: {
    cpuShare: 0.6,
    memoryBytes: 900 * mib,
    cacheBytes: 400 * mib,
    readBytesPerSecond: mib,
    writtenBytesPerSecond: 6 * mib,
    processCount: 23,
  },
} as const satisfies PodFiles;

/** Its data is where its image declares a `VOLUME`: on the disk of the node, and in no pod's usage. */
const postgres: PodFiles = {
  containers: {
    postgres: {
      rootfs: { 'run/postgresql/lock': 4 * kib },
      logs: { '0.log': mib },
      imageVolume: { 'base/16384/segment': 5 * mib, 'pg_wal/000000010000000000000001': 3 * mib },
    },
  },
  activity: { ...quiet, cpuShare: 0.05, memoryBytes: 256 * mib, cacheBytes: 180 * mib, writtenBytesPerSecond: mib },
};

const web: PodFiles = {
  containers: {
    web: {
      rootfs: { 'var/cache/nginx/proxy': mib },
      logs: { '0.log': 2 * mib, '0.log.20260101-030412': 4 * mib },
    },
  },
  activity: { ...quiet, cpuShare: 0.02, memoryBytes: 64 * mib, cacheBytes: 16 * mib, writtenBytesPerSecond: 40 * kib },
};

const logAgent: PodFiles = {
  containers: { agent: { rootfs: {}, logs: { '0.log': mib / 4 } } },
  volumes: { buffer: { 'chunks/b1': mib, 'chunks/b2': mib } },
  activity: { ...quiet, cpuShare: 0.01, memoryBytes: 48 * mib, cacheBytes: 8 * mib },
};

const exporterFiles: PodFiles = {
  containers: { exporter: { rootfs: {}, logs: { '0.log': mib / 8 } } },
  volumes: { evictions: { 'evictions.json': 16 * kib } },
  activity: { ...quiet, cpuShare: 0.01, memoryBytes: 96 * mib, cacheBytes: 12 * mib },
};

/** Of the system, on the same filesystem. */
const systemFiles: Readonly<Record<string, FileSizes>> = {
  '/var/log': { 'journal/system.journal': 3 * mib, syslog: mib, 'kern.log': 64 * kib },
  '/usr': { 'bin/kubelet': 3 * mib, 'bin/containerd': 2 * mib, 'lib/modules': mib },
};

/** Before its files are written. */
const empty = { rootfs: still(0), logs: still(0) };

/** What only an agent on the node sees: directories of pods, bytes that are nobody's, and who writes now. */
export function nodeAgentScenario({ seed, nowMs }: { seed: number; nowMs: number }): NodeAgentScenario {
  const tree = new HostTree();
  const random = new Random(seed);
  const disk = new SimulatedDisk(tree, random);
  for (const image of images) disk.addImage(image);
  const pods = podsOn(disk, random);
  const exporter = disk.addPod({ ...exporterPod(nodeName), hasRunMs }, exporterFiles);
  addLeftovers(disk, nowMs);
  for (const [folder, files] of Object.entries(systemFiles)) tree.addFiles(folder, files);
  disk.writeKernelFiles(0);
  return {
    nodes: [{ name: nodeName, capacityBytes, ...disk.filesystem() }],
    populate: ({ model, schedule }) => {
      for (const pod of pods) model.addPod(pod);
      const startedMs = schedule.nowMs;
      schedule.every(refreshMs, () => {
        disk.writeKernelFiles((schedule.nowMs - startedMs) / 1000);
      });
    },
    highlights: { nodeName, namespace: 'ci', deployment: 'builder' },
    hostRoot: tree.root,
    exporter,
    [Symbol.asyncDispose]: () => tree[Symbol.asyncDispose](),
  };
}

interface PlacedPod {
  readonly pod: Omit<PodSpec, 'nodeName'>;
  readonly files: PodFiles;
}

function podsOn(disk: SimulatedDisk, random: Random): readonly PodSpec[] {
  return placedPods(random).map(({ pod, files }) => disk.addPod({ ...pod, nodeName, hasRunMs }, files));
}

function placedPods(random: Random): readonly PlacedPod[] {
  const ofDeployment = (namespace: string, name: string) => {
    const owner = { kind: 'ReplicaSet', name: `${name}-${random.nameSuffix(10)}` } as const;
    return { namespace, name: `${owner.name}-${random.nameSuffix(5)}`, owner, labels: { app: name } };
  };
  return [
    {
      pod: {
        ...ofDeployment('ci', 'builder'),
        containers: [
          {
            name: 'build',
            image: 'registry.example/node-build:24',
            ...empty,
            requestBytes: 24 * mib,
            limitBytes: 40 * mib,
          },
        ],
        volumes: [{ name: 'cache', source: 'emptyDir', sizeLimitBytes: 32 * mib, content: still(0) }],
      },
      files: builder,
    },
    {
      pod: {
        namespace: 'shop',
        name: 'postgres-0',
        owner: { kind: 'StatefulSet', name: 'postgres' },
        labels: { app: 'postgres' },
        containers: [{ name: 'postgres', image: 'registry.example/postgres:18', ...empty, limitBytes: 64 * mib }],
      },
      files: postgres,
    },
    {
      pod: {
        ...ofDeployment('shop', 'web'),
        containers: [{ name: 'web', image: 'registry.example/web:7', ...empty, limitBytes: 16 * mib }],
      },
      files: web,
    },
    {
      pod: {
        namespace: 'kube-system',
        name: `log-agent-${random.nameSuffix(5)}`,
        owner: { kind: 'DaemonSet', name: 'log-agent' },
        labels: { app: 'log-agent' },
        containers: [{ name: 'agent', image: 'registry.example/log-agent:4', ...empty }],
        volumes: [{ name: 'buffer', source: 'emptyDir', content: still(0) }],
      },
      files: logAgent,
    },
  ];
}

/** What pods, containers and images that are gone have left. */
function addLeftovers(disk: SimulatedDisk, nowMs: number): void {
  disk.addOrphanedPod({
    volume: 'scratch',
    files: { 'checkpoints/step-9000.safetensors': 7 * mib, 'checkpoints/step-8000.safetensors': 2 * mib },
    goneAtMs: nowMs - 3 * dayMs,
  });
  disk.addOrphanedPod({ volume: 'tmp', files: { 'upload.part': 512 * kib }, goneAtMs: nowMs - dayMs / 4 });
  disk.addLogsOfGonePod({ namespace: 'ci', name: 'e2e-29384710-k7x2p' }, 'e2e', { '0.log': 3 * mib });
  disk.addEndedContainer({ 'tmp/heapdump.hprof': 3 * mib });
  disk.addForgottenLayer({ 'opt/conda/pkgs': 5 * mib });
  disk.addForgottenLayer({ 'usr/local/cuda/lib64': 2 * mib });
}
