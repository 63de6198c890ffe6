import { wholeBlocks } from './growth.js';
import { defaultCapacityBytes, type SimulatedNode } from './node-object.js';
import { bytesOnDisk } from './pod-usage.js';
import type { SimulatedPod } from './simulated-pod.js';

export interface FileSystem {
  readonly capacityBytes: number;
  readonly availableBytes: number;
  readonly usedBytes: number;
}

export interface FileSystems {
  readonly atMs: number;
  readonly node: FileSystem;
  /** Contains images and writable layers; the same as `node` unless the node has a separate one. */
  readonly image: FileSystem;
  /** The bytes of images in `image`. */
  readonly imagesBytes: number;
}

const periodMs = 10_000;
/** Part of a filesystem that ext4 reserves for root: neither used nor available. */
const reservedShare = 0.05;

/** The node's filesystems as of the last measurement. */
export function fileSystems({ spec }: SimulatedNode, pods: readonly SimulatedPod[], nowMs: number): FileSystems {
  const atMs = nowMs - (nowMs % periodMs);
  const imagesBytes = wholeBlocks(spec.imagesBytes ?? 6 * 2 ** 30);
  let layerBytes = imagesBytes;
  let otherBytes = wholeBlocks(spec.systemBytes ?? 8 * 2 ** 30);
  for (const pod of pods) {
    const onDisk = bytesOnDisk(pod, atMs);
    layerBytes += onDisk.rootfsBytes;
    otherBytes += onDisk.otherBytes;
  }
  const capacityBytes = spec.capacityBytes ?? defaultCapacityBytes;
  if (spec.imageFsCapacityBytes === undefined) {
    const shared = fileSystem(capacityBytes, otherBytes + layerBytes);
    return { atMs, node: shared, image: shared, imagesBytes };
  }
  const image = fileSystem(spec.imageFsCapacityBytes, layerBytes);
  return { atMs, node: fileSystem(capacityBytes, otherBytes), image, imagesBytes };
}

/** Used bytes never exceed the bytes that the filesystem can allocate. */
function fileSystem(capacity: number, wantedBytes: number): FileSystem {
  const capacityBytes = wholeBlocks(capacity);
  const usableBytes = capacityBytes - wholeBlocks(capacityBytes * reservedShare);
  const usedBytes = Math.min(wantedBytes, usableBytes);
  return { capacityBytes, usedBytes, availableBytes: usableBytes - usedBytes };
}
