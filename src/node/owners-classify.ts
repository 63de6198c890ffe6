import { relative } from 'node:path';

import { largestFirst, Ranking } from '../base/ranking.js';
import type { KnownDiskUse, MeasuredDisk, OwnerBytes, OwnerPlace, OwnerPlaces } from './agent-disk.js';

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
  /** What the kubelet counted for images then. */
  readonly imagesBytes?: number | undefined;
}

export interface PlaceSize {
  /** Undefined where du could not measure all of it. */
  readonly usedBytes: number | undefined;
  /** When it was measured. */
  readonly monotonicMs: number;
}

export const snapshotKinds = ['layers_in_use', 'unused_layers', 'ended_containers', 'sandboxes'] as const;
const ownerKinds = ['image_copies', 'orphaned_pods', 'logs', 'runtime_volumes'] as const;

interface DiskContext extends Pick<KnownDiskUse, 'imagesBytes' | 'unattributedBytes'> {
  /** Where the root filesystem of the host is mounted. */
  readonly hostRoot: string;
  readonly monotonicMs: number;
}

/** Containers with small layers start and end all the time. */
const littleBytes = 2 ** 25;

/** Whether images have come or gone since the places were listed, by what the kubelet counts for them now. */
export function isOutdated({ imagesBytes = NaN }: Pick<ListedPlaces, 'imagesBytes'>, nowBytes?: number): boolean {
  return nowBytes !== undefined && !(Math.abs(nowBytes - imagesBytes) <= littleBytes);
}

/**
 * Adds up the sizes of the places by their owners; those of which a place is not measured are missing, and all that depends on
 * snapshots once their list is outdated. What the kubelet counts for images has snapshots only, so that all that is not a snapshot is
 * among the unattributed bytes.
 */
export function diskOwners(
  listing: ListedPlaces,
  sizes: ReadonlyMap<string, PlaceSize>,
  context: DiskContext,
): MeasuredDisk {
  const { places, imagesBytes = NaN } = listing;
  const outdatedKinds = isOutdated(listing, context.imagesBytes) ? snapshotKinds : [];
  const unlisted = new Set<DiskPlaceKind>([...listing.unlisted, ...outdatedKinds]);
  const sums = new Map([...snapshotKinds, ...ownerKinds].map((kind) => [kind, new KindSum(context.hostRoot)]));
  let oldestMs = Infinity;
  for (const { kind, path } of places) {
    const { usedBytes = NaN, monotonicMs = Infinity } = sizes.get(path) ?? {};
    sums.get(kind)?.add(path, usedBytes);
    oldestMs = Math.min(oldestMs, monotonicMs);
  }
  const bytesOf = (kind: DiskPlaceKind): number => (unlisted.has(kind) ? NaN : (sums.get(kind)?.usedBytes ?? NaN));
  const owners = ownerKinds.map((owner) => ({ owner, usedBytes: bytesOf(owner), places: sums.get(owner)?.places() }));
  const snapshotsBytes = snapshotKinds.reduce((sum, kind) => sum + bytesOf(kind), 0);
  const unusedBytes = bytesOf('unused_layers');
  return {
    owners: withRest(owners, snapshotsBytes - imagesBytes, context).filter(({ usedBytes }) => !Number.isNaN(usedBytes)),
    unusedLayersBytes: Number.isNaN(unusedBytes) ? undefined : unusedBytes,
    ageMs: oldestMs === Infinity ? undefined : context.monotonicMs - oldestMs,
  };
}

const largestCount = 3;

/** The places of a kind; NaN once one is not measured. */
class KindSum {
  readonly #hostRoot: string;
  readonly #largest = new Ranking<OwnerPlace>(
    largestCount,
    largestFirst(
      ({ usedBytes }) => usedBytes,
      ({ path }) => [path],
    ),
  );
  usedBytes = 0;

  constructor(hostRoot: string) {
    this.#hostRoot = hostRoot;
  }

  add(path: string, usedBytes: number): void {
    this.usedBytes += usedBytes;
    this.#largest.add({ path, usedBytes });
  }

  places(): OwnerPlaces {
    const onHost = (path: string): string => `/${relative(this.#hostRoot, path)}`;
    const largest = this.#largest.top().map(({ path, usedBytes }) => ({ path: onHost(path), usedBytes }));
    return { count: this.#largest.addedCount, largest };
  }
}

/**
 * Adds what only the kubelet's values show; NaN stands for what is unknown. The kubelet counts the snapshots that containerd knows:
 * what is on the disk beyond them is orphaned, although the directories do not show which. The rest is never below 0, as what du
 * has measured may be gone since.
 */
function withRest(
  owners: readonly OwnerBytes[],
  forgottenBytes: number,
  { unattributedBytes = NaN }: DiskContext,
): readonly OwnerBytes[] {
  const found = [...owners, { owner: 'orphaned_snapshots' as const, usedBytes: Math.max(0, forgottenBytes) }];
  const foundBytes = found.reduce((sum, { usedBytes }) => sum + usedBytes, 0);
  return [...found, { owner: 'other', usedBytes: Math.max(0, unattributedBytes - foundBytes) }];
}
