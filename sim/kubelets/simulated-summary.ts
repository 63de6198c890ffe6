import { type FileSystem, type FileSystems, fileSystems } from '../model/file-systems.js';
import type { SimulatedNode } from '../model/node-object.js';
import { timestamp } from '../model/object-format.js';
import {
  type ContainerUsage,
  isTmpfs,
  type Observation,
  type PodUsage,
  podUsage,
  tmpfsBytes,
  type VolumeUsage,
} from '../model/pod-usage.js';
import type { SimulatedPod } from '../model/simulated-pod.js';

/** Of a volume on no filesystem of the node. */
const ownFileSystem = { usedBytes: 0, inodeCount: 4_194_304, usedInodeCount: 1 };
const claimBytes = 16 * 2 ** 30;

export interface SummaryMoment extends Observation {
  /** `none`: the kubelet lists no pods although they use space. */
  readonly known: 'all' | 'none';
}

/** The body of `/stats/summary`, with the fields and the format of a kubelet. */
export function nodeSummary(node: SimulatedNode, pods: readonly SimulatedPod[], at: SummaryMoment): object {
  const systems = fileSystems(node, pods, at.nowMs);
  const context = { at, systems };
  const image = { ...fsStats(systems.image, systems.atMs), usedBytes: systems.snapshotBytes, inodesUsed: 120 };
  return {
    node: {
      nodeName: node.spec.name,
      systemContainers: [
        { name: 'kubelet', startTime: timestamp(at.restartedAtMs ?? node.createdAtMs), ...compute(at, 1) },
        { name: 'pods', startTime: timestamp(node.createdAtMs), ...compute(at, pods.length) },
      ],
      startTime: timestamp(node.createdAtMs),
      ...compute(at, 4 * pods.length),
      io: pressure(at, { sinceMs: node.createdAtMs, share: 0.012 }),
      fs: fsStats(systems.node, systems.atMs),
      runtime: { imageFs: image, containerFs: image },
      rlimit: { time: timestamp(at.nowMs), maxpid: 32_768, curproc: 200 + 3 * pods.length },
    },
    pods: (at.known === 'all' ? pods : []).flatMap((pod) => {
      if (at.nowMs < listedFromMs(pod)) return [];
      const usage = podUsage(pod, at);
      return usage === undefined ? [] : [podStats(pod, usage, context)];
    }),
  };
}

function listedFromMs({ spec, startedAtMs, createdAtMs }: SimulatedPod): number {
  return (startedAtMs ?? createdAtMs) + (spec.listedAfterMs ?? 0);
}

interface Context {
  readonly at: Observation;
  readonly systems: FileSystems;
}

function podStats(pod: SimulatedPod, usage: PodUsage, { at, systems }: Context): object {
  const { name, namespace } = pod.spec;
  return {
    podRef: { name, namespace, uid: pod.kubeletUid },
    startTime: timestamp(pod.startedAtMs ?? pod.createdAtMs),
    containers: usage.containers.map((container) => containerStats(container, { at, systems })),
    ...compute(at, usage.containers.length),
    io: pressure(at, { sinceMs: pod.startedAtMs ?? pod.createdAtMs, share: 0.004 }),
    ...(usage.volumes !== undefined &&
      usage.volumes.length > 0 && { volume: usage.volumes.map((volume) => volumeStats(pod, volume, systems)) }),
    'ephemeral-storage': {
      ...fsStats(systems.node, at.nowMs),
      usedBytes: usage.totalBytes,
      inodesUsed: usage.totalInodes,
    },
    process_stats: { process_count: usage.containers.length },
  };
}

function containerStats(usage: ContainerUsage, { at, systems }: Context): object {
  return {
    name: usage.spec.name,
    startTime: timestamp(usage.startedAtMs),
    ...compute(at, 1),
    rootfs: {
      ...fsStats(systems.image, usage.rootfsAtMs),
      usedBytes: usage.rootfsBytes,
      inodesUsed: usage.rootfsInodes,
    },
    logs: { ...fsStats(systems.node, at.nowMs), usedBytes: usage.logsBytes, inodesUsed: 1 },
  };
}

function volumeStats(pod: SimulatedPod, usage: VolumeUsage, { node }: FileSystems): object {
  const { spec, usedBytes, measuredAtMs } = usage;
  const isClaim = spec.source === 'persistentVolumeClaim';
  const capacityBytes = isClaim ? claimBytes : tmpfsBytes(spec, pod);
  const own = { ...ownFileSystem, capacityBytes, availableBytes: capacityBytes - usedBytes };
  return {
    ...fsStats(isTmpfs(spec) || isClaim ? own : node, measuredAtMs),
    usedBytes,
    inodesUsed: usage.inodes,
    name: spec.name,
    ...(isClaim && { pvcRef: { name: spec.name, namespace: pod.spec.namespace } }),
  };
}

function fsStats(
  { availableBytes, capacityBytes, usedBytes, inodeCount, usedInodeCount }: FileSystem,
  atMs: number,
): object {
  return {
    time: timestamp(atMs),
    availableBytes,
    capacityBytes,
    usedBytes,
    inodesFree: inodeCount - usedInodeCount,
    inodes: inodeCount,
    inodesUsed: usedInodeCount,
  };
}

/** CPU and memory in the format of a kubelet; the values do not matter. */
function compute({ nowMs }: Observation, processCount: number): object {
  const time = timestamp(nowMs);
  const workingSetBytes = processCount * 24 * 2 ** 20;
  return {
    cpu: { time, usageNanoCores: processCount * 2_000_000, usageCoreNanoSeconds: processCount * 60_000_000_000 },
    memory: {
      time,
      usageBytes: workingSetBytes,
      workingSetBytes,
      rssBytes: workingSetBytes,
      pageFaults: 0,
      majorPageFaults: 0,
    },
  };
}

/** Pressure stall information: `share` of the time since then, in microseconds, a quarter of it with all tasks waiting. */
function pressure(
  { nowMs }: Observation,
  { sinceMs, share }: { readonly sinceMs: number; readonly share: number },
): object {
  const stall = (part: number): object => {
    const percent = part * share * 100;
    return {
      total: Math.round((nowMs - sinceMs) * 1000 * part * share),
      avg10: percent,
      avg60: percent,
      avg300: percent,
    };
  };
  return { time: timestamp(nowMs), psi: { full: stall(0.25), some: stall(1) } };
}
