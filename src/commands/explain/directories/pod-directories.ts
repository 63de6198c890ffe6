/** A directory with all that is in it, or a file. */
export interface WalkEntry {
  /** Absolute, in the container. */
  readonly path: string;
  readonly bytes: number;
  readonly isDirectory: boolean;
}

/** What was found below one directory. */
export interface Walk {
  /** `unreadable`: some of it could not be read, or was deleted meanwhile. `timeout`: not all of it was found, as the time was up. */
  readonly state: 'complete' | 'unreadable' | 'timeout';
  /** Unless it is complete, there is at least as much. */
  readonly bytes: number;
  readonly fileCount: number;
  /** Directories and files that are not in the sum: those whose names have a line feed, above all, or that could not be read. */
  readonly skippedCount: number;
  /** The largest ones; directories without those that hold little more than one other entry. */
  readonly entries: readonly WalkEntry[];
}

/** The writable layer of a container, or an emptyDir. */
export interface PartReport extends Omit<Walk, 'entries'> {
  /** In which it was listed. */
  readonly container: string;
  /** Absent for the writable layer. */
  readonly volume?: string | undefined;
}

export interface EntryReport extends Pick<PartReport, 'container' | 'volume'>, WalkEntry {}

/** Why a container was not listed, and what to do about it. */
interface ListingProblem {
  readonly container: string;
  readonly text: string;
  readonly commands: readonly string[];
}

/** What was listed in a container, or why it was not. */
export interface ContainerListing {
  readonly container: string;
  /** By the volume; undefined for the writable layer. */
  readonly walks: ReadonlyMap<string | undefined, Walk>;
  readonly problem?: ListingProblem | undefined;
}

/** What was found in a pod. Its logs are outside of its containers. */
export interface PodDirectories {
  readonly namespace: string;
  readonly pod: string;
  readonly node?: string | undefined;
  readonly bytes: number;
  readonly parts: readonly PartReport[];
  /** The largest first. */
  readonly largest: readonly EntryReport[];
  readonly problems: readonly ListingProblem[];
}

export function podDirectories(
  { namespace, pod, node }: Pick<PodDirectories, 'namespace' | 'pod' | 'node'>,
  listings: readonly ContainerListing[],
): PodDirectories {
  const found = listings.flatMap(({ container, walks }) =>
    Array.from(walks, ([volume, { entries, ...sums }]) => {
      const place = { container, ...(volume !== undefined && { volume }) };
      return { part: { ...place, ...sums }, entries: entries.map((entry) => ({ ...place, ...entry })) };
    }),
  );
  return {
    ...{ namespace, pod, node },
    bytes: found.reduce((sum, { part }) => sum + part.bytes, 0),
    parts: found.map(({ part }) => part),
    largest: found.flatMap(({ entries }) => entries).toSorted((a, b) => b.bytes - a.bytes),
    problems: listings.flatMap(({ problem }) => problem ?? []),
  };
}

/** Returns whether anything was listed: a walk that has ended before it found anything has listed nothing. */
export function hasFound({ parts }: Pick<PodDirectories, 'parts'>): boolean {
  return parts.some(({ state, bytes }) => state === 'complete' || bytes > 0);
}

/** A directory that holds little more than one other entry says nothing that the entry does not say. */
const almostAll = 0.95;

/** The largest first, without such directories. `entries`: few of them, as each is compared with all. */
export function tellingEntries(entries: readonly WalkEntry[]): readonly WalkEntry[] {
  const isRepeated = ({ path, bytes, isDirectory }: WalkEntry): boolean =>
    isDirectory && entries.some((other) => other.path.startsWith(`${path}/`) && other.bytes >= almostAll * bytes);
  return entries.filter((entry) => entry.bytes > 0 && !isRepeated(entry)).toSorted((a, b) => b.bytes - a.bytes);
}
