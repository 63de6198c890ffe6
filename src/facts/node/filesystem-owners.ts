import { isOfVirtualCluster, type Node, type Pod } from '../../cluster/kube/objects.js';
import { identityOf, isSamePod } from '../../cluster/kube/pod-identity.js';
import { type EvictionSignal, filesystemOf, type SignalFilesystem } from '../../cluster/kubelet/eviction-signals.js';
import type { ContainerSummary, FsStats, NodeSummary, PodSummary } from '../../cluster/kubelet/summary.js';
import { sizeOf } from './attribute.js';
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
  summary,
  podsOnNode,
}: ListedFiles & Pick<NodeSnapshot, 'layout'> & { readonly node?: Pick<Node, 'labels'> }): readonly FilesystemOwners[] {
  if (node !== undefined && isOfVirtualCluster(node.labels)) return [];
  const { nodefs, imagefs, containerfs } = summary;
  const [imagesPlace, layersPlace] = [placeOfImages(layout), placeOfLayers(summary, layout)];
  const { rootfsBytes, totalBytes } = podFiles({ summary, podsOnNode });
  const nodefsBytes = layersPlace === 'nodefs' ? totalBytes : difference(totalBytes, rootfsBytes);
  const ownersOf = (filesystem: SignalFilesystem, stats: FsStats | undefined): readonly FilesystemOwners[] => {
    if (stats === undefined) return [];
    const layersBytes = layersPlace === filesystem ? rootfsBytes : 0;
    const podsUsedBytes = filesystem === 'nodefs' ? nodefsBytes : layersBytes;
    const imagesUsedBytes = imagesOn(filesystem, imagesPlace, { imagefs, layersBytes });
    const usedBytes = filesystem === 'nodefs' ? reportedBytes(stats) : occupiedBytes(stats);
    const unattributedBytes = difference(difference(usedBytes, podsUsedBytes), imagesUsedBytes);
    return [{ filesystem, podsUsedBytes, imagesUsedBytes, unattributedBytes }];
  };
  return [
    ...ownersOf('nodefs', nodefs),
    ...(imagesPlace === 'imagefs' ? ownersOf('imagefs', imagefs) : []),
    ...(layersPlace === 'containerfs' ? ownersOf('containerfs', containerfs) : []),
  ];
}

/** Where the bytes of a signal are, as {@link filesystemOwners} names it. */
export function signalPlace(
  signal: EvictionSignal,
  { summary, layout }: { readonly summary: NodeSummary; readonly layout: NodeLayout },
): SignalFilesystem {
  const filesystem = filesystemOf(signal);
  if (filesystem === 'nodefs') return filesystem;
  return filesystem === 'imagefs' ? (placeOfImages(layout) ?? 'nodefs') : placeOfLayers(summary, layout);
}

/** Undefined where the summary does not show it. */
function placeOfImages({ hasDedicatedImagefs }: NodeLayout): 'nodefs' | 'imagefs' | undefined {
  if (hasDedicatedImagefs === undefined) return undefined;
  return hasDedicatedImagefs ? 'imagefs' : 'nodefs';
}

/** Taken to be nodefs where the summary does not show it. */
function placeOfLayers(
  { nodefs, containerfs }: NodeSummary,
  { hasDedicatedImagefs, hasSplitImagefs }: NodeLayout,
): SignalFilesystem {
  if (hasDedicatedImagefs !== true) return 'nodefs';
  if (hasSplitImagefs !== true) return 'imagefs';
  return areDifferent(nodefs, containerfs) ? 'containerfs' : 'nodefs';
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
  readonly podsOnNode?: readonly Pod[] | undefined;
}

/** Adds up what pods hold, and what of it is in writable layers: all else is on nodefs. Undefined with an unknown part. */
export function podFiles(listed: ListedFiles): {
  readonly rootfsBytes: number | undefined;
  readonly totalBytes: number | undefined;
} {
  let [rootfsBytes, totalBytes] = [0, 0]; // NaN with an unknown part
  const measuredOf = partsOf(listed, 'nodefs.available');
  for (const entry of listed.summary.pods) {
    const podBytes = entry.usedBytes ?? measuredOf(entry) ?? NaN;
    const layersBytes = layersOf(entry.containers);
    rootfsBytes += Number.isNaN(podBytes) ? layersBytes : Math.min(layersBytes, podBytes);
    totalBytes += podBytes;
  }
  return { rootfsBytes: sizeOf(rootfsBytes), totalBytes: sizeOf(totalBytes) };
}

/** What is reported; NaN with an impossible size. */
function layersOf(containers: readonly ContainerSummary[]): number {
  let bytes = 0;
  for (const { rootfs } of containers) {
    const usedBytes = rootfs?.usedBytes;
    bytes += usedBytes === 'impossible' ? NaN : (usedBytes ?? 0);
  }
  return bytes;
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
