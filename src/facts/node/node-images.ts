import type { Node, NodeImage, Pod } from '../../cluster/kube/objects.js';
import type { ImageSettings } from '../../cluster/kubelet/kubelet-configuration.js';
import type { FsStats } from '../../cluster/kubelet/summary.js';
import { isActive } from './limits.js';

/**
 * What the status of a node reports of its images, in the sizes that the kubelet goes by. A layer that several images share
 * counts for each of them.
 */
export interface NodeImages {
  /**
   * containerd reports the size of the compressed layers, as in a registry; unpacked, they take up more. Undefined for a
   * runtime of which it is not known.
   */
  readonly sizes: 'compressed' | 'unpacked' | undefined;
  readonly imageCount: number;
  readonly sizeBytes: number;
  /** The status has the largest images, as many as the kubelet lists: smaller ones may be missing. */
  readonly isCut: boolean;
  /**
   * Of images that no container of the node's pods uses. Undefined unless all of its pods are read. Too few where the list
   * is cut: what garbage collection deletes below an eviction threshold.
   */
  readonly unusedBytes: number | undefined;
  /** The most that the compressed copies of images take up, which no value of the kubelet includes; undefined unless that is known. */
  readonly maxCopiesBytes: number | undefined;
  /** Undefined while the kubelet's configuration, or the space on the images' filesystem, is not known. */
  readonly collection: ImageCollection | undefined;
}

/** The next garbage collection of images, which the kubelet looks after every 5 minutes. */
interface ImageCollection {
  /** How much may still be written until it starts; below 0 it is due. Undefined where it is off. */
  readonly startsInBytes: number | undefined;
  /** What it looks for once it starts. */
  readonly wantedBytes: number;
  /** Whether unused images have that much. Undefined where that is not known, also as the list is cut. */
  readonly isEnough: boolean | undefined;
  /** Younger images stay. */
  readonly minAgeMs: number;
}

export interface NodeImagesInput {
  readonly node: Pick<Node, 'images' | 'containerRuntime'>;
  /** All pods of the node; undefined when some are not read. */
  readonly pods: readonly Pick<Pod, 'images' | 'phase'>[] | undefined;
  /** The filesystem of the images. */
  readonly imagefs: Pick<FsStats, 'availableBytes' | 'capacityBytes'> | undefined;
  /** Undefined while the kubelet's configuration is not known. */
  readonly settings: ImageSettings | undefined;
}

/** `nodeStatusMaxImages` by default. */
const defaultMaxListedCount = 50;

/** Undefined for a node whose status has no images. */
export function nodeImages({ node, pods, imagefs, settings }: NodeImagesInput): NodeImages | undefined {
  const { images } = node;
  if (images.length === 0) return undefined;
  const { maxListedCount = defaultMaxListedCount } = settings ?? {};
  const sizes = sizesOf(node);
  const sizeBytes = sumOf(images);
  const isCut = maxListedCount >= 0 && images.length >= maxListedCount;
  const unusedBytes = pods && sumOf(unusedImages(images, pods));
  return {
    sizes,
    imageCount: images.length,
    sizeBytes,
    isCut,
    unusedBytes,
    maxCopiesBytes: sizes === 'compressed' && !isCut ? sizeBytes : undefined,
    collection: settings && imagefs && collectionOf(imagefs, settings, { unusedBytes, isCut }),
  };
}

function sizesOf({ containerRuntime = '' }: NodeImagesInput['node']): NodeImages['sizes'] {
  if (containerRuntime.startsWith('containerd:')) return 'compressed';
  return containerRuntime.startsWith('cri-o:') ? 'unpacked' : undefined;
}

function sumOf(images: readonly NodeImage[]): number {
  return images.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

/** The kubelet writes no more names of an image. */
const maxNamesOfImage = 5;

/**
 * Images that are known to be in no use. A container uses its image while its pod has not ended, whether or not it runs:
 * those of ended pods are deleted before images are. An image without names may be that of any container, one with the most
 * names that are written may have others.
 */
export function unusedImages(
  images: readonly NodeImage[],
  pods: readonly Pick<Pod, 'images' | 'phase'>[],
): readonly NodeImage[] {
  const used = new Set<string>();
  for (const pod of pods) if (isActive(pod)) for (const key of pod.images) used.add(key);
  return images.filter(
    ({ keys }) => keys.length > 0 && keys.length < maxNamesOfImage && !keys.some((key) => used.has(key)),
  );
}

/**
 * As the kubelet computes it: in whole percents, so that 85 is reached just above 84.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/images/image_gc_manager.go (GarbageCollect)
 */
function collectionOf(
  { availableBytes, capacityBytes }: NonNullable<NodeImagesInput['imagefs']>,
  { highThresholdPercent, lowThresholdPercent, minAgeMs }: ImageSettings,
  { unusedBytes, isCut }: Pick<NodeImages, 'unusedBytes' | 'isCut'>,
): ImageCollection | undefined {
  if (availableBytes === undefined || capacityBytes === undefined || capacityBytes === 0) return undefined;
  const startBytes = Math.ceil(((101 - highThresholdPercent) * capacityBytes) / 100);
  const targetBytes = Math.floor(((100 - lowThresholdPercent) * capacityBytes) / 100);
  const wantedBytes = Math.max(0, targetBytes - Math.min(availableBytes, startBytes));
  const isEnough = unusedBytes === undefined ? undefined : unusedBytes >= wantedBytes;
  return {
    startsInBytes: highThresholdPercent === 100 ? undefined : availableBytes - startBytes,
    wantedBytes,
    isEnough: isCut && isEnough === false ? undefined : isEnough,
    minAgeMs,
  };
}
