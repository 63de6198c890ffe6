import { largestFirst } from '../../../lib/base/ranking.js';

/** What a place on the disk of a node is for; `other`: used bytes that are no place's. */
export const ownerNames = {
  pods: 'volumes and logs of pods',
  running_containers: 'writable layers of running containers',
  images_in_use: 'layers of images in use',
  unused_layers: 'layers of images that no container uses',
  ended_containers: 'writable layers of ended containers',
  image_copies: 'compressed copies of images',
  orphaned_pods: 'directories of pods that are gone',
  runtime_volumes: 'VOLUME data of images',
  logs: 'logs of the system, and of pods that are gone',
  other: 'all else',
} as const;
type DiskOwner = keyof typeof ownerNames;

interface DiskPlace {
  readonly path: string;
  readonly usedBytes: number;
}

interface OwnedBytes {
  readonly owner: DiskOwner;
  readonly usedBytes: number;
  readonly placeCount: number;
  /** The largest first. */
  readonly largest: readonly DiskPlace[];
}

/** What is on the disk of a node, by owner. */
export interface NodeDirectories {
  readonly node: string;
  /** The largest first, `other` last. */
  readonly owners: readonly OwnedBytes[];
  /** Paths that could not be measured as a whole: their owners have at least as much. */
  readonly unreadable: readonly string[];
  /** False when the list ended early: owners are missing, or have more. */
  readonly isComplete: boolean;
}

const largestCount = 3;
const kibibyte = 1024;

/** Reads what the script has written; what it does not understand is left out. */
export function nodeDirectories(node: string, text: string): NodeDirectories {
  const lines = text.split('\n');
  const filesystems = new Map(lines.flatMap((line) => filesystemOf(line)));
  const places = lines.flatMap((line) => placeOf(line));
  const isComplete = lines.includes('end');
  const owned = (Object.keys(ownerNames) as DiskOwner[]).flatMap((owner): readonly OwnedBytes[] => {
    const found = places.filter((place) => place.owner === owner);
    return found.length === 0 ? [] : [ownedBytes(owner, found)];
  });
  const usedBytes = [...filesystems.values()].reduce((sum, bytes) => sum + bytes, 0);
  const foundBytes = places.reduce((sum, place) => sum + (filesystems.has(place.device) ? place.usedBytes : 0), 0);
  // Before the end, what is not measured yet would be other.
  const other: OwnedBytes = {
    owner: 'other',
    usedBytes: Math.max(0, usedBytes - foundBytes),
    placeCount: 0,
    largest: [],
  };
  const unreadable = lines.flatMap((line) => (line.startsWith('x /') ? [line.slice(2)] : []));
  return {
    node,
    owners: [...owned.sort(bySize), ...(isComplete && filesystems.size > 0 ? [other] : [])],
    unreadable,
    isComplete,
  };
}

const bySize = largestFirst<OwnedBytes>(
  ({ usedBytes }) => usedBytes,
  ({ owner }) => [owner],
);
const placesBySize = largestFirst<DiskPlace>(
  ({ usedBytes }) => usedBytes,
  ({ path }) => [path],
);

function ownedBytes(owner: DiskOwner, places: readonly DiskPlace[]): OwnedBytes {
  const usedBytes = places.reduce((sum, place) => sum + place.usedBytes, 0);
  const largest = places.map(({ path, usedBytes: bytes }) => ({ path, usedBytes: bytes })).sort(placesBySize);
  return { owner, usedBytes, placeCount: places.length, largest: largest.slice(0, largestCount) };
}

function filesystemOf(line: string): readonly (readonly [device: string, usedBytes: number])[] {
  const { device, kib } = /^f (?<device>\d{1,20}) (?<kib>\d{1,15})$/.exec(line)?.groups ?? {};
  return device === undefined ? [] : [[device, Number(kib) * kibibyte]];
}

function placeOf(line: string): readonly (DiskPlace & { readonly owner: string; readonly device: string })[] {
  const form = /^p (?<owner>[a-z_]{1,30}) (?<device>\d{1,20}) (?<kib>\d{1,15}) (?<path>\/.*)$/;
  const { owner = '', device = '', kib, path } = form.exec(line)?.groups ?? {};
  return path === undefined ? [] : [{ owner, device, path, usedBytes: Number(kib) * kibibyte }];
}
