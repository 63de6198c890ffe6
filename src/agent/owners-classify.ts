import type { KnownDiskUse, OwnerBytes } from '../node/agent-disk.js';

/** What a directory on the disk of a node is for. */
export type DiskPlaceKind =
  | 'image_copies'
  /** Layers of images from which some container runs. */
  | 'layers_in_use'
  /** Layers that no mount names and that never were a container's. */
  | 'unused_layers'
  /** Writable layers that no mount names. */
  | 'ended_containers'
  /** Writable layers of sandboxes, and of containers that are not those of pods. */
  | 'sandboxes'
  | 'orphaned_pods'
  | 'logs'
  | 'runtime_volumes';

export interface DiskPlace {
  readonly kind: DiskPlaceKind;
  /** As the exporter reads it. */
  readonly path: string;
}

export interface ListedPlaces {
  readonly places: readonly DiskPlace[];
  /** Kinds of which not all places could be found: their owners are unknown. */
  readonly unlisted: ReadonlySet<DiskPlaceKind>;
}

export interface PlaceSize {
  /** Undefined where du could not measure all of it. */
  readonly usedBytes: number | undefined;
}

export const snapshotKinds = ['layers_in_use', 'unused_layers', 'ended_containers', 'sandboxes'] as const;
const ownerKinds = ['image_copies', 'orphaned_pods', 'logs', 'runtime_volumes'] as const;

/**
 * Adds up the sizes of the places by their owners; those of which a place is not measured are missing. What the kubelet counts for
 * images has snapshots only, so that all that is not a snapshot is among the unattributed bytes.
 */
export function diskOwners(
  { places, unlisted }: ListedPlaces,
  sizes: ReadonlyMap<string, PlaceSize>,
  usage: Pick<KnownDiskUse, 'imagesBytes' | 'unattributedBytes'>,
): readonly OwnerBytes[] {
  const sums = new Map<DiskPlaceKind, number>([...snapshotKinds, ...ownerKinds].map((kind) => [kind, 0]));
  for (const { kind, path } of places) sums.set(kind, (sums.get(kind) ?? 0) + (sizes.get(path)?.usedBytes ?? NaN));
  const bytesOf = (kind: DiskPlaceKind): number => (unlisted.has(kind) ? NaN : (sums.get(kind) ?? 0));
  const owners = ownerKinds.map((owner) => ({ owner, usedBytes: bytesOf(owner) }));
  const snapshotsBytes = snapshotKinds.reduce((sum, kind) => sum + bytesOf(kind), 0);
  return withRest(owners, snapshotsBytes, usage).filter(({ usedBytes }) => !Number.isNaN(usedBytes));
}

/**
 * Adds what only the kubelet's values show; NaN stands for what is unknown. The kubelet counts the snapshots that containerd knows:
 * what is on the disk beyond them is orphaned, although the directories do not show which. The rest is never below 0, as what du
 * has measured may be gone since.
 */
function withRest(
  owners: readonly OwnerBytes[],
  snapshotsBytes: number,
  { imagesBytes = NaN, unattributedBytes = NaN }: Parameters<typeof diskOwners>[2],
): readonly OwnerBytes[] {
  const orphanedBytes = Math.max(0, snapshotsBytes - imagesBytes);
  const found = [...owners, { owner: 'orphaned_snapshots' as const, usedBytes: orphanedBytes }];
  const foundBytes = found.reduce((sum, { usedBytes }) => sum + usedBytes, 0);
  return [...found, { owner: 'other', usedBytes: Math.max(0, unattributedBytes - foundBytes) }];
}
