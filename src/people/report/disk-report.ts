import { countsInodes, filesystemOf, type SignalFilesystem } from '../../cluster/kubelet/eviction-signals.js';
import { difference, type FilesystemOwners, filesystemOwners, podFiles } from '../../facts/node/filesystem-owners.js';
import { sameFilesystem } from '../../facts/node/node-layout.js';
import type { NodeThreshold } from '../../facts/node/node-thresholds.js';
import type { NodeSnapshot } from '../../facts/node/node-view.js';
import { addWhole } from '../../lib/base/maps.js';

/**
 * What one part of a filesystem is. Of pods: the components. `images`: used or not, ended containers and sandboxes too; the
 * list of images has other sizes, so how many of these bytes are unused is not known. `unattributed`: neither pods nor images;
 * below 0 where the runtime counts layers several times. `reserved`: what the filesystem keeps for root.
 */
export type DiskPartKind =
  'rootfs' | 'logs' | 'emptydir' | 'configmap' | 'other' | 'images' | 'unattributed' | 'reserved' | 'free';

export interface DiskPart {
  readonly kind: DiskPartKind;
  /** Absent where it is not known. */
  readonly bytes?: number | undefined;
}

/** What a filesystem of a node holds. The parts and `unknownBytes` add up to its capacity, to the byte. */
export interface DiskReport {
  readonly filesystem: SignalFilesystem;
  readonly capacityBytes?: number | undefined;
  readonly parts: readonly DiskPart[];
  /** What the parts that are not known hold together; absent when all are known, or the capacity is not. */
  readonly unknownBytes?: number | undefined;
  /** Hard eviction threshold, of several the highest; absent without one. */
  readonly thresholdBytes?: number | undefined;
  /** Free bytes above it; below 0 the kubelet evicts. */
  readonly headroomBytes?: number | undefined;
  /** A default of Kubernetes: the kubelet's configuration is not known. */
  readonly isAssumed?: boolean | undefined;
  /** The kubelet measures it no longer. */
  readonly isFrozen?: true | undefined;
}

/** Each filesystem once, in the order nodefs, imagefs, containerfs. Exact while all values together stay below 2^53. */
export function diskReports(snapshot: NodeSnapshot): readonly DiskReport[] {
  return filesystemOwners(snapshot).map((owners) => diskReport(owners, snapshot));
}

function diskReport(owners: FilesystemOwners, snapshot: NodeSnapshot): DiskReport {
  const { filesystem } = owners;
  const { capacityBytes } = snapshot.summary[filesystem] ?? {};
  const parts = [
    ...podParts(owners, snapshot),
    { kind: 'images' as const, bytes: owners.imagesUsedBytes },
    ...remainingParts(owners, snapshot),
  ].filter(({ kind, bytes }) => kind === 'free' || bytes !== 0);
  const isKnown = parts.every(({ bytes }) => bytes !== undefined);
  const knownBytes = parts.reduce((sum, { bytes = 0 }) => sum + bytes, 0);
  const threshold = diskThreshold(filesystem, snapshot);
  return {
    filesystem,
    capacityBytes,
    parts,
    unknownBytes: isKnown || capacityBytes === undefined ? undefined : capacityBytes - knownBytes,
    thresholdBytes: threshold?.threshold,
    headroomBytes: threshold?.headroom,
    isAssumed: threshold?.isAssumed,
    isFrozen: snapshot.frozen.filesystems.has(filesystem) || undefined,
  };
}

/** Writable layers are on one filesystem, all else of pods is on nodefs. */
function podParts({ filesystem, podsUsedBytes }: FilesystemOwners, snapshot: NodeSnapshot): readonly DiskPart[] {
  if (filesystem !== 'nodefs') return [{ kind: 'rootfs', bytes: podsUsedBytes }];
  const { rootfsBytes, totalBytes } = podFiles(snapshot);
  const otherBytes = difference(totalBytes, rootfsBytes);
  const named: Record<'logs' | 'emptydir' | 'configmap', number | undefined> = { logs: 0, emptydir: 0, configmap: 0 };
  for (const pod of snapshot.listedPods) {
    const { components } = snapshot.context.usageOf(pod);
    for (const kind of ['logs', 'emptydir', 'configmap'] as const)
      named[kind] = addWhole(named[kind], components[kind]);
  }
  const namedBytes = addWhole(addWhole(named.logs, named.emptydir), named.configmap);
  return [
    { kind: 'rootfs', bytes: difference(podsUsedBytes, otherBytes) },
    { kind: 'logs', bytes: named.logs },
    { kind: 'emptydir', bytes: named.emptydir },
    { kind: 'configmap', bytes: named.configmap },
    { kind: 'other', bytes: difference(otherBytes, namedBytes) },
  ];
}

/** Used bytes of imagefs and containerfs are those that are not free: what is reserved is part of them. */
function remainingParts(
  { filesystem, unattributedBytes: bytes }: FilesystemOwners,
  { summary }: NodeSnapshot,
): readonly DiskPart[] {
  const { capacityBytes, availableBytes, usedBytes } = summary[filesystem] ?? {};
  const reserved: readonly DiskPart[] =
    filesystem === 'nodefs'
      ? [{ kind: 'reserved', bytes: difference(difference(capacityBytes, usedBytes), availableBytes) }]
      : [];
  return [{ kind: 'unattributed', bytes }, ...reserved, { kind: 'free', bytes: availableBytes }];
}

/** Returns the highest hard one of all signals of the filesystem: where images are on nodefs, that of imagefs may be crossed first. */
export function diskThreshold(
  filesystem: SignalFilesystem,
  { thresholds, summary, layout }: NodeSnapshot,
): NodeThreshold | undefined {
  const isHere = (name: SignalFilesystem): boolean =>
    name === filesystem || placeOf(name, { summary, layout }) === filesystem;
  return thresholds
    .filter(({ signal, gracePeriodMs }) => gracePeriodMs === 0 && !countsInodes(signal) && isHere(filesystemOf(signal)))
    .toSorted((a, b) => (b.threshold ?? 0) - (a.threshold ?? 0))[0];
}

/** Where containerfs is imagefs, and that is nodefs, it is nodefs. */
function placeOf(
  name: SignalFilesystem,
  { summary, layout }: Pick<NodeSnapshot, 'summary' | 'layout'>,
): SignalFilesystem {
  const place = sameFilesystem(name, summary, layout);
  return place === undefined || place === name ? name : placeOf(place, { summary, layout });
}
