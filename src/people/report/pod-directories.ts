import { addWhole } from '../../lib/base/maps.js';
import type { MeasuredPodReport } from './pod-report.js';
import type { VolumeReport } from './volume-report.js';

/** A directory with all that is in it, or a file. */
export interface WalkEntry {
  /** Absolute, in the container. */
  readonly path: string;
  readonly bytes: number;
  readonly isDirectory: boolean;
}

/** `unreadable`: some of it could not be read, or was deleted meanwhile. `timeout`: not all of it was found, as the time was up. */
type WalkState = 'complete' | 'unreadable' | 'timeout';

/** What was found below one directory. */
export interface Walk {
  readonly state: WalkState;
  /** Unless it is complete, there is at least as much. */
  readonly bytes: number;
  readonly fileCount: number;
  /** Directories and files that are not in the sum: those whose names have a line feed, above all, or that could not be read. */
  readonly skippedCount: number;
  /** The largest ones; directories without those that hold little more than one other entry. */
  readonly entries: readonly WalkEntry[];
}

interface PartPlace {
  /** `other`: what the kubelet writes for the pod, and configMaps. */
  readonly part: 'rootfs' | 'logs' | 'emptydir' | 'other';
  /** Of an emptyDir: in which it was listed. */
  readonly container?: string | undefined;
  readonly volume?: string | undefined;
}

/** A part of a pod's ephemeral storage, as it was found and as the summary has it. */
export interface PartReport extends PartPlace, Partial<Pick<Walk, 'fileCount' | 'skippedCount'>> {
  /** `unmeasured`: nothing of it was found. Absent for `other`, which is the summary's. */
  readonly state?: WalkState | 'unmeasured' | undefined;
  /** Absent where it is unmeasured. */
  readonly foundBytes?: number | undefined;
  readonly summaryBytes?: number | undefined;
  /** What was found beyond the summary; below 0 when all was found, and that is less. */
  readonly differenceBytes?: number | undefined;
  /** Share of all parts. */
  readonly ratio?: number | undefined;
}

/** A directory or a file. */
export interface EntryReport extends PartPlace, WalkEntry {
  /** Share of all parts. */
  readonly ratio?: number | undefined;
}

/** Why something was not listed, and what to do about it. */
export interface ListingProblem {
  /** Absent for the pod as a whole. */
  readonly container?: string | undefined;
  readonly text: string;
  readonly commands: readonly string[];
}

export interface PodDirectories {
  readonly namespace: string;
  readonly pod: string;
  readonly node?: string | undefined;
  /** Of all parts: as found, or as the summary has it. */
  readonly usedBytes: number;
  /** Absent without a summary, and where one container alone was listed. */
  readonly summaryBytes?: number | undefined;
  readonly summaryAgeMs?: number | undefined;
  /** Absent where nothing was measured: the sum is the summary's then. */
  readonly differenceBytes?: number | undefined;
  readonly parts: readonly PartReport[];
  /** The largest first. */
  readonly largest: readonly EntryReport[];
  readonly problems: readonly ListingProblem[];
}

/** A part of a pod that was looked for. */
export interface FoundPart extends PartPlace {
  /** Undefined where it could not be listed. */
  readonly walk?: Walk | undefined;
}

export interface FoundDirectories {
  readonly parts: readonly FoundPart[];
  readonly problems: readonly ListingProblem[];
}

/** What the summary of its node has of a pod. */
export interface SummarizedPod extends Pick<MeasuredPodReport, 'components' | 'usedBytes' | 'dataAgeMs'> {
  readonly containers: readonly {
    readonly container: string;
    readonly rootfsBytes?: number | undefined;
    readonly logsBytes?: number | undefined;
  }[];
  readonly volumes: readonly Pick<VolumeReport, 'volume' | 'usedBytes' | 'type' | 'isCounted'>[];
}

/** Puts what was found beside the summary. `isWhole`: all containers of the pod were looked for. */
export function podDirectories(
  { namespace, pod, node }: Pick<PodDirectories, 'namespace' | 'pod' | 'node'>,
  { parts: found, problems }: FoundDirectories,
  summary: SummarizedPod | undefined,
  isWhole = true,
): PodDirectories {
  const known = found.filter((part) => isKnown(part, summary));
  const listed = isWhole ? [...known, ...otherPlaces(known, summary)] : known;
  const parts = [...listed.map((part) => besideSummary(part, summary)), ...(isWhole ? otherParts(summary) : [])];
  const usedBytes = parts.reduce((sum, part) => sum + (bytesOf(part) ?? 0), 0);
  const ratioOf = (bytes: number | undefined): number | undefined =>
    bytes === undefined || usedBytes === 0 ? undefined : bytes / usedBytes;
  const summaryBytes = isWhole ? summary?.usedBytes : undefined;
  const isCompared = summaryBytes !== undefined && hasMeasured(found);
  return {
    namespace,
    pod,
    node,
    usedBytes,
    summaryBytes,
    summaryAgeMs: summary?.dataAgeMs,
    differenceBytes: isCompared ? usedBytes - summaryBytes : undefined,
    parts: parts.map((part) => ({ ...part, ratio: ratioOf(bytesOf(part)) })),
    largest: known
      .flatMap((part) => (part.walk?.entries ?? []).map((entry) => ({ ...placeOf(part), ...entry })))
      .map((entry) => ({ ...entry, ratio: ratioOf(entry.bytes) }))
      .toSorted((a, b) => b.bytes - a.bytes),
    problems,
  };
}

