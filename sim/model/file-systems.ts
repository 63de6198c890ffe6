import { wholeBlocks } from './growth.js';
import { defaultCapacityBytes, type SimulatedNode } from './node-object.js';
import { bytesOnDisk } from './pod-usage.js';
import { contentBytes, totalBytes } from './simulated-images.js';
import type { SimulatedPod } from './simulated-pod.js';
import type { NodeSpec } from './specs.js';

export interface FileSystem {
  readonly capacityBytes: number;
  readonly availableBytes: number;
  readonly usedBytes: number;
  readonly inodeCount: number;
  readonly usedInodeCount: number;
}

export interface FileSystems {
  readonly atMs: number;
  readonly node: FileSystem;
  /** Contains images and writable layers; the same as `node` unless the node has a separate one. */
  readonly image: FileSystem;
  /** The bytes of images, writable layers and what else is among the runtime's snapshots in `image`. */
  readonly snapshotBytes: number;
}

const periodMs = 10_000;
const defaultSystemBytes = 8 * 2 ** 30;
const defaultInodeCount = 6_553_600;
/** Part of a filesystem that ext4 reserves for root: neither used nor available. */
const reservedShare = 0.05;

/** The node's filesystems as of the last measurement; a change of its images is measured at once. */
export function fileSystems(
  { spec, images }: SimulatedNode,
  pods: readonly SimulatedPod[],
  nowMs: number,
): FileSystems {
  const atMs = nowMs - (nowMs % periodMs);
  let snapshotBytes = totalBytes(images) + wholeBlocks(spec.otherSnapshotsBytes ?? 0);
  let otherBytes = wholeBlocks(spec.systemBytes ?? defaultSystemBytes);
  for (const pod of pods) {
    const onDisk = bytesOnDisk(pod, atMs);
    snapshotBytes += onDisk.rootfsBytes;
    otherBytes += onDisk.otherBytes;
  }
  const imageBytes = snapshotBytes + contentBytes(images);
  const capacityBytes = spec.capacityBytes ?? defaultCapacityBytes;
  if (spec.imageFsCapacityBytes === undefined) {
    const shared = fileSystem(spec, capacityBytes, otherBytes + imageBytes);
    return { atMs, node: shared, image: shared, snapshotBytes };
  }
  const image = fileSystem(spec, spec.imageFsCapacityBytes, imageBytes);
  return { atMs, node: fileSystem(spec, capacityBytes, otherBytes), image, snapshotBytes };
}

/** Used bytes never exceed the bytes that the filesystem can allocate. */
function fileSystem({ inodeCount = defaultInodeCount }: NodeSpec, sizeBytes: number, wantedBytes: number): FileSystem {
  const capacityBytes = wholeBlocks(sizeBytes);
  const usableBytes = capacityBytes - wholeBlocks(capacityBytes * reservedShare);
  const usedBytes = Math.min(wantedBytes, usableBytes);
  const usedInodeCount = Math.min(inodeCount, 100_000 + Math.floor(usedBytes / 2 ** 16));
  return { capacityBytes, usedBytes, availableBytes: usableBytes - usedBytes, inodeCount, usedInodeCount };
}
