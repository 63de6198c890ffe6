import { blockBytes, bytesAt, wholeBlocks } from './growth.js';
import { podAggregate } from './pod-resources.js';
import { measuredContainers, type RunningContainer, type SimulatedPod } from './simulated-pod.js';
import type { VolumeSpec } from './specs.js';

/** The time of a measurement. Wall times in milliseconds. */
export interface Observation {
  readonly nowMs: number;
  /** The last restart of the kubelet, if it was after the start of its pods: it has to measure their volumes again. */
  readonly restartedAtMs?: number | undefined;
}

export interface ContainerUsage extends RunningContainer {
  readonly rootfsBytes: number;
  readonly rootfsInodes: number;
  /** The time of the runtime's measurement of the writable layer. Logs are measured on request. */
  readonly rootfsAtMs: number;
  readonly logsBytes: number;
}

export interface VolumeUsage {
  readonly spec: VolumeSpec;
  readonly usedBytes: number;
  readonly inodes: number;
  readonly measuredAtMs: number;
}

export interface PodUsage {
  readonly containers: readonly ContainerUsage[];
  /** Undefined before the first volume pass. */
  readonly volumes: readonly VolumeUsage[] | undefined;
  /** `ephemeral-storage.usedBytes` and `inodesUsed`. */
  readonly totalBytes: number;
  readonly totalInodes: number;
}

const rootfsPeriodMs = 10_000;
const volumePassPeriodMs = 60_000;
const nodeMemoryBytes = 16 * 2 ** 30;

/**
 * The usage of a pod as the kubelet reports it; undefined when none of its containers runs. The total is the writable
 * layers and logs of running containers, the volumes on disk, and one block for the hosts file of every pod that is not
 * static. Volumes count as of the last volume pass.
 * https://github.com/kubernetes/kubernetes/blob/v1.37.1/pkg/kubelet/stats/helper.go
 */
export function podUsage(pod: SimulatedPod, at: Observation): PodUsage | undefined {
  const running = measuredContainers(pod, at.nowMs);
  if (running.length === 0) return undefined;
  const containers = running.map((container) => containerUsage(container, pod.pace, at.nowMs));
  const passAtMs = lastVolumePass(pod, at);
  const volumes = passAtMs === undefined ? undefined : volumeUsages(pod, passAtMs);
  const counted = (volumes ?? []).filter(({ spec }) => isCounted(spec));
  const hostsFiles = hostsFileCount(pod);
  return {
    containers,
    volumes,
    totalBytes:
      sum(containers, ({ rootfsBytes, logsBytes }) => rootfsBytes + logsBytes) +
      sum(counted, ({ usedBytes }) => usedBytes) +
      hostsFiles * blockBytes,
    totalInodes:
      sum(containers, ({ rootfsInodes }) => rootfsInodes + 1) + sum(counted, ({ inodes }) => inodes) + hostsFiles,
  };
}

/** The pod's bytes on the node's disk, even if the kubelet has not measured them yet. */
export function bytesOnDisk(
  pod: SimulatedPod,
  nowMs: number,
): { readonly rootfsBytes: number; readonly otherBytes: number } {
  const containers = measuredContainers(pod, nowMs).map((container) => containerUsage(container, pod.pace, nowMs));
  if (containers.length === 0) return { rootfsBytes: 0, otherBytes: 0 };
  const volumes = volumeUsages(pod, nowMs).filter(({ spec }) => isCounted(spec));
  return {
    rootfsBytes: sum(containers, ({ rootfsBytes }) => rootfsBytes),
    otherBytes:
      sum(containers, ({ logsBytes }) => logsBytes) +
      sum(volumes, ({ usedBytes }) => usedBytes) +
      hostsFileCount(pod) * blockBytes,
  };
}

/** The kubelet writes no hosts file for a static pod. */
function hostsFileCount({ spec }: SimulatedPod): number {
  return spec.isStatic === true ? 0 : 1;
}

/** The volumes that the kubelet mounts; it mounts and measures no others. */
function mountedVolumes({ spec }: SimulatedPod): readonly VolumeSpec[] {
  const { containers, volumes = [] } = spec;
  return volumes.filter(({ name }) => containers.some(({ mounts }) => mounts?.includes(name) ?? true));
}

/** Volumes in memory are listed, but do not count towards a pod's ephemeral storage. */
export function isTmpfs({ source, medium }: VolumeSpec): boolean {
  if (source === 'emptyDir') return medium === 'Memory';
  return source === 'secret' || source === 'projected' || source === 'downwardAPI';
}

/**
 * What fits into a volume in memory: of an emptyDir its size limit, or what the containers may have of memory if all of them have a
 * limit and that is less, in whole pages.
 * https://github.com/kubernetes/kubernetes/blob/v1.37.1/pkg/volume/emptydir/empty_dir.go
 */
export function tmpfsBytes({ source, sizeLimitBytes = 0 }: VolumeSpec, { spec }: SimulatedPod): number {
  if (source !== 'emptyDir') return nodeMemoryBytes;
  const areAllLimited = spec.containers.every(({ memoryLimitBytes }) => memoryLimitBytes !== undefined);
  const limits = [
    areAllLimited ? (podAggregate(spec.containers, ({ memoryLimitBytes }) => memoryLimitBytes) ?? 0) : 0,
    sizeLimitBytes,
  ];
  return wholeBlocks(Math.min(nodeMemoryBytes, ...limits.filter((bytes) => bytes > 0)));
}

/** Volumes on the node's disk that count towards the pod's ephemeral storage. */
export function isCounted(spec: VolumeSpec): boolean {
  return !isTmpfs(spec) && (spec.source === 'emptyDir' || spec.source === 'configMap');
}

function containerUsage(container: RunningContainer, pace: number, nowMs: number): ContainerUsage {
  const { spec, startedAtMs } = container;
  const rootfsAtMs = Math.max(startedAtMs, nowMs - (nowMs % rootfsPeriodMs));
  const rootfsBytes = bytesAt(spec.rootfs, rootfsAtMs - startedAtMs, pace);
  return {
    ...container,
    rootfsBytes,
    rootfsInodes: inodesOf(rootfsBytes) + 8,
    rootfsAtMs,
    logsBytes: bytesAt(spec.logs, nowMs - startedAtMs, pace),
  };
}

function volumeUsages(pod: SimulatedPod, measuredAtMs: number): readonly VolumeUsage[] {
  const ageMs = measuredAtMs - (pod.startedAtMs ?? measuredAtMs);
  const measured = mountedVolumes(pod).filter(({ source }) => source !== 'hostPath' && source !== 'gitRepo');
  return measured.map((spec) => {
    const wantedBytes = bytesAt(spec.content, ageMs, pod.pace);
    const usedBytes = isTmpfs(spec) ? Math.min(wantedBytes, tmpfsBytes(spec, pod)) : wantedBytes;
    return { spec, usedBytes, inodes: inodesOf(usedBytes), measuredAtMs };
  });
}

function lastVolumePass(pod: SimulatedPod, { nowMs, restartedAtMs = -Infinity }: Observation): number | undefined {
  const sinceMs = Math.max(pod.startedAtMs ?? nowMs, restartedAtMs);
  const firstAtMs = sinceMs + pod.firstVolumePassMs;
  return nowMs < firstAtMs ? undefined : nowMs - ((nowMs - firstAtMs) % volumePassPeriodMs);
}

/** Files of 1 MiB and their directory. */
function inodesOf(bytes: number): number {
  return 1 + Math.ceil(bytes / 2 ** 20);
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
