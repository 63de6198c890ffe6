import path from 'node:path';

import { type Clock, instantOf } from '../base/clock.js';
import { largestFirst, Ranking } from '../base/ranking.js';
import { type DuEntry, shownPath } from './du-records.js';
import type { DuLimits, DuResult, DuWalker } from './du-walker.js';
import type { MountTable } from './mount-table.js';

/** A pod whose directories are to be measured. */
export interface DirectoriesPod {
  readonly namespace: string;
  readonly name: string;
  /** By which the kubelet names its directories: of a static pod, the hash of its manifest. */
  readonly kubeletUid: string;
  /** `id`: without the name of the runtime before it. */
  readonly containers: readonly { readonly name: string; readonly id: string }[];
  /** Names of its emptyDirs on the disk. */
  readonly emptyDirs: readonly string[];
}

interface DirectoryEntryReport {
  /** Below the place; unprintable bytes are escaped. */
  readonly path: string;
  readonly usedBytes: number;
  /** Of the place; absent where its own usage is unknown, or 0. */
  readonly share?: number;
}

interface PodPlaceReport {
  /** `rootfs`: the writable layer of a container. */
  readonly kind: 'rootfs' | 'emptydir' | 'logs';
  /** Of the container or the volume; absent for the logs of the pod. */
  readonly name?: string;
  /** To the byte as du measures it; absent unless the walk is complete. */
  readonly usedBytes?: number;
  /** `absent`: the place is not there, and `message` has the reason. */
  readonly end: DuResult['end'] | 'absent';
  readonly unreadableCount: number;
  readonly message?: string;
  /** Directories, with all that is below them, and files, largest first. */
  readonly entries: readonly DirectoryEntryReport[];
  /** Of all that reach the threshold, as far as the walk came. */
  readonly entryCount: number;
}

/** Which directories and files hold the bytes of a pod. */
export interface PodDirectoriesReport {
  readonly namespace: string;
  readonly pod: string;
  /** Unix time in milliseconds. */
  readonly measuredAtMs: number;
  readonly places: readonly PodPlaceReport[];
}

export interface DirectoriesOptions {
  readonly clock: Clock;
  readonly walker: Pick<DuWalker, 'walk'>;
  /** Where the root filesystem of the host is mounted. */
  readonly hostRoot: string;
  readonly mounts: Pick<MountTable, 'layers'>;
  /** The duration is that of all places together. */
  readonly limits: DuLimits;
  readonly maxDepth: number;
  readonly thresholdBytes: number;
  /** Entries of each place. */
  readonly topCount: number;
}

interface DirectoriesPlace extends Pick<PodPlaceReport, 'kind'> {
  readonly name?: string;
  /** On the host; undefined where the place is absent. */
  readonly directory: string | undefined;
  /** Why it is. */
  readonly message?: string;
}

/** Measures the places of a pod, one after the other. A place that is absent or cut does not affect the others. */
export async function podDirectories(
  pod: DirectoriesPod,
  options: DirectoriesOptions,
  signal: AbortSignal,
): Promise<PodDirectoriesReport> {
  const { monotonicMs, wallMs: measuredAtMs } = instantOf(options.clock);
  const endMs = monotonicMs + options.limits.maxDurationMs;
  const places: PodPlaceReport[] = [];
  for (const place of placesOf(pod, options.mounts)) {
    const maxDurationMs = Math.max(0, endMs - options.clock.monotonicMs());
    places.push(await measurePlace(place, { ...options, limits: { ...options.limits, maxDurationMs } }, signal));
  }
  return { namespace: pod.namespace, pod: pod.name, measuredAtMs, places };
}

function placesOf(pod: DirectoriesPod, { layers }: DirectoriesOptions['mounts']): readonly DirectoriesPlace[] {
  const layerOf = new Map(layers.map(({ containerId, upperDirectory }) => [containerId, upperDirectory]));
  return [
    ...pod.containers.map(({ name, id }): DirectoriesPlace => {
      const directory = layerOf.get(id);
      const message =
        'the mount table has no root filesystem of this container: it is not running, or not in containerd';
      return { kind: 'rootfs', name, directory, ...(directory === undefined ? { message } : {}) };
    }),
    ...pod.emptyDirs.map((name): DirectoriesPlace => {
      const directory = joined('/var/lib/kubelet/pods', pod.kubeletUid, 'volumes/kubernetes.io~empty-dir', name);
      return { kind: 'emptydir', name, directory };
    }),
    { kind: 'logs', directory: joined('/var/log/pods', `${pod.namespace}_${pod.name}_${pod.kubeletUid}`) },
  ];
}

/** Names come from the API server, and must not lead out of the folder. */
function joined(folder: string, ...names: readonly string[]): string | undefined {
  const directory = path.join(folder, ...names);
  const isBelow = names.every((name) => name !== '' && !name.split('/').some((part) => part === '..' || part === '.'));
  return isBelow ? directory : undefined;
}

async function measurePlace(
  { directory, message = 'its name is not that of a directory', ...place }: DirectoriesPlace,
  { walker, hostRoot, limits, maxDepth, thresholdBytes, topCount }: DirectoriesOptions,
  signal: AbortSignal,
): Promise<PodPlaceReport> {
  if (directory === undefined) {
    return { ...place, end: 'absent', unreadableCount: 0, message, entries: [], entryCount: 0 };
  }
  const root = path.join(hostRoot, directory);
  const ranking = new Ranking<DuEntry>(
    topCount,
    largestFirst(usedBytesOf, ({ rawPath }) => [rawPath]),
  );
  const rawRoot = Buffer.from(root).toString('latin1');
  const onEntry = (entry: DuEntry): void => {
    if (entry.rawPath !== rawRoot) ranking.add(entry);
  };
  const job = { directories: [root], maxDepth, thresholdBytes, ...limits, onEntry };
  const result = await walker.walk(job, signal);
  const { items, totalCount } = ranking.ranked((entry) => entryReport(entry, rawRoot, result.usedBytes));
  return {
    ...place,
    ...(result.usedBytes === undefined ? {} : { usedBytes: result.usedBytes }),
    end: result.end,
    unreadableCount: result.unreadableCount,
    ...(result.message === undefined ? {} : { message: result.message }),
    entries: items,
    entryCount: totalCount,
  };
}

function usedBytesOf({ usedBytes }: DuEntry): number {
  return usedBytes;
}

function entryReport({ rawPath, usedBytes }: DuEntry, rawRoot: string, totalBytes = 0): DirectoryEntryReport {
  const share = totalBytes > 0 ? { share: usedBytes / totalBytes } : {};
  return { path: shownPath(rawPath.slice(rawRoot.length + 1)), usedBytes, ...share };
}