/** Whether anything of a pod was measured. */
function hasMeasured(parts: readonly FoundPart[]): boolean {
  return parts.some(({ walk }) => measuredWalk(walk) !== undefined);
}

/** Whether any part in a report was measured. */
export function hasFound({ parts }: Pick<PodDirectories, 'parts'>): boolean {
  return parts.some(({ foundBytes }) => foundBytes !== undefined);
}

/** A walk that has ended before it found anything has measured nothing. */
function measuredWalk(walk: Walk | undefined): Walk | undefined {
  return walk === undefined || (walk.state !== 'complete' && walk.bytes === 0) ? undefined : walk;
}

/** Containers that have never run have no logs. */
function isKnown(place: FoundPart, summary: SummarizedPod | undefined): boolean {
  return place.part !== 'logs' || (place.walk?.bytes ?? 0) > 0 || summaryBytesOf(place, summary) !== undefined;
}

/** As found; of what was listed in part, what is known at least. */
function bytesOf(part: PartReport): number | undefined {
  return isFromSummary(part) ? part.summaryBytes : part.foundBytes;
}

/** Whether the sum of the pod has the summary's value of a part: it was not measured, or only less of it than the summary has. */
export function isFromSummary({ foundBytes, summaryBytes, state }: PartReport): boolean {
  return foundBytes === undefined || (state !== 'complete' && foundBytes < (summaryBytes ?? 0));
}

function placeOf({ part, container, volume }: FoundPart): PartPlace {
  return { part, container, volume };
}

function besideSummary(found: FoundPart, summary: SummarizedPod | undefined): PartReport {
  const walk = measuredWalk(found.walk);
  const place = placeOf(found);
  const summaryBytes = summaryBytesOf(place, summary);
  if (walk === undefined) return { ...place, state: 'unmeasured', summaryBytes };
  const { bytes: foundBytes, state, fileCount, skippedCount } = walk;
  const part = { ...place, state, foundBytes, summaryBytes, fileCount, skippedCount };
  const isCompared = summaryBytes !== undefined && !isFromSummary(part);
  return { ...part, differenceBytes: isCompared ? foundBytes - summaryBytes : undefined };
}

/** What the summary has besides these parts. */
function otherPlaces(parts: readonly PartPlace[], summary: SummarizedPod | undefined): readonly PartPlace[] {
  const { containers = [], volumes = [] } = summary ?? {};
  const places: readonly PartPlace[] = [
    ...containers.flatMap(({ container }) => [
      { part: 'rootfs' as const, container },
      { part: 'logs' as const, container },
    ]),
    ...volumes
      .filter(({ type, isCounted }) => type === 'emptydir' && isCounted)
      .map(({ volume }) => ({ part: 'emptydir' as const, volume })),
  ];
  const isSame = (one: PartPlace, { part, container, volume }: PartPlace): boolean =>
    one.part === part && (part === 'emptydir' ? one.volume === volume : one.container === container);
  const isEmpty = (place: PartPlace): boolean => (summaryBytesOf(place, summary) ?? 0) === 0;
  return places.filter((place) => !isEmpty(place) && !parts.some((part) => isSame(place, part)));
}

function summaryBytesOf({ part, container, volume }: PartPlace, summary: SummarizedPod | undefined) {
  if (part === 'emptydir') return summary?.volumes.find((one) => one.volume === volume)?.usedBytes;
  const own = summary?.containers.find((one) => one.container === container);
  return part === 'logs' ? own?.logsBytes : own?.rootfsBytes;
}

function otherParts(summary: SummarizedPod | undefined): readonly PartReport[] {
  if (summary === undefined) return [];
  const { configmap, other } = summary.components;
  return [{ part: 'other', summaryBytes: addWhole(configmap, other) }];
}

/** A directory that holds little more than one other entry says nothing that the entry does not say. */
const almostAll = 0.95;

/** The largest first, without such directories. `entries`: few of them, as each is compared with all. */
export function tellingEntries(entries: readonly WalkEntry[]): readonly WalkEntry[] {
  const isRepeated = ({ path, bytes, isDirectory }: WalkEntry): boolean =>
    isDirectory && entries.some((other) => other.path.startsWith(`${path}/`) && other.bytes >= almostAll * bytes);
  return entries.filter((entry) => entry.bytes > 0 && !isRepeated(entry)).toSorted((a, b) => b.bytes - a.bytes);
}
