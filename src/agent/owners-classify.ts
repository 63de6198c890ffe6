import { leastKnown } from '../base/maps.js';

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
  /** Undefined where du could not measure it. */
  readonly usedBytes: number | undefined;
  /** Not all of it could be read. */
  readonly isPartial: boolean;
  /** Unix time in milliseconds. */
  readonly measuredAtMs: number;
}

/** Those of `node_unattributed_owner_bytes`. */
type UnattributedOwner = 'image_copies' | 'orphaned_pods' | 'orphaned_snapshots' | 'logs' | 'runtime_volumes' | 'other';

interface OwnerBytes<Owner extends string> {
  readonly owner: Owner;
  readonly usedBytes: number;
}

/**
 * Whose bytes the disks of a node hold, apart from its pods. What the kubelet counts for images has snapshots only, so that
 * layers of ended containers are among `images`, and all that is not a snapshot is among `unattributed`.
 */
export interface DiskOwners {
  /** Adds up to the unattributed bytes once it has `other`: when all is measured and the kubelet's values are known. */
  readonly unattributed: readonly OwnerBytes<UnattributedOwner>[];
  /** A snapshot that containerd has forgotten is among unused layers or ended containers here too. */
  readonly images: readonly OwnerBytes<'layers_in_use' | 'unused_layers' | 'ended_containers' | 'sandboxes'>[];
  /** The most that `crictl rmi --prune` can free; layers and blobs that another image needs stay. Undefined where unknown. */
  readonly prunable: { readonly layersBytes: number | undefined; readonly copiesBytes: number | undefined };
  /** Unix time in milliseconds of the oldest measurement; undefined before the first. */
  readonly measuredAtMs: number | undefined;
  readonly unmeasuredCount: number;
  /** All places were found and measured as a whole. */
  readonly isComplete: boolean;
}

/** Values of the kubelet for all filesystems of the node; undefined where they are not known. */
export interface KubeletDiskUsage {
  /** `node_images_used_bytes` */
  readonly imagesBytes: number | undefined;
  /** `node_unattributed_bytes` */
  readonly unattributedBytes: number | undefined;
  /** `node_images_unused_bytes` of a runtime that reports compressed sizes. */
  readonly unusedImagesBytes: number | undefined;
}

export const snapshotKinds = ['layers_in_use', 'unused_layers', 'ended_containers', 'sandboxes'] as const;
const otherKinds = ['image_copies', 'orphaned_pods', 'logs', 'runtime_volumes'] as const;

/** Adds up the sizes of the places by their owners. */
export function diskOwners(
  { places, unlisted }: ListedPlaces,
  sizes: ReadonlyMap<string, PlaceSize>,
  usage: KubeletDiskUsage,
): DiskOwners {
  const { sums, measuredAtMs, unmeasuredCount, partialCount } = sumsOf(places, sizes);
  const rowsOf = <Owner extends DiskPlaceKind>(owners: readonly Owner[]): OwnerBytes<Owner>[] =>
    owners.filter((owner) => !unlisted.has(owner)).map((owner) => ({ owner, usedBytes: sums.get(owner) ?? 0 }));
  const [images, others] = [rowsOf(snapshotKinds), rowsOf(otherKinds)];
  const isComplete = unmeasuredCount + partialCount + unlisted.size === 0;
  return {
    unattributed: isComplete ? withRest(others, sumOf(images), usage) : others,
    images,
    prunable: {
      layersBytes: bytesOf('unused_layers', images),
      copiesBytes: usage.unusedImagesBytes && leastKnown(usage.unusedImagesBytes, bytesOf('image_copies', others)),
    },
    measuredAtMs,
    unmeasuredCount,
    isComplete,
  };
}

interface PlaceSums {
  readonly sums: ReadonlyMap<DiskPlaceKind, number>;
  readonly measuredAtMs: number | undefined;
  readonly unmeasuredCount: number;
  readonly partialCount: number;
}

function sumsOf(places: readonly DiskPlace[], sizes: ReadonlyMap<string, PlaceSize>): PlaceSums {
  const sums = new Map<DiskPlaceKind, number>();
  let measuredAtMs: number | undefined;
  let [unmeasuredCount, partialCount] = [0, 0];
  for (const { kind, path } of places) {
    const size = sizes.get(path);
    if (size?.usedBytes === undefined) unmeasuredCount += 1;
    else {
      sums.set(kind, (sums.get(kind) ?? 0) + size.usedBytes);
      measuredAtMs = leastKnown(measuredAtMs, size.measuredAtMs);
      if (size.isPartial) partialCount += 1;
    }
  }
  return { sums, measuredAtMs, unmeasuredCount, partialCount };
}

/**
 * Adds what only the kubelet's values show. It counts the snapshots that containerd knows: what is on the disk beyond them is
 * orphaned, although the directories do not show which.
 */
function withRest(
  rows: readonly OwnerBytes<UnattributedOwner>[],
  snapshotsBytes: number,
  { imagesBytes, unattributedBytes }: KubeletDiskUsage,
): readonly OwnerBytes<UnattributedOwner>[] {
  if (imagesBytes === undefined) return rows;
  const orphanedBytes = Math.max(0, snapshotsBytes - imagesBytes);
  const known = [...rows, { owner: 'orphaned_snapshots' as const, usedBytes: orphanedBytes }];
  if (unattributedBytes === undefined) return known;
  return [...known, { owner: 'other', usedBytes: unattributedBytes - sumOf(known) }];
}

function bytesOf<Owner extends string>(wanted: Owner, rows: readonly OwnerBytes<Owner>[]): number | undefined {
  return rows.find(({ owner }) => owner === wanted)?.usedBytes;
}

function sumOf(rows: readonly OwnerBytes<string>[]): number {
  return rows.reduce((sum, { usedBytes }) => sum + usedBytes, 0);
}
