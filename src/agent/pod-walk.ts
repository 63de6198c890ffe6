import { lstat, readlink } from 'node:fs/promises';
import path from 'node:path';

import type { Clock } from '../base/clock.js';
import type { Pod } from '../kube/objects.js';
import { linkedContainer, logLinksFolder, podFolders } from '../node/pod-folders.js';
import { FoundEntries, withLargest } from '../report/found-entries.js';
import type { FoundPart } from '../report/pod-directories.js';
import type { DuJob, DuWalker } from './du-walker.js';
import { agentHint, namesIn } from './host-files.js';
import { type MountTable, readMountTable } from './mount-table.js';

interface PodWalkOptions {
  readonly hostRoot: string;
  readonly walker: Pick<DuWalker, 'walk'>;
  readonly clock: Clock;
  /** Of the pod, as far as it is known. */
  readonly usedBytes: number | undefined;
}

/** Of all parts of a pod; one for which no time is left has nothing. */
const maxDurationMs = 60_000;
const limits = { maxDepth: 12, maxEntryCount: 200_000, maxOutputBytes: 2 ** 26 };
const listedCount = 50;

type PodPart = FoundPart & { readonly path?: string };

/** Measures the parts of a pod one after the other. Rejects when `signal` aborts. */
export async function walkPod(pod: Pod, options: PodWalkOptions, signal: AbortSignal): Promise<readonly FoundPart[]> {
  const { clock, hostRoot, usedBytes = 0 } = options;
  const endMs = clock.monotonicMs() + maxDurationMs;
  const thresholdBytes = Math.min(2 ** 20, Math.max(4_096, Math.round(usedBytes / 100)));
  const parts: FoundPart[] = [];
  for (const { path: directory, ...part } of [...(await layersOf(pod, hostRoot)), ...podFolders(pod)]) {
    const root = directory === undefined ? '' : path.join(hostRoot, directory);
    const job = { ...limits, thresholdBytes, maxDurationMs: Math.max(0, endMs - clock.monotonicMs()) };
    parts.push({ ...part, ...(await measure({ ...job, directory: root }, options.walker, signal)) });
  }
  signal.throwIfAborted();
  return withLargest(parts, listedCount);
}

async function measure(
  job: Omit<DuJob, 'onEntry'>,
  walker: PodWalkOptions['walker'],
  signal: AbortSignal,
): Promise<Omit<FoundPart, 'part'>> {
  const { directory: root } = job;
  if (root === '' || (await lstat(root).catch(() => undefined)) === undefined) return { problem: missing(root) };
  const found = new FoundEntries(root, listedCount);
  const result = await walker.walk({ ...job, onEntry: found.add.bind(found) }, signal);
  const walk = await found.walk(result, isDirectory);
  return { walk, problem: walk.state === 'complete' ? undefined : (result.message ?? result.end) };
}

async function isDirectory(file: Buffer): Promise<boolean> {
  return (await lstat(file).catch(() => undefined))?.isDirectory() === true;
}

function missing(root: string): string {
  const noLayer = 'the mount table of the host has no writable layer of it: it does not run, or not in containerd';
  return `${root === '' ? noLayer : `${root} is not there`}, or the host path is not mounted: ${agentHint}`;
}

/** The writable layers of the containers that run, and of others that should. */
async function layersOf(pod: Pod, hostRoot: string): Promise<readonly PodPart[]> {
  const none: Pick<MountTable, 'layers'> = { layers: [] };
  const { layers } = await readMountTable(path.join(hostRoot, 'proc/1/mountinfo')).catch(() => none);
  const byId = new Map(layers.map(({ containerId, upperDirectory }) => [containerId, upperDirectory]));
  const uppers = new Map<string, string>();
  const folder = path.join(hostRoot, logLinksFolder);
  for (const name of namesIn(folder).filter((one) => one.startsWith(`${pod.name}_`))) {
    const linked = linkedContainer(pod, name, await readlink(path.join(folder, name)).catch(() => ''));
    const upper = linked && byId.get(linked.id);
    if (linked !== undefined && upper !== undefined) uppers.set(linked.container, upper);
  }
  return pod.containers.flatMap(({ name: container, kind }): readonly PodPart[] => {
    const upper = uppers.get(container);
    if (upper !== undefined) return [{ part: 'rootfs', container, path: upper }];
    return kind === 'app' || kind === 'sidecar' ? [{ part: 'rootfs', container }] : [];
  });
}
