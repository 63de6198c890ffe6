import type { ContainerSummary, PodSummary, VolumeSummary } from '../../cluster/kubelet/summary.js';

/**
 * Whether two entries of one pod differ in nothing that its usage and its limits are derived from, apart from inodes, the
 * filesystems of its parts, and when all that was measured.
 */
export function haveSameSizes(a: PodSummary, b: PodSummary): boolean {
  return (
    a.usedBytes === b.usedBytes &&
    haveSameOthers(a, b) &&
    haveSame(a.containers, b.containers, isSameContainer) &&
    haveSame(a.volumes ?? [], b.volumes ?? [], isSameVolume)
  );
}

function haveSameOthers({ others: a }: PodSummary, { others: b }: PodSummary): boolean {
  return a?.containerCount === b?.containerCount && a?.volumeCount === b?.volumeCount;
}

function haveSame<T>(a: readonly T[], b: readonly T[], isSame: (a: T, b: T) => boolean): boolean {
  return a.length === b.length && a.every((item, index) => isSame(item, b[index] ?? item));
}

/** Whether a container has a root filesystem decides whether its logs count. */
function isSameContainer(a: ContainerSummary, b: ContainerSummary): boolean {
  const haveRootfs = (a.rootfs === undefined) === (b.rootfs === undefined);
  const haveSameFiles = a.rootfs?.usedBytes === b.rootfs?.usedBytes && a.logs?.usedBytes === b.logs?.usedBytes;
  return haveRootfs && haveSameFiles && a.name === b.name;
}

/** What a tmpfs can hold decides whether its limit binds; the size of a claim decides nothing. */
function isSameVolume(a: VolumeSummary, b: VolumeSummary): boolean {
  const haveSameCapacity = a.hasClaim || a.capacityBytes === b.capacityBytes;
  return a.usedBytes === b.usedBytes && a.name === b.name && a.hasClaim === b.hasClaim && haveSameCapacity;
}
