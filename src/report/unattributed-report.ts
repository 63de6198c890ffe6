import { largestFirst } from '../base/ranking.js';
import type { SignalFilesystem } from '../kubelet/eviction-signals.js';
import type { MeasuredDisk, OwnerBytes, UnattributedOwner } from '../node/agent-disk.js';
import { maybeUnusedBytes } from '../node/node-images.js';
import type { NodeLayout } from '../node/node-layout.js';
import type { NodeSnapshot } from '../node/node-view.js';

/** Whose bytes the unattributed ones of a node are, as its agent has measured them. */
export interface UnattributedReport {
  /** Since the oldest of the measurements. */
  readonly ageMs: number;
  /**
   * The largest first, `other` last: as `node_unattributed_owner_bytes`, for all filesystems of the node. Without those that are not
   * measured.
   */
  readonly owners: readonly OwnerBytes[];
  /** Absent while the layers of images are not all measured. */
  readonly prune?: PruneReport | undefined;
}

/**
 * What `crictl rmi --prune` frees at most: a layer that no mount names may be that of an image that an ended container uses, or be forgotten by containerd.
 * Layers that an image in use shares are mounted, and not counted.
 */
export interface PruneReport {
  /** Layers that no running container has mounted, as they are unpacked on the disk. */
  readonly layersBytes: number;
  /** The compressed copies of images that may be unused; absent where it is not known which ones they are. */
  readonly copiesBytes?: number | undefined;
}

/** `unmeasured`: what is not measured, with all else. */
export type PartOwnerKind = UnattributedOwner | 'unmeasured';

/** A part of the unattributed bytes of a filesystem. */
export interface PartOwner {
  readonly owner: PartOwnerKind;
  /** Below 0 for the rest where more is measured than is there now. */
  readonly bytes: number;
}

/** Undefined without a measurement. */
export function unattributedReport(
  disk: MeasuredDisk | undefined,
  snapshot: Pick<NodeSnapshot, 'images' | 'node' | 'podsOnNode'>,
): UnattributedReport | undefined {
  if (disk?.ageMs === undefined || disk.owners.length === 0) return undefined;
  const isRest = ({ owner }: OwnerBytes): boolean => owner === 'other';
  const named = disk.owners.filter((owner) => !isRest(owner)).sort(byBytes);
  const owners = [...named, ...disk.owners.filter(isRest)];
  return { ageMs: disk.ageMs, owners, prune: pruneReport(disk, snapshot) };
}

const byBytes = largestFirst<OwnerBytes>(
  ({ usedBytes }) => usedBytes,
  ({ owner }) => [owner],
);

function pruneReport(
  { unusedLayersBytes: layersBytes, owners }: MeasuredDisk,
  { images, node, podsOnNode }: Parameters<typeof unattributedReport>[1],
): PruneReport | undefined {
  if (layersBytes === undefined) return undefined;
  const allCopiesBytes = owners.find(({ owner }) => owner === 'image_copies')?.usedBytes;
  const areListed = images?.sizes === 'compressed' && !images.isCut && images.unusedBytes !== undefined;
  if (!areListed || allCopiesBytes === undefined) return { layersBytes };
  return { layersBytes, copiesBytes: Math.min(allCopiesBytes, maybeUnusedBytes(node.images, podsOnNode)) };
}

/** Where an owner's places are: all that is containerd's is beside its snapshots. */
const isOfRuntime: Readonly<Record<Exclude<UnattributedOwner, 'other'>, boolean>> = {
  image_copies: true,
  orphaned_snapshots: true,
  runtime_volumes: true,
  orphaned_pods: false,
  logs: false,
};

/**
 * Splits the unattributed bytes of a filesystem by their owners, the largest first, and the rest: they add up to `bytes`. Undefined
 * while no owner is measured that has its places there.
 */
export function partOwners(
  bytes: number,
  filesystem: SignalFilesystem,
  { disk, layout }: { readonly disk: MeasuredDisk | undefined; readonly layout: NodeLayout },
): readonly PartOwner[] | undefined {
  if (disk?.ageMs === undefined) return undefined;
  const ofRuntime = layout.hasDedicatedImagefs === true ? 'imagefs' : 'nodefs';
  const isHere = (owner: keyof typeof isOfRuntime): boolean =>
    (isOfRuntime[owner] ? ofRuntime : 'nodefs') === filesystem;
  const known = disk.owners.filter(({ owner }) => owner !== 'other' && isHere(owner)).sort(byBytes);
  if (known.length === 0) return undefined;
  const expectedCount = Object.keys(isOfRuntime).filter((owner) => isHere(owner as keyof typeof isOfRuntime)).length;
  const restBytes = known.reduce((rest, { usedBytes }) => rest - usedBytes, bytes);
  const rest = { owner: known.length === expectedCount ? 'other' : 'unmeasured', bytes: restBytes } as const;
  return [...known.map(({ owner, usedBytes }) => ({ owner, bytes: usedBytes })), rest].filter(
    (part) => part.bytes !== 0,
  );
}
