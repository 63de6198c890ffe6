import { lstat, readdir, readlink } from 'node:fs/promises';
import path from 'node:path';

import type { Clock } from '../base/clock.js';
import { messageOf } from '../base/errors.js';
import type { Pod } from '../kube/objects.js';
import { logLinksFolder, podFolders, type PodLayer, podLayers } from '../node/pod-folders.js';
import { FoundEntries, withLargest } from '../report/found-entries.js';
import type { FoundPart } from '../report/pod-directories.js';
import type { DuWalker } from './du-walker.js';
import { causeOf } from './host-files.js';
import { readLayerMounts } from './mount-table.js';

interface PodWalkOptions {
  readonly hostRoot: string;
  readonly walker: Pick<DuWalker, 'walk'>;
  readonly clock: Clock;
}

/** Of all parts of a pod. */
const maxDurationMs = 60_000;
/** Files that have a block or more: what is found may be far less than the summary has, and so 1 % of it. */
const limits = { thresholdBytes: 4_096, maxDepth: 12, maxEntryCount: 2_000_000, maxOutputBytes: 2 ** 29 };
const listedCount = 50;

/** Measures the parts of a pod one after the other. Rejects when du was started for none of them, and when `signal` aborts. */
export async function walkPod(pod: Pod, options: PodWalkOptions, signal: AbortSignal): Promise<readonly FoundPart[]> {
  const { clock, hostRoot } = options;
  const endMs = clock.monotonicMs() + maxDurationMs;
  const parts: FoundPart[] = [];
  for (const { path: onHost, ...part } of [...(await layersOf(pod, hostRoot)), ...podFolders(pod)]) {
    const found = measure(onHost, options, { leftMs: endMs - clock.monotonicMs(), signal });
    const known = await found.catch((error: unknown) => {
      if (parts.every(({ walk }) => walk === undefined)) throw error;
      return { problem: messageOf(error) };
    });
    parts.push({ ...part, ...known });
  }
  signal.throwIfAborted();
  return withLargest(parts, listedCount);
}

async function measure(
  onHost: string | undefined,
  { hostRoot, walker }: PodWalkOptions,
  { leftMs, signal }: { readonly leftMs: number; readonly signal: AbortSignal },
): Promise<Partial<FoundPart>> {
  if (onHost === undefined) return {};
  const directory = path.join(hostRoot, onHost);
  const cause = await lstat(directory).then(() => undefined, causeOf);
  if (cause !== undefined) return { problem: `${cause}: ${directory}` };
  if (leftMs <= 0) return { problem: `the ${maxDurationMs / 1000} s for all parts of a pod were up` };
  const found = new FoundEntries(directory, listedCount);
  const job = { ...limits, maxDurationMs: leftMs, directory, onEntry: found.add.bind(found) };
  const result = await walker.walk(job, signal);
  if (result.end === 'unstarted') throw new Error(result.message);
  const walk = await found.walk(result, isDirectory);
  return { walk, problem: walk.state === 'complete' ? undefined : (result.message ?? result.end) };
}

async function isDirectory(file: Buffer): Promise<boolean> {
  return (await lstat(file).catch(() => undefined))?.isDirectory() === true;
}

async function layersOf(pod: Pod, hostRoot: string): Promise<readonly PodLayer[]> {
  const folder = path.join(hostRoot, logLinksFolder);
  const mountTable = path.join(hostRoot, 'proc/1/mountinfo');
  const failed = (place: string) => (error: unknown) => `${causeOf(error)}: ${place}`;
  const names = await readdir(folder).catch(failed(folder));
  const mounts = await readLayerMounts(mountTable).catch(failed(mountTable));
  if (typeof names === 'string') return podLayers(pod, [], names);
  const target = (name: string): Promise<string> => readlink(path.join(folder, name)).catch(() => '');
  const ownNames = names.filter((name) => name.startsWith(`${pod.name}_`));
  const links = await Promise.all(ownNames.map(async (name) => ({ name, target: await target(name) })));
  return podLayers(pod, links, mounts);
}
