import { formatBytes } from '../base/units.js';
import type { MeasuredPodReport } from './pod-report.js';
import type { VolumeReport } from './volume-report.js';

/** A directory with all that is in it, or a file. */
export interface WalkEntry {
  /** Absolute: in the container where a command in it has found it, else in the part. Bytes that are no UTF-8 are `\xNN`. */
  readonly path: string;
  readonly bytes: number;
  readonly isDirectory: boolean;
}

/**
 * `unreadable`: some of it could not be read, or was deleted meanwhile. `timeout`, `stopped`: not all of it was found, as the time was
 * up or the walk ended for another reason.
 */
type WalkState = 'complete' | 'unreadable' | 'timeout' | 'stopped';

/** What was found below one directory. */
export interface Walk {
  readonly state: WalkState;
  /** Unless it is complete, there is at least as much. */
  readonly bytes: number;
  /** Absent where files are not counted. */
  readonly fileCount?: number | undefined;
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
  /** Why it could not be listed, or not all of it. */
  readonly problem?: string | undefined;
}

/** What the agent on its node has measured of a pod. */
export interface PodMeasurement {
  /** `measuring`: it waits for its turn, or is measured. `unmeasured`: never, or not for a while. */
  readonly state: 'measured' | 'measuring' | 'unmeasured';
  /** The last; absent before the first. */
  readonly parts?: readonly FoundPart[] | undefined;
  /** Why nothing was measured. */
  readonly problem?: string | undefined;
  /** Wall time in milliseconds. */
  readonly measuredAtMs?: number | undefined;
  readonly ageMs?: number | undefined;
}

export interface FoundDirectories {
  readonly parts: readonly FoundPart[];
  readonly problems: readonly ListingProblem[];
}

/** What the summary of its node has of a pod. */
export interface SummarizedPod extends Pick<MeasuredPodReport, 'components' | 'usedBytes' | 'dataAgeMs'> {
  readonly containers: readonly {
    readonly container: string;
    readonly rootfsBytes: number;
    readonly logsBytes: number;
  }[];
  readonly volumes: readonly Pick<VolumeReport, 'volume' | 'usedBytes'>[];
}

/** Puts what was found beside the summary. `isWhole`: all containers of the pod were looked for. */
export function podDirectories(
  { namespace, pod, node }: Pick<PodDirectories, 'namespace' | 'pod' | 'node'>,
  { parts: found, problems }: FoundDirectories,
  summary: SummarizedPod | undefined,
  isWhole = true,
): PodDirectories {
  const listed = found.filter((part) => isKnown(part, summary));
  const parts = [...listed.map((part) => besideSummary(part, summary)), ...(isWhole ? otherParts(summary) : [])];
  const usedBytes = parts.reduce((sum, part) => sum + (bytesOf(part) ?? 0), 0);
  const ratioOf = (bytes: number | undefined): number | undefined =>
    bytes === undefined || usedBytes === 0 ? undefined : bytes / usedBytes;
  const summaryBytes = isWhole ? summary?.usedBytes : undefined;
  return {
    namespace,
    pod,
    node,
    usedBytes,
    summaryBytes,
    summaryAgeMs: summary?.dataAgeMs,
    differenceBytes: summaryBytes === undefined ? undefined : usedBytes - summaryBytes,
    parts: parts.map((part) => ({ ...part, ratio: ratioOf(bytesOf(part)) })),
    largest: listed
      .flatMap((part) => (part.walk?.entries ?? []).map((entry) => ({ ...placeOf(part), ...entry })))
      .map((entry) => ({ ...entry, ratio: ratioOf(entry.bytes) }))
      .toSorted((a, b) => b.bytes - a.bytes),
    problems: [...problems, ...listed.flatMap(problemOf)],
  };
}

/** Containers that have never run have no logs. */
function isKnown(place: FoundPart, summary: SummarizedPod | undefined): boolean {
  return place.part !== 'logs' || (place.walk?.bytes ?? 0) > 0 || summaryBytesOf(place, summary) !== undefined;
}

function problemOf({ part, container, volume, problem }: FoundPart): readonly ListingProblem[] {
  if (problem === undefined) return [];
  return [{ container, text: `${part} ${volume ?? container}: ${problem}`, commands: [] }];
}

/** As found; of what was listed in part, what is known at least. */
function bytesOf({ foundBytes, summaryBytes, state }: PartReport): number | undefined {
  if (foundBytes === undefined || state === 'complete') return foundBytes ?? summaryBytes;
  return Math.max(foundBytes, summaryBytes ?? 0);
}

function placeOf({ part, container, volume }: FoundPart): PartPlace {
  return { part, container, volume };
}

function besideSummary(found: FoundPart, summary: SummarizedPod | undefined): PartReport {
  const { walk } = found;
  const place = placeOf(found);
  const summaryBytes = summaryBytesOf(place, summary);
  if (walk === undefined) return { ...place, summaryBytes };
  const { bytes, state, fileCount, skippedCount } = walk;
  const differenceBytes = summaryBytes === undefined ? undefined : bytes - summaryBytes;
  return { ...place, foundBytes: bytes, summaryBytes, differenceBytes, state, fileCount, skippedCount };
}

function summaryBytesOf({ part, container, volume }: PartPlace, summary: SummarizedPod | undefined) {
  if (part === 'emptydir') return summary?.volumes.find((one) => one.volume === volume)?.usedBytes;
  const own = summary?.containers.find((one) => one.container === container);
  return part === 'logs' ? own?.logsBytes : own?.rootfsBytes;
}

function otherParts(summary: SummarizedPod | undefined): readonly PartReport[] {
  if (summary === undefined) return [];
  const { configmap, other } = summary.components;
  return [{ part: 'other', summaryBytes: configmap + other }];
}

/** A directory that holds little more than one other entry says nothing that the entry does not say. */
const almostAll = 0.95;

/** The largest first, without such directories. `entries`: few of them, as each is compared with all. */
export function tellingEntries(entries: readonly WalkEntry[]): readonly WalkEntry[] {
  const isRepeated = ({ path, bytes, isDirectory }: WalkEntry): boolean =>
    isDirectory && entries.some((other) => other.path.startsWith(`${path}/`) && other.bytes >= almostAll * bytes);
  return entries.filter((entry) => entry.bytes > 0 && !isRepeated(entry)).toSorted((a, b) => b.bytes - a.bytes);
}

/** What was found beside the summary, in words. */
export function differenceText(bytes: number): string {
  if (bytes === 0) return 'the same.';
  const found = `${formatBytes(Math.abs(bytes))} ${bytes > 0 ? 'more' : 'less'} was found.`;
  return `${found} Volumes in a summary are up to two minutes old.`;
}

export function partName({ part, container, volume }: PartPlace): string {
  const name = volume ?? container;
  return name === undefined ? part : `${part} ${name}`;
}

const stateTexts = {
  complete: undefined,
  unreadable: 'some of it could not be read',
  timeout: 'the time was up: at least this much',
  stopped: 'ended early: at least this much',
} as const;

/** What is to be said of a part; '' for nothing. */
export function partNote({ part, state, skippedCount = 0, foundBytes }: PartReport): string {
  if (foundBytes === undefined) return part === 'logs' || part === 'other' ? '' : 'not listed';
  const notes = [state && stateTexts[state], skippedCount > 0 ? `${skippedCount} names skipped` : undefined];
  return notes.filter((note) => note !== undefined).join('; ');
}
