import type { FsStats } from '../../cluster/kubelet/summary.js';
import { filesystemOwners } from '../../facts/node/filesystem-owners.js';
import { judgedFilesystems } from '../../facts/node/frozen-statistics.js';
import { sameFilesystem } from '../../facts/node/node-layout.js';
import type { NodeSnapshot } from '../../facts/node/node-view.js';
import type { PodRecord } from '../../facts/node/pod-record.js';
import { diskThreshold } from './disk-report.js';
import { limitThresholds } from './limit-report.js';

export interface FilesystemReport {
  readonly filesystem: 'nodefs' | 'imagefs' | 'containerfs';
  /** The other filesystem of the node that it is the same as, judged by sizes and free space. */
  readonly sameAs?: 'nodefs' | 'imagefs' | undefined;
  /** Of nodefs everything; of imagefs and containerfs, images and writable layers. */
  readonly usedBytes?: number | undefined;
  readonly availableBytes?: number | undefined;
  readonly capacityBytes?: number | undefined;
  /** Whose bytes it holds, see `FilesystemOwners`; absent where it is the same as another one. */
  readonly podsUsedBytes?: number | undefined;
  readonly imagesUsedBytes?: number | undefined;
  readonly unattributedBytes?: number | undefined;
  /** Hard eviction threshold, of several the highest; a default of Kubernetes while the kubelet's configuration is not known. */
  readonly evictionThresholdBytes?: number | undefined;
  readonly inodes?: number | undefined;
  readonly inodesFree?: number | undefined;
  /** 1 less the free part. */
  readonly fullRatio?: number | undefined;
  readonly inodesFullRatio?: number | undefined;
}

/** From here on a filesystem counts as full. Below it, one with images is healthy: kubelets let them fill it to 85 %. */
export const fullRatio = limitThresholds.alerted;

/** What pods of a node use and request. */
export function podBytes(pods: readonly PodRecord[]) {
  return {
    usedBytes: pods.reduce((sum, { summary }) => sum + (summary.usedBytes ?? 0), 0),
    requestedBytes: pods.reduce((sum, { bound }) => sum + (bound?.requestBytes ?? 0), 0),
  };
}

/** The filesystems that the summary has. */
export function filesystemReports(snapshot: NodeSnapshot): readonly FilesystemReport[] {
  const { summary, layout } = snapshot;
  const owners = filesystemOwners(snapshot);
  return (['nodefs', 'imagefs', 'containerfs'] as const).flatMap((filesystem): readonly FilesystemReport[] => {
    const stats = summary[filesystem];
    if (stats === undefined) return [];
    const sameAs = sameFilesystem(filesystem, summary, layout);
    const evictionThresholdBytes = diskThreshold(filesystem, snapshot)?.threshold;
    const ownersHere = owners.find((candidate) => candidate.filesystem === filesystem);
    const { usedBytes, availableBytes, capacityBytes, inodes, inodesFree } = stats;
    const values = { usedBytes, availableBytes, capacityBytes, inodes, inodesFree, ...fullRatios(stats) };
    return [{ ...values, ...ownersHere, filesystem, sameAs, evictionThresholdBytes }];
  });
}

/** The fullest filesystem's part of bytes or inodes that is not free; undefined when none is known. */
export function fullestRatio({ summary, frozen }: NodeSnapshot): number | undefined {
  const { nodefs, imagefs, containerfs } = judgedFilesystems(summary, frozen);
  const ratios = [nodefs, imagefs, containerfs].flatMap((stats) => {
    const { fullRatio: ofBytes, inodesFullRatio } = stats === undefined ? {} : fullRatios(stats);
    return [ofBytes ?? [], inodesFullRatio ?? []].flat();
  });
  return ratios.length === 0 ? undefined : Math.max(...ratios);
}

/** Whether one of them counts as full. */
export function isFull(filesystems: readonly FilesystemReport[]): boolean {
  return filesystems.some((one) => Math.max(one.fullRatio ?? 0, one.inodesFullRatio ?? 0) >= fullRatio);
}

function fullRatios({ availableBytes, capacityBytes, inodes, inodesFree }: FsStats) {
  return { fullRatio: takenRatio(availableBytes, capacityBytes), inodesFullRatio: takenRatio(inodesFree, inodes) };
}

function takenRatio(free: number | undefined, total: number | undefined): number | undefined {
  return free === undefined || total === undefined || total === 0 ? undefined : Math.max(0, 1 - free / total);
}
