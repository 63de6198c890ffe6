import { filesystemOwners } from './filesystem-owners.js';
import type { NodeView } from './node-view.js';

/** Whose bytes `node_unattributed_bytes` are. */
export type UnattributedOwner =
  'image_copies' | 'orphaned_pods' | 'orphaned_snapshots' | 'logs' | 'runtime_volumes' | 'other';

export interface OwnerBytes {
  readonly owner: UnattributedOwner;
  readonly usedBytes: number;
  /** Absent where only values of the kubelet show it. */
  readonly places?: OwnerPlaces | undefined;
}

/** Directories and files that are an owner's. */
export interface OwnerPlaces {
  readonly count: number;
  /** The largest first. */
  readonly largest: readonly OwnerPlace[];
}

export interface OwnerPlace {
  /** On the host. */
  readonly path: string;
  readonly usedBytes: number;
}

/** What du has measured so far. */
export interface MeasuredDisk {
  /** Those that are unknown are missing. */
  readonly owners: readonly OwnerBytes[];
  /** Layers of images that no mount names; undefined until all of them are measured. */
  readonly unusedLayersBytes: number | undefined;
  /** Of the oldest measurement; undefined without one. */
  readonly ageMs: number | undefined;
}

export const unmeasuredDisk: MeasuredDisk = { owners: [], unusedLayersBytes: undefined, ageMs: undefined };

export interface NodeDiskOwners extends MeasuredDisk {
  readonly nodeName: string;
}

/** What the API server and the kubelet know of a node's disk; undefined where it is not known. */
export interface KnownDiskUse {
  readonly nodeName: string;
  /** All pods of the node, by the UIDs of the kubelet. */
  readonly knownPodUids: ReadonlySet<string> | undefined;
  /** Pods of the summary: their logs are theirs. */
  readonly measuredPodUids: ReadonlySet<string> | undefined;
  /** `node_images_used_bytes` of all filesystems. */
  readonly imagesBytes: number | undefined;
  /** `node_unattributed_bytes` of all filesystems. */
  readonly unattributedBytes: number | undefined;
}

export function knownDiskUse(view: NodeView): KnownDiskUse {
  const { nodeName } = view;
  if (view.state === 'absent') {
    const unknown = undefined;
    return {
      nodeName,
      knownPodUids: unknown,
      measuredPodUids: unknown,
      imagesBytes: unknown,
      unattributedBytes: unknown,
    };
  }
  const { objects, snapshot } = view;
  const measuredPodUids = new Set(snapshot.summary.pods.map(({ uid }) => uid));
  const areAllRead = objects.runningPodCount !== undefined;
  const owners = filesystemOwners(snapshot);
  return {
    nodeName,
    // A static pod may have no object.
    knownPodUids: areAllRead
      ? new Set([...measuredPodUids, ...snapshot.podsOnNode.map(({ kubeletUid }) => kubeletUid)])
      : undefined,
    measuredPodUids,
    imagesBytes: sumOrUnknown(owners.map(({ imagesUsedBytes }) => imagesUsedBytes)),
    unattributedBytes: sumOrUnknown(owners.map(({ unattributedBytes }) => unattributedBytes)),
  };
}

function sumOrUnknown(values: readonly (number | undefined)[]): number | undefined {
  if (values.length === 0) return undefined;
  return values.reduce((sum, value) => (sum === undefined || value === undefined ? undefined : sum + value), 0);
}
