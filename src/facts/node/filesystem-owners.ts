import { isOfVirtualCluster, type Node, type Pod } from '../../cluster/kube/objects.js';
import { identityOf, isSamePod } from '../../cluster/kube/pod-identity.js';
import { type EvictionSignal, filesystemOf, type SignalFilesystem } from '../../cluster/kubelet/eviction-signals.js';
import type { FsStats, NodeSummary, PodSummary } from '../../cluster/kubelet/summary.js';
import { known, sumOfFigures } from '../../cluster/kubelet/summary.js';
import { addWhole } from '../../lib/base/maps.js';
import { areDifferent, type NodeLayout } from './node-layout.js';
import type { NodeSnapshot } from './node-view.js';
import { freedByEviction } from './signal-usage.js';

/** Whose bytes a filesystem of a node holds: `podsUsedBytes + imagesUsedBytes + unattributedBytes` is all that is used. */
export interface FilesystemOwners {
  readonly filesystem: SignalFilesystem;
  /** Of all pods in the summary: their totals; without one, what evicting the pod frees. Undefined where a part is unknown. */
  readonly podsUsedBytes: number | undefined;
  /**
   * All that the runtime has there but the writable layers of running containers; never below 0. On containerd that is what
   * its snapshotter has: unpacked images, ended containers and sandboxes. Undefined when the kubelet does not report it, or
   * where the images are.
   */
  readonly imagesUsedBytes: number | undefined;
  /**
   * Neither: the compressed copies of images that containerd keeps, logs of the system, hostPath data, what the kubelet does
   * not report. Below 0 when the runtime counts layers several times.
   */
  readonly unattributedBytes: number | undefined;
}

/** One entry for each filesystem, none of a node of a virtual cluster: its host has other pods. One that serves several purposes is that of the first of nodefs, imagefs, containerfs. */
export function filesystemOwners({
  node,
  layout,
  ...listed
}: ListedFiles & Pick<NodeSnapshot, 'layout'> & { readonly node?: Pick<Node, 'labels'> }): readonly FilesystemOwners[] {
  const { summary } = listed;
  if (node !== undefined && isOfVirtualCluster(node.labels)) return [];
  const { nodefs, imagefs, containerfs } = summary;
  const places = placesOf(summary, layout);
  const { rootfsBytes, totalBytes } = podFiles(listed);
  const nodefsBytes = places.layers === 'nodefs' ? totalBytes : difference(totalBytes, rootfsBytes);
  const ownersOf = (filesystem: SignalFilesystem, stats: FsStats | undefined): readonly FilesystemOwners[] => {
    if (stats === undefined) return [];
    const layersBytes = places.layers === filesystem ? rootfsBytes : 0;
    const podsUsedBytes = filesystem === 'nodefs' ? nodefsBytes : layersBytes;
    const imagesUsedBytes = imagesOn(filesystem, places.images, { imagefs, layersBytes });
    const usedBytes = filesystem === 'nodefs' ? reportedBytes(stats) : occupiedBytes(stats);
    const unattributedBytes = difference(difference(usedBytes, podsUsedBytes), imagesUsedBytes);
    return [{ filesystem, podsUsedBytes, imagesUsedBytes, unattributedBytes }];
  };
  return [
    ...ownersOf('nodefs', nodefs),
    ...(places.images === 'imagefs' ? ownersOf('imagefs', imagefs) : []),
    ...(places.layers === 'containerfs' ? ownersOf('containerfs', containerfs) : []),
  ];
}

/** Where the bytes of a signal are, as {@link filesystemOwners} names it. */
export function signalPlace(
  signal: EvictionSignal,
  { summary, layout }: { readonly summary: NodeSummary; readonly layout: NodeLayout },
): SignalFilesystem {
  const filesystem = filesystemOf(signal);
  const { images = 'nodefs', layers } = placesOf(summary, layout);
  return filesystem === 'nodefs' ? 'nodefs' : filesystem === 'imagefs' ? images : layers;
}

/** That of images is unknown where the summary does not show it; layers are taken to be on nodefs then. */
function placesOf(
  { nodefs, containerfs }: NodeSummary,
  layout: NodeLayout,
): { readonly images: 'nodefs' | 'imagefs' | undefined; readonly layers: SignalFilesystem } {
  const { hasDedicatedImagefs, hasSplitImagefs } = layout;
  if (hasDedicatedImagefs !== true)
    return { images: hasDedicatedImagefs === undefined ? undefined : 'nodefs', layers: 'nodefs' };
  if (hasSplitImagefs !== true) return { images: 'imagefs', layers: 'imagefs' };
  return { images: 'imagefs', layers: areDifferent(nodefs, containerfs) ? 'containerfs' : 'nodefs' };
}

/** The runtime's value includes the writable layers on the same filesystem. */
function imagesOn(
  filesystem: SignalFilesystem,
  place: SignalFilesystem | undefined,
  { imagefs, layersBytes }: { readonly imagefs: FsStats | undefined; readonly layersBytes: number | undefined },
): number | undefined {
  if (place === undefined) return undefined;
  if (place !== filesystem) return 0;
  const imagesBytes = difference(imagefs?.usedBytes, layersBytes);
  return imagesBytes && Math.max(0, imagesBytes);
}

/** No nodefs is empty. */
function reportedBytes({ usedBytes }: FsStats): number | undefined {
  return usedBytes === 0 ? undefined : usedBytes;
}

/** The summary's `usedBytes` of imagefs and containerfs is only what the runtime has there. */
function occupiedBytes({ capacityBytes, availableBytes }: FsStats): number | undefined {
  return difference(capacityBytes, availableBytes);
}

/** Undefined when one of them is unknown. */
export function difference(from: number | undefined, bytes: number | undefined): number | undefined {
  return from === undefined || bytes === undefined ? undefined : from - bytes;
}

export interface ListedFiles extends Pick<NodeSnapshot, 'summary'> {
  readonly podsOnNode?: readonly Pod[];
}

/** Adds up what pods hold, and what of it is in writable layers: all else is on nodefs. Undefined with an unknown part. */
export function podFiles(listed: ListedFiles): {
  readonly rootfsBytes: number | undefined;
  readonly totalBytes: number | undefined;
} {
  let rootfsBytes: number | undefined = 0;
  let totalBytes: number | undefined = 0;
  const measuredOf = partsOf(listed, 'nodefs.available');
  for (const entry of listed.summary.pods) {
    const layers = known(sumOfFigures(entry.containers, ({ rootfs }) => rootfs?.usedBytes, 0));
    const podBytes = entry.usedBytes ?? measuredOf(entry);
    rootfsBytes = addWhole(rootfsBytes, layers && Math.min(layers, podBytes ?? layers));
    totalBytes = addWhole(totalBytes, podBytes);
  }
  return { rootfsBytes, totalBytes };
}

/** Returns what adds up the measured parts of a pod without a total, in bytes or inodes, as the order of eviction has them. */
export function partsOf(
  { podsOnNode = [] }: ListedFiles,
  signal: EvictionSignal,
): (entry: PodSummary) => number | undefined {
  let specs: ReadonlyMap<string, Pod> | undefined;
  return (summary) => {
    specs ??= new Map(podsOnNode.map((pod) => [pod.kubeletUid, pod]));
    const found = specs.get(summary.uid);
    const pod = found !== undefined && isSamePod(identityOf(found), summary) ? found : undefined;
    return freedByEviction({ summary, pod, signal, layout: 'shared' });
  };
}
