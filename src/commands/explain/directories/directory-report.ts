import type { MeasuredPodWithOutlook } from '../../../query/pod-outlook.js';
import type { PodContainers, VolumeMount } from './container-mounts.js';
import type { Walk, WalkEntry } from './walk-output.js';

/** The pod in the summary of its node. */
export type SummarizedPod = Pick<
  MeasuredPodWithOutlook,
  'components' | 'containers' | 'volumes' | 'usedBytes' | 'dataAgeMs'
>;

/** What was listed in a container, or why it was not. */
export interface ContainerListing {
  readonly container: string;
  readonly rootfs?: Walk | undefined;
  readonly emptyDirs: readonly { readonly mount: VolumeMount; readonly walk: Walk }[];
  readonly problem?: ListingProblem | undefined;
}

/** Why something was not listed, and what to do about it. */
interface ListingProblem {
  readonly container: string;
  readonly text: string;
  readonly commands: readonly string[];
}

interface PartPlace {
  /** `other`: what the kubelet writes for the pod, and configMaps. */
  readonly part: 'rootfs' | 'logs' | 'emptydir' | 'other';
  /** Of an emptyDir: in which it was listed. */
  readonly container?: string | undefined;
  readonly volume?: string | undefined;
}

/** A part of a pod's ephemeral storage, as it was found and as the summary has it. */
export interface PartReport extends PartPlace, Partial<Pick<Walk, 'state' | 'fileCount' | 'skippedCount'>> {
  readonly foundBytes?: number | undefined;
  readonly summaryBytes?: number | undefined;
  /** What was found beyond the summary; below 0 when less was found. */
  readonly differenceBytes?: number | undefined;
  /** Share of all parts. */
  readonly ratio?: number | undefined;
}

/** A directory or a file. */
export interface EntryReport extends PartPlace, WalkEntry {
  /** Share of all parts. */
  readonly ratio: number | undefined;
}

export interface PodDirectories {
  readonly namespace: string;
  readonly pod: string;
  readonly node: string | undefined;
  /** Of all parts: as found, or as the summary has it. */
  readonly usedBytes: number;
  /** Absent without a summary, and where not all containers were asked for. */
  readonly summaryBytes?: number | undefined;
  readonly summaryAgeMs?: number | undefined;
  readonly differenceBytes?: number | undefined;
  readonly parts: readonly PartReport[];
  /** The largest first. */
  readonly largest: readonly EntryReport[];
  readonly problems: readonly ListingProblem[];
}

export interface PodListing {
  readonly pod: PodContainers;
  readonly listings: readonly ContainerListing[];
  /** EmptyDirs that were asked for. */
  readonly volumes: readonly string[];
  /** All containers of the pod were asked for. */
  readonly isWhole: boolean;
}

/** Puts what was found beside the summary. */
export function podDirectories(listed: PodListing, summary: SummarizedPod | undefined): PodDirectories {
  const { pod, listings, volumes, isWhole } = listed;
  const parts = [
    ...listings.flatMap((listing) => containerParts(listing, summary)),
    ...volumes.map((volume) => volumePart(volume, listings, summary)),
    ...(isWhole ? otherParts(summary) : []),
  ];
  const usedBytes = parts.reduce((sum, part) => sum + (bytesOf(part) ?? 0), 0);
  const ratioOf = (bytes: number | undefined): number | undefined =>
    bytes === undefined || usedBytes === 0 ? undefined : bytes / usedBytes;
  const summaryBytes = isWhole ? summary?.usedBytes : undefined;
  return {
    namespace: pod.namespace,
    pod: pod.name,
    node: pod.node,
    usedBytes,
    summaryBytes,
    summaryAgeMs: summary?.dataAgeMs,
    differenceBytes: summaryBytes === undefined ? undefined : usedBytes - summaryBytes,
    parts: parts.map((part) => ({ ...part, ratio: ratioOf(bytesOf(part)) })),
    largest: listings
      .flatMap(entriesOf)
      .map((entry) => ({ ...entry, ratio: ratioOf(entry.bytes) }))
      .toSorted((a, b) => b.bytes - a.bytes),
    problems: listings.flatMap(({ problem }) => problem ?? []),
  };
}

/** As found; of what was listed in part, what is known at least. */
function bytesOf({ foundBytes, summaryBytes, state }: PartReport): number | undefined {
  if (foundBytes === undefined || state === 'complete') return foundBytes ?? summaryBytes;
  return Math.max(foundBytes, summaryBytes ?? 0);
}

function containerParts(
  { container, rootfs }: ContainerListing,
  summary: SummarizedPod | undefined,
): readonly PartReport[] {
  const own = summary?.containers.find((one) => one.container === container);
  const logs = own === undefined ? [] : [{ part: 'logs' as const, container, summaryBytes: own.logsBytes }];
  return [partOf({ part: 'rootfs', container }, rootfs, own?.rootfsBytes), ...logs];
}

function volumePart(
  volume: string,
  listings: readonly ContainerListing[],
  summary: SummarizedPod | undefined,
): PartReport {
  const summaryBytes = summary?.volumes.find((one) => one.volume === volume)?.usedBytes;
  for (const { container, emptyDirs } of listings) {
    const found = emptyDirs.find(({ mount }) => mount.volume === volume);
    if (found !== undefined) return partOf({ part: 'emptydir', container, volume }, found.walk, summaryBytes);
  }
  return partOf({ part: 'emptydir', volume }, undefined, summaryBytes);
}

function otherParts(summary: SummarizedPod | undefined): readonly PartReport[] {
  if (summary === undefined) return [];
  const { configmap, other } = summary.components;
  return [{ part: 'other', summaryBytes: configmap + other }];
}

function partOf(place: PartPlace, walk: Walk | undefined, summaryBytes: number | undefined): PartReport {
  if (walk === undefined) return { ...place, summaryBytes };
  const { bytes, state, fileCount, skippedCount } = walk;
  const differenceBytes = summaryBytes === undefined ? undefined : bytes - summaryBytes;
  return { ...place, foundBytes: bytes, summaryBytes, differenceBytes, state, fileCount, skippedCount };
}

/** The mount of an emptyDir itself is a part already. */
function entriesOf({ container, rootfs, emptyDirs }: ContainerListing): readonly (PartPlace & WalkEntry)[] {
  const inRootfs = (rootfs?.entries ?? []).map((entry) => ({ part: 'rootfs' as const, container, ...entry }));
  const inVolumes = emptyDirs.flatMap(({ mount: { volume, path }, walk }) =>
    walk.entries
      .filter((entry) => entry.path !== path)
      .map((entry) => ({ part: 'emptydir' as const, container, volume, ...entry })),
  );
  return [...inRootfs, ...inVolumes];
}
